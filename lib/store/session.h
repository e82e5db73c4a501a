// Session: a connection to the catalog file and the statements prepared on it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/sqlite/connection.h"
#include "lib/store/rows.h"

namespace berglite::store {

// Where and how a file is opened.
struct SessionOptions {
  std::string path;  // absolute, or `:memory:`
  std::string catalog_name;
  int busy_timeout_ms = 0;
};

// Makes the settings that every connection to a catalog file has.
Status Configure(sqlite::Connection& connection);

// The catalog_name of a file that holds none and was given none.
inline constexpr const char* kDefaultCatalogName = "default";

// Threads: one at a time.
class Session {
 public:
  // Errors: kUnavailable where the file is not there any more; it is not made anew.
  static Result<std::unique_ptr<Session>> Open(const SessionOptions& options);

  Session(std::unique_ptr<sqlite::Connection> connection, std::string catalog_name)
      : connection_(std::move(connection)), rows_(*connection_, std::move(catalog_name)) {}

  sqlite::Connection& connection() { return *connection_; }
  CatalogRows& rows() { return rows_; }

 private:
  std::unique_ptr<sqlite::Connection> connection_;
  CatalogRows rows_;
};

// Whether what has been done on the connection leaves no trace in what comes next. A transaction
// that could not be ended, for want of memory, shows its old state to a reader and keeps other
// writers out. SQLite remembers the errno of a failed call until the next one fails, so that damage
// which is found later would be taken for a disk that failed.
bool IsGoodAsNew(const sqlite::Connection& connection);

// Runs `body` in a read transaction of `session`.
Status ReadWith(Session& session, const std::function<Status(CatalogRows&)>& body);

}  // namespace berglite::store
