#include "lib/store/session.h"

#include <utility>

#include "lib/sqlite/transaction.h"

namespace berglite::store {

// Durability is synchronous=FULL: a commit returns after the disk has it. trusted_schema=OFF keeps
// functions and virtual tables that a foreign file may name in its schema from running.
Status Configure(sqlite::Connection& connection) {
  return connection.Execute(
      "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL");
}

Result<std::unique_ptr<Session>> Session::Open(const SessionOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(
      std::unique_ptr<sqlite::Connection> connection,
      sqlite::Connection::Open(options.path, options.busy_timeout_ms, sqlite::IfMissing::kFail));
  BERGLITE_RETURN_IF_ERROR(Configure(*connection));
  return std::make_unique<Session>(std::move(connection), options.catalog_name);
}

bool IsGoodAsNew(const sqlite::Connection& connection) {
  return !connection.in_transaction() && connection.last_failure() != sqlite::Failure::kOther;
}

Status ReadWith(Session& session, const std::function<Status(CatalogRows&)>& body) {
  // Nothing is changed, so rolling back at the end is as good as committing.
  BERGLITE_ASSIGN_OR_RETURN(
      sqlite::Transaction transaction,
      sqlite::Transaction::Begin(session.connection(), sqlite::TransactionKind::kRead));
  return body(session.rows());
}

}  // namespace berglite::store
