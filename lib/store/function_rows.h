// FunctionRows: the functions of one catalog, and where their metadata is.
//
// The shared layout has none, so they stand in a table of ours; other catalogs on the file do not
// see them. Their names are apart from those of tables and views.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class FunctionRows {
 public:
  // `catalog_name` is borrowed too.
  FunctionRows(sqlite::Connection& connection, const std::string& catalog_name)
      : connection_(connection), catalog_name_(catalog_name) {}

  // As the methods of Reader and Writer with `Function` in their names.
  Result<std::optional<std::string>> Find(const EntryKey& key);
  Result<std::vector<std::string>> List(const Namespace& name_space,
                                        const std::optional<std::string>& after, size_t limit);
  Result<int64_t> Count(const Namespace& name_space);
  Status Put(const EntryKey& key, const std::string& metadata_location);
  Result<bool> Delete(const EntryKey& key);

 private:
  sqlite::Connection& connection_;
  const std::string& catalog_name_;

  sqlite::Statement find_{connection_, R"(
    SELECT metadata_location FROM berglite_functions
    WHERE catalog_name = ?1 AND function_namespace = ?2 AND function_name = ?3)"};
  sqlite::Statement list_{connection_, R"(
    SELECT function_name FROM berglite_functions
    WHERE catalog_name = ?1 AND function_namespace = ?2 AND function_name >= ?3
    ORDER BY function_name LIMIT ?4)"};
  sqlite::Statement count_{connection_, R"(
    SELECT count(*) FROM berglite_functions WHERE catalog_name = ?1 AND function_namespace = ?2)"};
  sqlite::Statement put_{connection_, R"(
    INSERT OR REPLACE INTO berglite_functions
      (catalog_name, function_namespace, function_name, metadata_location)
    VALUES (?1, ?2, ?3, ?4))"};
  sqlite::Statement delete_{connection_, R"(
    DELETE FROM berglite_functions
    WHERE catalog_name = ?1 AND function_namespace = ?2 AND function_name = ?3)"};
};

}  // namespace berglite::store
