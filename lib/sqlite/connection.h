// Connection: one connection to an SQLite database.
//
// This module knows SQLite and nothing of what is stored. No exception leaves it and no header of
// SQLite's is needed to use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "berglite/result.h"
#include "lib/sqlite/sql.h"

struct sqlite3;

namespace berglite::sqlite {

// Why the last failed call failed, as finely as callers act on it.
enum class Failure {
  kNone,
  kBusy,          // somebody else holds a lock; the busy timeout has passed
  kFull,          // a write was refused for want of space, or past a quota or a limit on files
  kNotADatabase,  // the file is something else
  kOther,
};

// What opening does where there is no file: makes an empty one, or fails with kUnavailable.
enum class IfMissing { kCreate, kFail };

// Threads: one thread at a time; the object may move between threads.
// Ownership: Statements, Transactions and Savepoints borrow it and must end before it.
// Errors: kUnavailable where another try may succeed (locked, full, not writable, an I/O error),
// kInternal otherwise (a damaged file). Messages begin with the file's name, without its folder.
class Connection {
 public:
  // Opens the database at `path`, an absolute path or `:memory:`. The file's content is not looked
  // at yet. A lock held by others is waited for as long as `busy_timeout_ms`.
  static Result<std::unique_ptr<Connection>> Open(const std::string& path, int busy_timeout_ms,
                                                  IfMissing if_missing = IfMissing::kCreate);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs statements that take no parameters and whose rows do not matter.
  Status Execute(Sql sql);

  // SQLite may end a transaction by itself when an error (full, I/O) hits it.
  bool in_transaction() const;
  // Whether the file could be opened for reading only.
  bool read_only() const;
  // Whether its path names another file by now, or none: what is written here will not be found
  // there. One look at the file system.
  bool has_moved() const;

  // How many calls have found a lock of somebody else's and waited for it.
  uint64_t busy_waits() const { return busy_waits_; }

  // About the last call, on this connection or what borrows it, that returned an error.
  Failure last_failure() const { return last_failure_; }

  // For this module.
  sqlite3* handle() const { return handle_; }
  // The error of a call that returned `code`.
  Error MakeError(int code);

 private:
  Connection(std::string name, int busy_timeout_ms)
      : name_(std::move(name)), busy_timeout_(busy_timeout_ms) {}

  static int WaitWhileBusy(void* connection, int calls);

  std::string name_;
  std::chrono::milliseconds busy_timeout_;
  std::chrono::steady_clock::time_point busy_since_;
  uint64_t busy_waits_ = 0;
  sqlite3* handle_ = nullptr;
  Failure last_failure_ = Failure::kNone;
};

}  // namespace berglite::sqlite
