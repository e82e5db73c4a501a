#include "lib/store/inventory.h"

#include <utility>

#include "lib/sqlite/statement.h"
#include "lib/store/namespace_text.h"

namespace berglite::store {
namespace {

// nullopt also for a text that no program would write for its namespace: nothing finds such a row.
std::optional<Namespace> ReadNamespace(const std::string& text) {
  std::optional<Namespace> name_space = NamespaceFromText(text);
  if (name_space && NamespaceToText(*name_space) != text) return std::nullopt;
  return name_space;
}

// Rows of (namespace, name, type, location).
Result<std::vector<EntryRow>> ReadEntries(sqlite::Statement& statement,
                                          const std::string& catalog_name) {
  std::vector<EntryRow> entries;
  sqlite::Rows rows = statement.Query(catalog_name);
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    std::string text = rows.Text(0);
    std::optional<Namespace> name_space = ReadNamespace(text);
    entries.push_back(
        {std::move(text), std::move(name_space), rows.Text(1), rows.Text(2), rows.Text(3)});
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return entries;
}

}  // namespace

Result<Inventory> TakeInventory(sqlite::Connection& connection, const std::string& catalog_name) {
  sqlite::Statement entries(connection, R"(
    SELECT table_namespace, table_name, coalesce(iceberg_type, 'TABLE'), metadata_location
    FROM iceberg_tables WHERE catalog_name = ?1 ORDER BY table_namespace, table_name)");
  sqlite::Statement functions(connection, R"(
    SELECT function_namespace, function_name, 'FUNCTION', metadata_location
    FROM berglite_functions WHERE catalog_name = ?1 ORDER BY function_namespace, function_name)");
  sqlite::Statement namespaces(connection, R"(
    SELECT DISTINCT namespace FROM iceberg_namespace_properties
    WHERE catalog_name = ?1 ORDER BY namespace)");
  Inventory inventory;
  BERGLITE_ASSIGN_OR_RETURN(inventory.entries, ReadEntries(entries, catalog_name));
  BERGLITE_ASSIGN_OR_RETURN(inventory.functions, ReadEntries(functions, catalog_name));
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                            sqlite::ReadTexts(namespaces.Query(catalog_name)));
  for (std::string& text : texts) {
    std::optional<Namespace> name_space = ReadNamespace(text);
    if (name_space) {
      inventory.namespaces.push_back(*std::move(name_space));
    } else {
      inventory.bad_namespace_texts.push_back(std::move(text));
    }
  }
  return inventory;
}

Result<FileReport> InspectDatabase(sqlite::Connection& connection) {
  sqlite::Statement integrity(connection, "PRAGMA integrity_check");
  sqlite::Statement foreign(connection, R"(
    SELECT type || ' ' || name FROM sqlite_schema
    WHERE NOT (type IN ('table', 'index')
               AND (tbl_name IN ('iceberg_tables', 'iceberg_namespace_properties')
                    OR tbl_name GLOB 'berglite_*' OR tbl_name GLOB 'sqlite_*'))
    ORDER BY type, name)");
  FileReport report;
  BERGLITE_ASSIGN_OR_RETURN(report.damage, sqlite::ReadTexts(integrity.Query()));
  if (report.damage == std::vector<std::string>{"ok"}) report.damage.clear();
  BERGLITE_ASSIGN_OR_RETURN(report.foreign, sqlite::ReadTexts(foreign.Query()));
  return report;
}

}  // namespace berglite::store
