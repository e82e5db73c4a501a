#include "lib/store/schema.h"

#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "lib/sqlite/statement.h"
#include "lib/sqlite/transaction.h"
#include "lib/store/namespace_text.h"

namespace berglite::store {
namespace {

using sqlite::Sql;

// Append only: a migration that has been released is never changed. Number 1 comes first.
constexpr std::array kMigrations = {
    Sql(R"(
      CREATE TABLE berglite_commit_barrier (id INTEGER PRIMARY KEY, writes INTEGER NOT NULL))"),
    // In the order of recording; see KeyRows.
    Sql(R"(
      CREATE TABLE berglite_idempotency_keys (
        id INTEGER PRIMARY KEY,
        elapsed_ms INTEGER NOT NULL,
        recorded_ms INTEGER NOT NULL,
        catalog_name TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        outcome TEXT NOT NULL,
        answer TEXT NOT NULL,
        UNIQUE (catalog_name, idempotency_key)))"),
    // See PrincipalRows.
    Sql(R"(
      CREATE TABLE berglite_principals (
        name TEXT PRIMARY KEY,
        secret_hash TEXT NOT NULL,
        generation TEXT NOT NULL,
        read_only INTEGER NOT NULL,
        created_ms INTEGER NOT NULL);
      CREATE TABLE berglite_signing_key (
        id INTEGER PRIMARY KEY CHECK (id = 1), signing_key TEXT NOT NULL))"),
    // See MetricsRows. Newer ones have greater ids.
    Sql(R"(
      CREATE TABLE berglite_metrics (
        id INTEGER PRIMARY KEY,
        catalog_name TEXT NOT NULL,
        table_namespace TEXT NOT NULL,
        table_name TEXT NOT NULL,
        received_ms INTEGER NOT NULL,
        report TEXT NOT NULL);
      CREATE INDEX berglite_metrics_of_table
        ON berglite_metrics (catalog_name, table_namespace, table_name))"),
    // See FunctionRows.
    Sql(R"(
      CREATE TABLE berglite_functions (
        catalog_name TEXT NOT NULL,
        function_namespace TEXT NOT NULL,
        function_name TEXT NOT NULL,
        metadata_location TEXT NOT NULL,
        PRIMARY KEY (catalog_name, function_namespace, function_name)))"),
    // See WarehouseRows.
    Sql(R"(
      CREATE TABLE berglite_warehouses (
        id INTEGER PRIMARY KEY,
        catalog_name TEXT NOT NULL UNIQUE,
        location TEXT NOT NULL))"),
    // See DeletionRows. An id is never used again.
    Sql(R"(
      CREATE TABLE berglite_deletions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        catalog_name TEXT NOT NULL,
        metadata_location TEXT NOT NULL,
        table_uuid TEXT NOT NULL,
        due_ms INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        obstacle TEXT NOT NULL);
      CREATE INDEX berglite_deletions_due ON berglite_deletions (catalog_name, due_ms))"),
};

// In Java's order of columns; the other catalogs address them by name.
constexpr Sql kCreateTables = R"(
  CREATE TABLE IF NOT EXISTS iceberg_tables (
    catalog_name VARCHAR(255) NOT NULL,
    table_namespace VARCHAR(255) NOT NULL,
    table_name VARCHAR(255) NOT NULL,
    metadata_location VARCHAR(1000),
    previous_metadata_location VARCHAR(1000),
    iceberg_type VARCHAR(5),
    PRIMARY KEY (catalog_name, table_namespace, table_name));
  CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (
    catalog_name VARCHAR(255) NOT NULL,
    namespace VARCHAR(255) NOT NULL,
    property_key VARCHAR(255) NOT NULL,
    property_value VARCHAR(1000),
    PRIMARY KEY (catalog_name, namespace, property_key)))";

constexpr std::string_view kTables = "iceberg_tables";
constexpr std::string_view kNamespaceProperties = "iceberg_namespace_properties";
constexpr std::string_view kTypeColumn = "iceberg_type";
constexpr std::string_view kWarehouseTable = "berglite_warehouses";
constexpr std::string_view kDeletionTable = "berglite_deletions";
constexpr std::string_view kVersionTable = "berglite_schema_version";

using Columns = std::set<std::string, std::less<>>;

struct SharedTables {
  Columns tables;
  Columns namespace_properties;
};

// Empty where there is no such table.
Result<Columns> ReadColumns(sqlite::Connection& connection, std::string_view table) {
  sqlite::Statement statement(connection, "SELECT name FROM pragma_table_info(?1)");
  sqlite::Rows rows = statement.Query(table);
  Columns columns;
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    columns.insert(rows.Text(0));
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return columns;
}

Result<Columns> ReadSharedColumns(sqlite::Connection& connection, const std::string& path,
                                  std::string_view table,
                                  std::initializer_list<std::string_view> expected) {
  BERGLITE_ASSIGN_OR_RETURN(Columns columns, ReadColumns(connection, table));
  if (columns.empty()) return columns;
  for (std::string_view column : expected) {
    if (columns.contains(column)) continue;
    return Error{ErrorKind::kInvalidArgument, path + " is not an Iceberg catalog: its table " +
                                                  std::string(table) + " has no column " +
                                                  std::string(column)};
  }
  return columns;
}

Result<SharedTables> ReadSharedTables(sqlite::Connection& connection, const std::string& path) {
  SharedTables shared;
  BERGLITE_ASSIGN_OR_RETURN(shared.tables,
                            ReadSharedColumns(connection, path, kTables,
                                              {"catalog_name", "table_namespace", "table_name",
                                               "metadata_location", "previous_metadata_location"}));
  BERGLITE_ASSIGN_OR_RETURN(
      shared.namespace_properties,
      ReadSharedColumns(connection, path, kNamespaceProperties,
                        {"catalog_name", "namespace", "property_key", "property_value"}));
  return shared;
}

bool IsCurrent(const SharedTables& shared) {
  return shared.tables.contains(kTypeColumn) && !shared.namespace_properties.empty();
}

Result<std::vector<std::string>> ReadTableNames(sqlite::Connection& connection) {
  sqlite::Statement statement(connection,
                              "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  return sqlite::ReadTexts(statement.Query());
}

// How many migrations have been applied. Errors: kUnsupported.
Result<size_t> ReadVersion(sqlite::Connection& connection, const std::string& path) {
  BERGLITE_ASSIGN_OR_RETURN(Columns columns, ReadColumns(connection, kVersionTable));
  if (columns.empty()) return size_t{0};
  sqlite::Statement statement(connection,
                              "SELECT coalesce(max(version), 0) FROM berglite_schema_version");
  sqlite::Rows rows = statement.Query();
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  int64_t version = rows.Integer(0);
  if (version < 0 || version > static_cast<int64_t>(kMigrations.size())) {
    return Error{ErrorKind::kUnsupported,
                 path + " was written by a newer berglite: its schema version is " +
                     std::to_string(version) + ", and this berglite knows versions up to " +
                     std::to_string(kMigrations.size())};
  }
  return static_cast<size_t>(version);
}

// Adds the names found by `next`, a statement for the first name from ?1 on that is text. One
// look-up a name: DISTINCT would read every row.
Status AddNames(sqlite::Statement& next, std::set<std::string>& names) {
  std::string from;
  while (true) {
    sqlite::Rows rows = next.Query(from);
    BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
    if (!found) return {};
    std::string name = rows.Text(0);
    if (name < from) return RowsOutOfOrder();
    from = After(name);
    names.insert(std::move(name));
  }
}

Status PrepareSharedTables(sqlite::Connection& connection, const std::string& path) {
  BERGLITE_ASSIGN_OR_RETURN(
      sqlite::Transaction transaction,
      sqlite::Transaction::Begin(connection, sqlite::TransactionKind::kWrite));
  BERGLITE_RETURN_IF_ERROR(connection.Execute(kCreateTables));
  BERGLITE_ASSIGN_OR_RETURN(SharedTables shared, ReadSharedTables(connection, path));
  if (!shared.tables.contains(kTypeColumn)) {
    BERGLITE_RETURN_IF_ERROR(
        connection.Execute("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)"));
  }
  return transaction.Commit();
}

// Applies the first migration that has not been. Returns whether there may be more.
Result<bool> MigrateOnce(sqlite::Connection& connection, const std::string& path) {
  BERGLITE_ASSIGN_OR_RETURN(
      sqlite::Transaction transaction,
      sqlite::Transaction::Begin(connection, sqlite::TransactionKind::kWrite));
  // Read under the lock: another process may be migrating the file too.
  BERGLITE_ASSIGN_OR_RETURN(size_t version, ReadVersion(connection, path));
  if (version == kMigrations.size()) return false;
  BERGLITE_RETURN_IF_ERROR(connection.Execute(
      "CREATE TABLE IF NOT EXISTS berglite_schema_version (version INTEGER PRIMARY KEY)"));
  BERGLITE_RETURN_IF_ERROR(connection.Execute(kMigrations[version]));
  {
    sqlite::Statement record(connection, "INSERT INTO berglite_schema_version VALUES (?1)");
    BERGLITE_RETURN_IF_ERROR(record.Change(static_cast<int64_t>(version + 1)));
  }
  BERGLITE_RETURN_IF_ERROR(transaction.Commit());
  return true;
}

Result<std::vector<std::string>> ReadRecordedNames(sqlite::Connection& connection) {
  BERGLITE_ASSIGN_OR_RETURN(Columns columns, ReadColumns(connection, kWarehouseTable));
  if (columns.empty()) return std::vector<std::string>();
  sqlite::Statement statement(connection,
                              "SELECT catalog_name FROM berglite_warehouses ORDER BY id");
  return sqlite::ReadTexts(statement.Query());
}

}  // namespace

Result<std::vector<std::string>> ReadCatalogNames(sqlite::Connection& connection) {
  std::set<std::string> names;
  BERGLITE_ASSIGN_OR_RETURN(Columns tables, ReadColumns(connection, kTables));
  if (!tables.empty()) {
    sqlite::Statement next(connection, R"(
      SELECT catalog_name FROM iceberg_tables
      WHERE catalog_name >= ?1 AND catalog_name < x'' ORDER BY catalog_name LIMIT 1)");
    BERGLITE_RETURN_IF_ERROR(AddNames(next, names));
  }
  BERGLITE_ASSIGN_OR_RETURN(Columns properties, ReadColumns(connection, kNamespaceProperties));
  if (!properties.empty()) {
    sqlite::Statement next(connection, R"(
      SELECT catalog_name FROM iceberg_namespace_properties
      WHERE catalog_name >= ?1 AND catalog_name < x'' ORDER BY catalog_name LIMIT 1)");
    BERGLITE_RETURN_IF_ERROR(AddNames(next, names));
  }
  // One whose last table was dropped is still there for what it owes.
  BERGLITE_ASSIGN_OR_RETURN(Columns deletions, ReadColumns(connection, kDeletionTable));
  if (!deletions.empty()) {
    sqlite::Statement next(connection, R"(
      SELECT catalog_name FROM berglite_deletions
      WHERE catalog_name >= ?1 ORDER BY catalog_name LIMIT 1)");
    BERGLITE_RETURN_IF_ERROR(AddNames(next, names));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> ordered, ReadRecordedNames(connection));
  for (const std::string& name : ordered) names.erase(name);
  ordered.insert(ordered.end(), names.begin(), names.end());
  return ordered;
}

Result<FileState> InspectFile(sqlite::Connection& connection, const std::string& path) {
  BERGLITE_ASSIGN_OR_RETURN(sqlite::Transaction transaction,
                            sqlite::Transaction::Begin(connection, sqlite::TransactionKind::kRead));
  FileState state;
  BERGLITE_ASSIGN_OR_RETURN(size_t version, ReadVersion(connection, path));
  BERGLITE_ASSIGN_OR_RETURN(SharedTables shared, ReadSharedTables(connection, path));
  BERGLITE_ASSIGN_OR_RETURN(state.catalog_names, ReadCatalogNames(connection));
  state.is_catalog = version > 0 || !shared.tables.empty() || !shared.namespace_properties.empty();
  state.is_foreign = version == 0 && !shared.tables.empty();
  BERGLITE_ASSIGN_OR_RETURN(state.tables, ReadTableNames(connection));
  state.is_current = version == kMigrations.size() && IsCurrent(shared);
  // What follows may not come to be in this transaction, should it not end.
  BERGLITE_RETURN_IF_ERROR(transaction.Commit());
  return state;
}

Status PrepareFile(sqlite::Connection& connection, const std::string& path) {
  BERGLITE_RETURN_IF_ERROR(PrepareSharedTables(connection, path));
  bool more = true;
  while (more) {
    BERGLITE_ASSIGN_OR_RETURN(more, MigrateOnce(connection, path));
  }
  return {};
}

Error RowsOutOfOrder() {
  return Error{ErrorKind::kInternal,
               "The catalog file is damaged, or not in UTF-8: its rows are out of order"};
}

Status WriteBarrier(sqlite::Connection& connection) {
  return connection.Execute(R"(
    INSERT OR REPLACE INTO berglite_commit_barrier (id, writes)
    VALUES (1, coalesce((SELECT writes FROM berglite_commit_barrier WHERE id = 1), 0) + 1))");
}

}  // namespace berglite::store
