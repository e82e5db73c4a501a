// MemoryStore: a Store that lives as long as its object.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/session.h"
#include "lib/store/store.h"

namespace berglite::store {

// An SQLite database in memory belongs to its connection, so all calls share one and take turns.
class MemoryStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const StoreOptions& options);

  // What the Stores for the catalogs of one database share.
  struct Shared {
    explicit Shared(std::unique_ptr<sqlite::Connection> connection)
        : session(std::move(connection), kDefaultCatalogName) {}
    std::mutex mutex;
    Session session;  // guarded by mutex
  };
  MemoryStore(std::string catalog_name, std::shared_ptr<Shared> shared)
      : catalog_name_(std::move(catalog_name)), shared_(std::move(shared)) {}

  const std::string& catalog_name() const override { return catalog_name_; }
  std::unique_ptr<Store> Sibling(const std::string& catalog_name) override {
    return std::make_unique<MemoryStore>(catalog_name, shared_);
  }
  Status CopyTo(const std::string& path,
                const std::function<void(size_t done, size_t total)>& on_progress) override;
  Status Read(const std::function<Status(Reader&)>& body) override;
  Status Write(const std::function<Status(Writer&)>& body,
               const std::function<Result<bool>(Reader&)>& landed) override;
  // All calls take turns.
  Status ReadAlone(const std::function<Status(Reader&)>& body) override { return Read(body); }
  std::vector<std::string> FilePaths() const override { return {}; }

 private:
  const std::string catalog_name_;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace berglite::store
