#include "lib/sqlite/transaction.h"

#include <cstdlib>

#include <sqlite3.h>

namespace berglite::sqlite {

Result<Transaction> Transaction::Begin(Connection& connection, TransactionKind kind) {
  BERGLITE_RETURN_IF_ERROR(kind == TransactionKind::kRead ? connection.Execute("BEGIN")
                                                          : connection.Execute("BEGIN IMMEDIATE"));
  return Transaction(connection);
}

Status Transaction::Commit() {
  if (state_ != State::kOpen) std::abort();
  Status committed = connection_->Execute("COMMIT");
  if (!committed) {
    Rollback();
    return committed;
  }
  state_ = State::kCommitted;
  return {};
}

void Transaction::Rollback() {
  if (state_ != State::kOpen) return;
  state_ = State::kRolledBack;
  // Not through Execute: last_failure() must go on telling why a COMMIT failed.
  if (connection_->in_transaction()) {
    sqlite3_exec(connection_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Result<Savepoint> Savepoint::Begin(Connection& connection) {
  BERGLITE_RETURN_IF_ERROR(connection.Execute("SAVEPOINT part"));
  return Savepoint(connection);
}

Savepoint::~Savepoint() {
  if (state_ == State::kOpen) (void)Undo();
}

Status Savepoint::Release() {
  if (state_ != State::kOpen) std::abort();
  state_ = State::kReleased;
  return connection_->Execute("RELEASE part");
}

Status Savepoint::Undo() {
  if (state_ != State::kOpen) std::abort();
  state_ = State::kUndone;
  return connection_->Execute("ROLLBACK TO part; RELEASE part");
}

}  // namespace berglite::sqlite
