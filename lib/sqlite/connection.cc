#include "lib/sqlite/connection.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include <sqlite3.h>

namespace berglite::sqlite {
namespace {

// `system_code` is the errno behind it, or 0.
Failure FailureOf(int code, int system_code) {
  // SQLite takes ENOSPC alone for a full disk. The two others refuse a write just as surely.
  const bool is_past_a_limit = system_code == EDQUOT || system_code == EFBIG;
  if (code == SQLITE_IOERR_WRITE && is_past_a_limit) return Failure::kFull;
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Failure::kBusy;
    case SQLITE_FULL:
      return Failure::kFull;
    case SQLITE_NOTADB:
      return Failure::kNotADatabase;
    default:
      return Failure::kOther;
  }
}

// The errno of the last call that failed on the database or its log (`kind`); 0 where it is not
// known.
int LastErrnoOf(sqlite3* handle, int kind) {
  sqlite3_file* file = nullptr;
  int error_number = 0;
  if (sqlite3_file_control(handle, "main", kind, &file) != SQLITE_OK) return 0;
  if (file == nullptr || file->pMethods == nullptr) return 0;
  file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error_number);
  return error_number;
}

ErrorKind KindOf(int code) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
      return ErrorKind::kUnavailable;
    default:
      return ErrorKind::kInternal;
  }
}

// SQLite takes a block that the disk cannot read for a sign of damage. The last error of the
// system's on the database or its log tells: reading it again may go well.
bool IsUnreadable(sqlite3* handle) {
  return LastErrnoOf(handle, SQLITE_FCNTL_FILE_POINTER) == EIO ||
         LastErrnoOf(handle, SQLITE_FCNTL_JOURNAL_POINTER) == EIO;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path, int busy_timeout_ms,
                                                     IfMissing if_missing) {
  std::string name = std::filesystem::path(path).filename().string();
  std::unique_ptr<Connection> connection(new Connection(std::move(name), busy_timeout_ms));
  // One thread at a time uses it, so SQLite need not lock; the flags also switch shared cache off.
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                         SQLITE_OPEN_EXRESCODE;
  int flags = if_missing == IfMissing::kCreate ? kFlags | SQLITE_OPEN_CREATE : kFlags;
  int code = sqlite3_open_v2(path.c_str(), &connection->handle_, flags, nullptr);
  if (code != SQLITE_OK) return connection->MakeError(code);
  sqlite3_busy_handler(connection->handle_, WaitWhileBusy, connection.get());
  return connection;
}

Connection::~Connection() {
  // Anything but SQLITE_OK means that a statement outlived its connection.
  if (sqlite3_close(handle_) != SQLITE_OK) std::abort();
}

Status Connection::Execute(Sql sql) {
  int code = sqlite3_exec(handle_, sql.text().data(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return MakeError(code);
  return {};
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Connection::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

bool Connection::has_moved() const {
  int moved = 0;
  // Not known to databases in memory, which cannot move.
  int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

Error Connection::MakeError(int code) {
  if ((code & 0xFF) == SQLITE_CORRUPT && IsUnreadable(handle_)) {
    last_failure_ = Failure::kOther;
    return Error{ErrorKind::kUnavailable,
                 name_ + ": cannot be read: " + std::generic_category().message(EIO) +
                     " (SQLite code " + std::to_string(code) + ")"};
  }
  // There is no handle where SQLite could not even allocate one.
  std::string text = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  int system_code = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  if (handle_ != nullptr && code == SQLITE_IOERR_WRITE) {
    // After a COMMIT what SQLite keeps for sqlite3_system_errno is 0.
    system_code = LastErrnoOf(handle_, SQLITE_FCNTL_JOURNAL_POINTER);
  }
  last_failure_ = FailureOf(code, system_code);
  bool is_of_system = (code & 0xFF) == SQLITE_CANTOPEN || (code & 0xFF) == SQLITE_IOERR;
  if (is_of_system && system_code != 0) {
    text += ": " + std::generic_category().message(system_code);
  }
  return Error{KindOf(code), name_ + ": " + text + " (SQLite code " + std::to_string(code) + ")"};
}

// SQLite's own handler sleeps for up to 100 ms, in which others take the lock again and again: a
// waiter may starve for seconds. Locks are held for a millisecond, so this one looks that often.
int Connection::WaitWhileBusy(void* connection, int calls) {
  auto* self = static_cast<Connection*>(connection);
  auto now = std::chrono::steady_clock::now();
  if (calls == 0) {
    self->busy_since_ = now;
    ++self->busy_waits_;
  }
  if (now - self->busy_since_ >= self->busy_timeout_) return 0;
  std::this_thread::sleep_for(std::chrono::microseconds(calls < 20 ? 200 : 1000));
  return 1;
}

}  // namespace berglite::sqlite
