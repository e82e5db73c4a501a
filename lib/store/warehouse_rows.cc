#include "lib/store/warehouse_rows.h"

#include <utility>

#include "lib/store/schema.h"

namespace berglite::store {

Result<std::vector<CatalogRecord>> WarehouseRows::List() {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> names, ReadCatalogNames(connection_));
  std::vector<CatalogRecord> records;
  for (std::string& name : names) {
    std::string location;
    sqlite::Rows rows = find_.Query(name);
    BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
    if (found) location = rows.Text(0);
    records.push_back({std::move(name), std::move(location)});
  }
  return records;
}

Status WarehouseRows::Record(const CatalogRecord& record) {
  BERGLITE_RETURN_IF_ERROR(record_.Change(record.name, record.location));
  return {};
}

Status WarehouseRows::Move(const CatalogRecord& record) {
  BERGLITE_RETURN_IF_ERROR(move_.Change(record.name, record.location));
  return {};
}

}  // namespace berglite::store
