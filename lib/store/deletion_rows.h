// DeletionRows: dropped tables of one catalog whose files are still to be removed, from when on
// that may be tried, and what was in the way the last time.
//
// They stand in a table of ours; other catalogs on the file do not see them.
#pragma once

#include <string>
#include <vector>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class DeletionRows {
 public:
  // `catalog_name` is borrowed too.
  DeletionRows(sqlite::Connection& connection, const std::string& catalog_name)
      : connection_(connection), catalog_name_(catalog_name) {}

  // As the methods of Reader and Writer of these names.
  Result<std::vector<OwedDeletion>> ListOwedDeletions(int64_t now_ms, size_t limit);
  Result<bool> IsDeletionOwed(const std::string& metadata_location, const std::string& table_uuid);
  Result<std::vector<std::string>> ListOwingCatalogs();
  Result<int64_t> CountOwedDeletions();
  Status OweDeletion(const std::string& metadata_location, const std::string& table_uuid,
                     int64_t due_ms);
  Status PostponeDeletion(int64_t id, int64_t due_ms, const std::string& obstacle);
  Status SettleDeletion(int64_t id);

 private:
  sqlite::Connection& connection_;
  const std::string& catalog_name_;

  sqlite::Statement list_{connection_, R"(
    SELECT id, metadata_location, attempts, obstacle FROM berglite_deletions
    WHERE catalog_name = ?1 AND (due_ms <= ?2 OR due_ms > ?4) ORDER BY due_ms LIMIT ?3)"};
  // Those of all catalogs; they are few.
  sqlite::Statement is_owed_{connection_, R"(
    SELECT EXISTS (SELECT 1 FROM berglite_deletions
                   WHERE metadata_location = ?1 OR (table_uuid = ?2 AND table_uuid <> '')))"};
  sqlite::Statement list_catalogs_{connection_, R"(
    SELECT DISTINCT catalog_name FROM berglite_deletions)"};
  sqlite::Statement count_{connection_, R"(
    SELECT COUNT(*) FROM berglite_deletions)"};
  sqlite::Statement owe_{connection_, R"(
    INSERT INTO berglite_deletions
      (catalog_name, metadata_location, table_uuid, due_ms, attempts, obstacle)
    VALUES (?1, ?2, ?3, ?4, 0, ''))"};
  sqlite::Statement postpone_{connection_, R"(
    UPDATE berglite_deletions SET due_ms = ?2, attempts = attempts + 1, obstacle = ?3
    WHERE id = ?1)"};
  sqlite::Statement settle_{connection_, R"(
    DELETE FROM berglite_deletions WHERE id = ?1)"};
};

}  // namespace berglite::store
