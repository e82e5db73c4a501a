// Statement and Rows: a prepared statement and one run of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/result.h"
#include "lib/sqlite/connection.h"
#include "lib/sqlite/sql.h"

struct sqlite3_stmt;

namespace berglite::sqlite {

class Statement;

// The rows of one run. Ends the run when it goes; only one run of a Statement is open at a time.
class Rows {
 public:
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  // Moves to the next row; false after the last one. Errors of preparing and binding the statement
  // come out here too.
  Result<bool> Next();

  // Of the present row; columns count from 0. Text of NULL is empty, the integer 0.
  std::string Text(int column) const;
  int64_t Integer(int column) const;
  bool IsNull(int column) const;

 private:
  friend class Statement;
  explicit Rows(Statement& statement) : statement_(statement) {}

  Statement& statement_;
};

// The first column of all the rows.
Result<std::vector<std::string>> ReadTexts(Rows rows);

// Made where it is used, prepared when it is run first, and kept. Parameters are text
// (std::string_view) or int64_t, bound in order to ?1, ?2, ...; they are copied.
//
// Threads: that of its connection.
class Statement {
 public:
  Statement(Connection& connection, Sql sql) : connection_(connection), sql_(sql) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename... Parameters>
  [[nodiscard]] Rows Query(const Parameters&... parameters) {
    Start();
    [[maybe_unused]] int index = 0;
    (Bind(++index, parameters), ...);
    return Rows(*this);
  }

  // Runs it to its end and returns how many rows it changed.
  template <typename... Parameters>
  Result<int64_t> Change(const Parameters&... parameters) {
    Rows rows = Query(parameters...);
    return Finish(rows);
  }

 private:
  friend class Rows;

  void Start();
  void Bind(int index, std::string_view text);
  void Bind(int index, int64_t value);
  Result<int64_t> Finish(Rows& rows);
  Result<bool> Step();
  void Reset();

  Connection& connection_;
  Sql sql_;
  sqlite3_stmt* handle_ = nullptr;
  int code_ = 0;  // of preparing and binding
  bool running_ = false;
};

}  // namespace berglite::sqlite
