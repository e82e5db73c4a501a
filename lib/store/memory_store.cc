#include "lib/store/memory_store.h"

#include "lib/sqlite/backup.h"
#include "lib/sqlite/transaction.h"
#include "lib/store/schema.h"

namespace berglite::store {

Result<std::unique_ptr<Store>> MemoryStore::Open(const StoreOptions& options) {
  const std::string path = ":memory:";
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Connection> connection,
                            sqlite::Connection::Open(path, options.busy_timeout_ms));
  BERGLITE_RETURN_IF_ERROR(Configure(*connection));
  BERGLITE_RETURN_IF_ERROR(PrepareFile(*connection, path));
  std::string name = options.catalog_name.empty() ? kDefaultCatalogName : options.catalog_name;
  std::unique_ptr<Store> store = std::make_unique<MemoryStore>(
      std::move(name), std::make_shared<Shared>(std::move(connection)));
  return store;
}

Status MemoryStore::CopyTo(const std::string& path,
                           const std::function<void(size_t done, size_t total)>& on_progress) {
  std::lock_guard lock(shared_->mutex);
  return sqlite::CopyDatabase(shared_->session.connection(), path, on_progress);
}

Status MemoryStore::Read(const std::function<Status(Reader&)>& body) {
  std::lock_guard lock(shared_->mutex);
  shared_->session.rows().SelectCatalog(catalog_name_);
  return ReadWith(shared_->session, body);
}

// `landed` is never asked: memory that could not be committed is rolled back for good.
Status MemoryStore::Write(const std::function<Status(Writer&)>& body,
                          const std::function<Result<bool>(Reader&)>&) {
  std::lock_guard lock(shared_->mutex);
  shared_->session.rows().SelectCatalog(catalog_name_);
  BERGLITE_ASSIGN_OR_RETURN(
      sqlite::Transaction transaction,
      sqlite::Transaction::Begin(shared_->session.connection(), sqlite::TransactionKind::kWrite));
  BERGLITE_RETURN_IF_ERROR(body(shared_->session.rows()));
  return transaction.Commit();
}

}  // namespace berglite::store
