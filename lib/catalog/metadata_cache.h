// MetadataCache: the current metadata of busy tables, parsed, so that a load copies text and a
// commit parses nothing.
//
// Keyed by metadata location. A metadata file never changes once it is written, so an entry is
// never stale; it may only be of no more use. Bounded in memory; the least recently used entries go
// first, the newest one always stays.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/metadata/table_metadata.h"

namespace berglite::catalog {

class MetadataCache {
 public:
  // `bytes_max` is the memory that entries may take, by estimate.
  explicit MetadataCache(size_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<metadata::TableMetadata> Find(const std::string& location);
  void Insert(const std::string& location, const metadata::TableMetadata& metadata);
  void Erase(const std::string& location);

 private:
  using Entry = std::pair<std::string, metadata::TableMetadata>;
  void EraseLocked(std::list<Entry>::iterator entry);

  const size_t bytes_max_;
  std::mutex mutex_;
  size_t bytes_ = 0;         // guarded by mutex_
  std::list<Entry> recent_;  // guarded by mutex_; most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> index_;  // guarded by mutex_
};

}  // namespace berglite::catalog
