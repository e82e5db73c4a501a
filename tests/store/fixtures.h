// How the tests of this module make, look into and spoil catalog files.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "lib/store/store.h"
#include "tests/support/matchers.h"

namespace berglite::store {

// A bare connection, as another program has it. SQL of any kind; failures end the test program.
class RawDatabase {
 public:
  explicit RawDatabase(const std::string& path) {
    if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) std::abort();
  }
  ~RawDatabase() { sqlite3_close(handle_); }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  // Rows as texts joined with `|`; NULL reads `NULL`.
  std::vector<std::string> Run(const std::string& sql) {
    std::vector<std::string> rows;
    char* message = nullptr;
    sqlite3_exec(handle_, sql.c_str(), AddRow, &rows, &message);
    EXPECT_EQ(message, nullptr) << sql << ": " << message;
    sqlite3_free(message);
    return rows;
  }

  sqlite3* handle() { return handle_; }

 private:
  static int AddRow(void* rows, int count, char** values, char**) {
    std::string row;
    for (int i = 0; i < count; ++i) {
      row += (i > 0 ? "|" : "") + std::string(values[i] != nullptr ? values[i] : "NULL");
    }
    static_cast<std::vector<std::string>*>(rows)->push_back(std::move(row));
    return 0;
  }

  sqlite3* handle_ = nullptr;
};

inline std::unique_ptr<Store> OpenOrDie(const std::string& path, const StoreOptions& options = {}) {
  Result<std::unique_ptr<Store>> store = Store::Open(path, options);
  if (!store) {
    ADD_FAILURE() << store.error().message;
    std::abort();
  }
  return *std::move(store);
}

inline Result<bool> NeverAsked(Reader&) {
  ADD_FAILURE() << "landed was asked";
  return false;
}

// Runs one call on a Reader and returns its result.
template <typename Call>
auto ReadOne(Store& store, Call call) -> decltype(call(std::declval<Reader&>())) {
  decltype(call(std::declval<Reader&>())) result = Error{};
  Status status = store.Read([&](Reader& reader) -> Status {
    result = call(reader);
    if (!result) return Error(result.error());
    return {};
  });
  if (!status) return Error(status.error());
  return result;
}

// Runs one call on a Writer, commits, and returns its result.
template <typename Call>
auto WriteOne(Store& store, Call call) -> decltype(call(std::declval<Writer&>())) {
  decltype(call(std::declval<Writer&>())) result = Error{};
  Status status = store.Write(
      [&](Writer& writer) -> Status {
        result = call(writer);
        if (!result) return Error(result.error());
        return {};
      },
      NeverAsked);
  if (!status) return Error(status.error());
  return result;
}

}  // namespace berglite::store
