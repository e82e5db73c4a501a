// MemoryStore: a Store that lives as long as its object.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "lib/store/session.h"
#include "lib/store/store.h"

namespace berglite::store {

// An SQLite database in memory belongs to its connection, so all calls share one and take turns.
class MemoryStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const StoreOptions& options);

  MemoryStore(std::string catalog_name, std::unique_ptr<sqlite::Connection> connection)
      : catalog_name_(std::move(catalog_name)), session_(std::move(connection), catalog_name_) {}

  const std::string& catalog_name() const override { return catalog_name_; }
  Status Read(const std::function<Status(Reader&)>& body) override;
  Status Write(const std::function<Status(Writer&)>& body,
               const std::function<Result<bool>(Reader&)>& landed) override;

 private:
  const std::string catalog_name_;
  std::mutex mutex_;
  Session session_;  // guarded by mutex_
};

}  // namespace berglite::store
