#include "lib/store/store.h"

#include "lib/store/file_store.h"
#include "lib/store/memory_store.h"

namespace berglite::store {

Result<std::unique_ptr<Store>> Store::Open(const std::string& path, const StoreOptions& options) {
  if (path == ":memory:") return MemoryStore::Open(options);
  return FileStore::Open(path, options);
}

}  // namespace berglite::store
