#include "lib/sqlite/statement.h"

#include <cstdlib>

#include <sqlite3.h>

namespace berglite::sqlite {

Rows::~Rows() { statement_.Reset(); }

Result<bool> Rows::Next() { return statement_.Step(); }

std::string Rows::Text(int column) const {
  // The order matters: the size is that of the text which the first call makes.
  const unsigned char* text = sqlite3_column_text(statement_.handle_, column);
  int size = sqlite3_column_bytes(statement_.handle_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(size)};
}

int64_t Rows::Integer(int column) const { return sqlite3_column_int64(statement_.handle_, column); }

bool Rows::IsNull(int column) const {
  return sqlite3_column_type(statement_.handle_, column) == SQLITE_NULL;
}

Statement::~Statement() {
  if (running_) std::abort();
  sqlite3_finalize(handle_);
}

void Statement::Start() {
  if (running_) std::abort();
  running_ = true;
  code_ = SQLITE_OK;
  if (handle_ != nullptr) return;
  code_ = sqlite3_prepare_v3(connection_.handle(), sql_.text().data(),
                             static_cast<int>(sql_.text().size()), SQLITE_PREPARE_PERSISTENT,
                             &handle_, nullptr);
}

void Statement::Bind(int index, std::string_view text) {
  if (code_ != SQLITE_OK) return;
  // An empty view may have no data, which SQLite would take for NULL.
  const char* data = text.data() != nullptr ? text.data() : "";
  code_ = sqlite3_bind_text64(handle_, index, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::Bind(int index, int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(handle_, index, value);
}

Result<int64_t> Statement::Finish(Rows& rows) {
  bool more = true;
  while (more) {
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return static_cast<int64_t>(sqlite3_changes64(connection_.handle()));
}

Result<bool> Statement::Step() {
  if (code_ != SQLITE_OK) return connection_.MakeError(code_);
  int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.MakeError(code);
}

void Statement::Reset() {
  running_ = false;
  if (handle_ == nullptr) return;  // it could not be prepared
  sqlite3_reset(handle_);          // repeats the error of the last step, which was reported there
  sqlite3_clear_bindings(handle_);
}

Result<std::vector<std::string>> ReadTexts(Rows rows) {
  std::vector<std::string> texts;
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    texts.push_back(rows.Text(0));
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return texts;
}

}  // namespace berglite::sqlite
