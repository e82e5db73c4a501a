// WarehouseRows: the catalogs of the file in their order, and where each one's warehouse is.
//
// A catalog of the shared layout exists by its rows alone. One that was added without any, or that
// has a warehouse of its own, is recorded in a table of ours.
#pragma once

#include <string>
#include <vector>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class WarehouseRows {
 public:
  explicit WarehouseRows(sqlite::Connection& connection) : connection_(connection) {}

  // As Reader::ListCatalogs, Writer::RecordCatalog and Writer::MoveWarehouse.
  Result<std::vector<CatalogRecord>> List();
  Status Record(const CatalogRecord& record);
  Status Move(const CatalogRecord& record);

 private:
  sqlite::Connection& connection_;

  sqlite::Statement find_{connection_, R"(
    SELECT location FROM berglite_warehouses WHERE catalog_name = ?1)"};
  sqlite::Statement record_{connection_, R"(
    INSERT INTO berglite_warehouses (catalog_name, location) VALUES (?1, ?2)
    ON CONFLICT DO NOTHING)"};
  sqlite::Statement move_{connection_, R"(
    UPDATE berglite_warehouses SET location = ?2 WHERE catalog_name = ?1)"};
};

}  // namespace berglite::store
