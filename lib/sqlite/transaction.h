// Transaction and Savepoint: changes that are kept or undone together.
//
// Each is in one of three states, so that nothing is ended twice. What is still open when the
// object goes is undone.
#pragma once

#include <utility>

#include "berglite/result.h"
#include "lib/sqlite/connection.h"

namespace berglite::sqlite {

enum class TransactionKind {
  kRead,   // one state of the database, fixed by the first read
  kWrite,  // the write lock is taken at once, so nothing later in it meets a lock
};

// Threads: that of its connection.
class Transaction {
 public:
  static Result<Transaction> Begin(Connection& connection, TransactionKind kind);
  ~Transaction() { Rollback(); }
  Transaction(Transaction&& other) noexcept
      : connection_(other.connection_), state_(std::exchange(other.state_, State::kRolledBack)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  // Where it fails the transaction is over as well: what of it could be undone is undone.
  // Connection::last_failure() says why.
  Status Commit();
  // Cannot fail: SQLite ends the transaction in any case. Does nothing where it has ended.
  void Rollback();

 private:
  enum class State { kOpen, kCommitted, kRolledBack };

  explicit Transaction(Connection& connection) : connection_(&connection) {}

  Connection* connection_;
  State state_ = State::kOpen;
};

// A part of a transaction that can be undone alone. They do not nest.
class Savepoint {
 public:
  static Result<Savepoint> Begin(Connection& connection);
  ~Savepoint();
  Savepoint(Savepoint&& other) noexcept
      : connection_(other.connection_), state_(std::exchange(other.state_, State::kUndone)) {}
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  Savepoint& operator=(Savepoint&&) = delete;

  // Keeps the changes, as part of the transaction. After an error the transaction must be rolled
  // back.
  Status Release();
  // Undoes the changes. After an error the transaction must be rolled back.
  Status Undo();

 private:
  enum class State { kOpen, kReleased, kUndone };

  explicit Savepoint(Connection& connection) : connection_(&connection) {}

  Connection* connection_;
  State state_ = State::kOpen;
};

}  // namespace berglite::sqlite
