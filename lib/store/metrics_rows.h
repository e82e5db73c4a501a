// MetricsRows: the last metrics reports on each table.
//
// Bounded twice, as nobody tidies up after clients that report each scan: by a number of reports
// for each table, so that a busy one leaves room for the others, and by a number for the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class MetricsRows {
 public:
  // `catalog_name` is borrowed too.
  MetricsRows(sqlite::Connection& connection, const std::string& catalog_name)
      : connection_(connection), catalog_name_(catalog_name) {}

  // As Reader::ListMetrics and Writer::AddMetrics.
  Result<std::vector<MetricsRecord>> List(const EntryKey& table);
  Status Add(const std::vector<MetricsRecord>& reports);

 private:
  // Makes room where there are too many in the file.
  Status Trim();

  sqlite::Connection& connection_;
  const std::string& catalog_name_;

  sqlite::Statement list_{connection_, R"(
    SELECT received_ms, report FROM berglite_metrics
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3 ORDER BY id DESC)"};
  sqlite::Statement insert_{connection_, R"(
    INSERT INTO berglite_metrics (catalog_name, table_namespace, table_name, received_ms, report)
    VALUES (?1, ?2, ?3, ?4, ?5))"};
  // ?4 newest ones of the table stay.
  sqlite::Statement trim_table_{connection_, R"(
    DELETE FROM berglite_metrics
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3 AND id <= (
      SELECT id FROM berglite_metrics
      WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3
      ORDER BY id DESC LIMIT 1 OFFSET ?4))"};
  sqlite::Statement count_{connection_, "SELECT count(*) FROM berglite_metrics"};
  sqlite::Statement delete_oldest_{connection_, R"(
    DELETE FROM berglite_metrics
    WHERE id IN (SELECT id FROM berglite_metrics ORDER BY id LIMIT ?1))"};
};

}  // namespace berglite::store
