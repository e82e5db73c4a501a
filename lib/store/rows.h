// CatalogRows: every statement on the shared tables, for the rows of one catalog at a time.
//
// Names are compared byte by byte, and prefixes as ranges of the primary key: LIKE would take
// upper for lower case and `_` for any character. No statement reads more of a table than the rows
// it is about, and those in the order of the primary key.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "lib/sqlite/statement.h"
#include "lib/store/deletion_rows.h"
#include "lib/store/function_rows.h"
#include "lib/store/inventory.h"
#include "lib/store/key_rows.h"
#include "lib/store/metrics_rows.h"
#include "lib/store/namespace_text.h"
#include "lib/store/principal_rows.h"
#include "lib/store/store.h"
#include "lib/store/warehouse_rows.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class CatalogRows final : public Writer {
 public:
  CatalogRows(sqlite::Connection& connection, std::string catalog_name)
      : connection_(connection), catalog_name_(std::move(catalog_name)) {}

  // Which catalog the next calls are about.
  void SelectCatalog(const std::string& catalog_name) { catalog_name_ = catalog_name; }

  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Result<std::optional<Properties>> FindNamespace(const Namespace& name_space) override;
  Result<NamespaceContents> CountContents(const Namespace& name_space) override;
  Result<std::vector<std::string>> ListChildren(const Namespace& parent,
                                                const std::optional<std::string>& after,
                                                size_t limit) override;
  Result<std::vector<std::string>> ListEntries(const Namespace& name_space, EntryKind kind,
                                               const std::optional<std::string>& after,
                                               size_t limit) override;
  Result<bool> IsPointedAt(const std::string& metadata_location) override;
  Result<std::optional<Entry>> FindEntry(const EntryKey& key) override;
  Status VisitPointers(
      const std::function<Status(PointerKind, const std::string&)>& visit) override;
  Result<std::vector<OwedDeletion>> ListOwedDeletions(int64_t now_ms, size_t limit) override {
    return deletions_.ListOwedDeletions(now_ms, limit);
  }
  Result<bool> IsDeletionOwed(const std::string& metadata_location,
                              const std::string& table_uuid) override {
    return deletions_.IsDeletionOwed(metadata_location, table_uuid);
  }
  Result<std::vector<std::string>> ListOwingCatalogs() override {
    return deletions_.ListOwingCatalogs();
  }
  Result<int64_t> CountOwedDeletions() override { return deletions_.CountOwedDeletions(); }
  Result<std::optional<std::string>> FindFunction(const EntryKey& key) override {
    return functions_.Find(key);
  }
  Result<std::vector<std::string>> ListFunctions(const Namespace& name_space,
                                                 const std::optional<std::string>& after,
                                                 size_t limit) override {
    return functions_.List(name_space, after, limit);
  }
  Result<Inventory> TakeInventory() override {
    return store::TakeInventory(connection_, catalog_name_);
  }
  Result<FileReport> InspectDatabase() override { return store::InspectDatabase(connection_); }
  Result<std::vector<CatalogRecord>> ListCatalogs() override { return warehouses_.List(); }
  Result<std::vector<MetricsRecord>> ListMetrics(const EntryKey& table) override {
    return metrics_.List(table);
  }
  Result<std::optional<KeyRecord>> FindKeyRecord(const std::string& key, int64_t now_ms) override {
    return keys_.Find(key, now_ms);
  }
  Result<std::optional<PrincipalRecord>> FindPrincipal(const std::string& name) override {
    return principals_.Find(name);
  }
  Result<std::vector<PrincipalRecord>> ListPrincipals() override { return principals_.List(); }
  Result<std::optional<std::string>> FindSigningKey() override {
    return principals_.FindSigningKey();
  }

  Status InsertNamespace(const Namespace& name_space, const Properties& properties) override;
  Status SetNamespaceProperties(const Namespace& name_space, const Properties& updates,
                                const std::vector<std::string>& removals) override;
  Status DeleteNamespace(const Namespace& name_space) override;
  Result<bool> InsertEntry(const EntryKey& key, const Entry& entry) override;
  Result<bool> MovePointer(const EntryKey& key, EntryKind kind, const std::string& from,
                           const std::string& to) override;
  Result<bool> DeleteEntry(const EntryKey& key, EntryKind kind) override;
  Result<bool> RenameEntry(const EntryKey& from, const EntryKey& to, EntryKind kind) override;
  Status OweDeletion(const std::string& metadata_location, const std::string& table_uuid,
                     int64_t due_ms) override {
    return deletions_.OweDeletion(metadata_location, table_uuid, due_ms);
  }
  Status PostponeDeletion(int64_t id, int64_t due_ms, const std::string& obstacle) override {
    return deletions_.PostponeDeletion(id, due_ms, obstacle);
  }
  Status SettleDeletion(int64_t id) override { return deletions_.SettleDeletion(id); }
  Status Touch() override;
  Status PutFunction(const EntryKey& key, const std::string& metadata_location) override;
  Result<bool> DeleteFunction(const EntryKey& key) override { return functions_.Delete(key); }
  Status RecordCatalog(const CatalogRecord& record) override { return warehouses_.Record(record); }
  Status MoveWarehouse(const CatalogRecord& record) override { return warehouses_.Move(record); }
  Status AddMetrics(const std::vector<MetricsRecord>& reports) override {
    return metrics_.Add(reports);
  }
  Result<bool> InsertKeyRecord(const std::string& key, const KeyRecord& record,
                               int64_t now_ms) override {
    return keys_.Insert(key, record, now_ms);
  }
  Result<bool> InsertPrincipal(const PrincipalRecord& record) override {
    return principals_.Insert(record);
  }
  Result<bool> SetPrincipalSecret(const std::string& name, const std::string& secret_hash,
                                  const std::string& generation) override {
    return principals_.SetSecret(name, secret_hash, generation);
  }
  Result<bool> DeletePrincipal(const std::string& name) override {
    return principals_.Delete(name);
  }
  Status InsertSigningKey(const std::string& key) override {
    return principals_.InsertSigningKey(key);
  }

 private:
  // The first namespace text of the range that occurs in either table.
  Result<std::optional<std::string>> Seek(const TextRange& range);
  // The first child of `parent` after `after` that has a plain text or a descendant with one.
  Result<std::optional<std::string>> NextPlainChild(const Namespace& parent,
                                                    const std::optional<std::string>& after);
  // Of the children that `child` begins with, the first one after `after` that exists; or `child`.
  Result<std::string> ShortestChild(const std::string& prefix, const std::string& child,
                                    const std::optional<std::string>& after);
  // All children of `parent` after `after` that occur in encoded texts.
  Result<std::set<std::string>> EncodedChildren(const Namespace& parent,
                                                const std::optional<std::string>& after);
  // Gives the namespace and each parent the row that tells other catalogs that it exists.
  Status MarkNamespace(const Namespace& name_space);
  Status PutProperties(const std::string& namespace_text, const Properties& properties);

  sqlite::Connection& connection_;
  std::string catalog_name_;
  DeletionRows deletions_{connection_, catalog_name_};
  FunctionRows functions_{connection_, catalog_name_};
  KeyRows keys_{connection_, catalog_name_};
  MetricsRows metrics_{connection_, catalog_name_};
  PrincipalRows principals_{connection_};
  WarehouseRows warehouses_{connection_};

  sqlite::Statement seek_{connection_, R"(
    SELECT min(namespace_text) FROM (
      SELECT (SELECT namespace FROM iceberg_namespace_properties
              WHERE catalog_name = ?1 AND namespace >= ?2 AND namespace < ?3
              ORDER BY namespace LIMIT 1) AS namespace_text
      UNION ALL
      SELECT (SELECT table_namespace FROM iceberg_tables
              WHERE catalog_name = ?1 AND table_namespace >= ?2 AND table_namespace < ?3
              ORDER BY table_namespace LIMIT 1)))"};
  sqlite::Statement properties_{connection_, R"(
    SELECT property_key, property_value FROM iceberg_namespace_properties
    WHERE catalog_name = ?1 AND namespace = ?2)"};
  // A row without a kind is a table: it was written before there were views.
  sqlite::Statement count_entries_{connection_, R"(
    SELECT count(*) - count(*) FILTER (WHERE iceberg_type = 'VIEW'),
           count(*) FILTER (WHERE iceberg_type = 'VIEW')
    FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2)"};
  // A name that is a blob comes after all texts, so that no page token leads past it: it is none.
  sqlite::Statement list_entries_{connection_, R"(
    SELECT table_name FROM iceberg_tables
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name >= ?4 AND table_name < x''
      AND coalesce(iceberg_type, 'TABLE') = ?3
    ORDER BY table_name LIMIT ?5)"};
  sqlite::Statement is_pointed_at_{connection_, R"(
    SELECT EXISTS (SELECT 1 FROM iceberg_tables WHERE metadata_location = ?1)
        OR EXISTS (SELECT 1 FROM berglite_functions WHERE metadata_location = ?1)
        OR EXISTS (SELECT 1 FROM berglite_deletions WHERE metadata_location = ?1))"};

  sqlite::Statement find_entry_{connection_, R"(
    SELECT coalesce(iceberg_type, 'TABLE'), metadata_location FROM iceberg_tables
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3)"};

  sqlite::Statement mark_namespace_{connection_, R"(
    INSERT INTO iceberg_namespace_properties
      (catalog_name, namespace, property_key, property_value)
    VALUES (?1, ?2, 'exists', 'true') ON CONFLICT DO NOTHING)"};
  sqlite::Statement put_property_{connection_, R"(
    INSERT OR REPLACE INTO iceberg_namespace_properties
      (catalog_name, namespace, property_key, property_value)
    VALUES (?1, ?2, ?3, ?4))"};
  sqlite::Statement delete_property_{connection_, R"(
    DELETE FROM iceberg_namespace_properties
    WHERE catalog_name = ?1 AND namespace = ?2 AND property_key = ?3)"};
  sqlite::Statement delete_namespace_{connection_, R"(
    DELETE FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2)"};

  sqlite::Statement insert_entry_{connection_, R"(
    INSERT INTO iceberg_tables
      (catalog_name, table_namespace, table_name, metadata_location,
       previous_metadata_location, iceberg_type)
    VALUES (?1, ?2, ?3, ?5, NULL, ?4) ON CONFLICT DO NOTHING)"};
  // Writes the kind too, so that a row of an old catalog has one from its next commit on.
  sqlite::Statement move_pointer_{connection_, R"(
    UPDATE iceberg_tables
    SET metadata_location = ?6, previous_metadata_location = ?5, iceberg_type = ?4
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3
      AND metadata_location = ?5 AND coalesce(iceberg_type, 'TABLE') = ?4)"};
  sqlite::Statement delete_entry_{connection_, R"(
    DELETE FROM iceberg_tables
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3
      AND coalesce(iceberg_type, 'TABLE') = ?4)"};
  sqlite::Statement rename_entry_{connection_, R"(
    UPDATE iceberg_tables SET table_namespace = ?5, table_name = ?6
    WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3
      AND coalesce(iceberg_type, 'TABLE') = ?4)"};

  // Of all catalogs in the file, as what one of them drops must not be what another has.
  sqlite::Statement visit_pointers_{connection_, R"(
    SELECT coalesce(iceberg_type, 'TABLE') NOT IN ('TABLE', 'VIEW'), metadata_location
    FROM iceberg_tables WHERE metadata_location <> ''
    UNION ALL SELECT 0, metadata_location FROM berglite_functions
    UNION ALL SELECT 2, metadata_location FROM berglite_deletions)"};
};

}  // namespace berglite::store
