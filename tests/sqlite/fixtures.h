// How the tests of this module open databases and look at them.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "lib/sqlite/connection.h"
#include "lib/sqlite/statement.h"

namespace berglite::sqlite {

inline std::unique_ptr<Connection> ConnectOrDie(const std::string& path, int busy_timeout_ms = 20) {
  Result<std::unique_ptr<Connection>> connection = Connection::Open(path, busy_timeout_ms);
  if (!connection) {
    ADD_FAILURE() << connection.error().message;
    std::abort();
  }
  return *std::move(connection);
}

// The integer that a statement returns; -1 where it fails.
inline int64_t Ask(Connection& connection, Sql sql) {
  Statement statement(connection, sql);
  Rows rows = statement.Query();
  Result<bool> found = rows.Next();
  if (!found || !*found) return -1;
  return rows.Integer(0);
}

}  // namespace berglite::sqlite
