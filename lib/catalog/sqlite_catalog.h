// SqliteCatalog: the Catalog on a catalog file. The operations stand in the files named after what
// they work on; this is what they share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berglite/catalog.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "lib/catalog/commit.h"
#include "lib/catalog/metadata_cache.h"
#include "lib/catalog/sweeper.h"
#include "lib/metadata/table_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

class SqliteCatalog final : public Catalog {
 public:
  SqliteCatalog(std::unique_ptr<store::Store> store, std::shared_ptr<FileIO> file_io,
                std::string warehouse, Environment& environment)
      : store_(std::move(store)),
        file_io_(std::move(file_io)),
        warehouse_(std::move(warehouse)),
        environment_(environment),
        cache_(limits::kMetadataCacheBytesMax),
        committer_(*store_, *file_io_, cache_, environment),
        sweeper_(*store_, *file_io_, environment) {
    sweeper_.Resume();
  }

  const std::string& name() const override { return store_->catalog_name(); }
  const std::string& warehouse() const override { return warehouse_; }

  Result<Document> ListNamespaces(const Namespace& parent, const ListOptions& options) override;
  Result<Document> CreateNamespace(const Document& request) override;
  Result<Document> LoadNamespaceMetadata(const Namespace& name_space) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Status DropNamespace(const Namespace& name_space) override;
  Result<Document> UpdateProperties(const Namespace& name_space, const Document& request) override;

  Result<Document> ListTables(const Namespace& name_space, const ListOptions& options) override;
  Result<LoadedTable> CreateTable(const Namespace& name_space, const Document& request) override;
  Result<LoadedTable> RegisterTable(const Namespace& name_space, const Document& request) override;
  Result<LoadedTable> LoadTable(const TableIdentifier& table,
                                const LoadTableOptions& options) override;
  Result<bool> TableExists(const TableIdentifier& table) override;
  Result<LoadedTable> UpdateTable(const TableIdentifier& table, const Document& request) override;
  Status DropTable(const TableIdentifier& table, const DropTableOptions& options) override;
  PurgeTotals FinishPurges() override { return sweeper_.Finish(); }
  Status RenameTable(const Document& request) override;
  Status CommitTransaction(const Document& request) override;
  Status ReportMetrics(const TableIdentifier& table, const Document& request) override;

 private:
  // What a name in a namespace stands for now, and where new tables of the namespace go.
  struct Place {
    std::optional<store::Properties> namespace_properties;
    std::optional<store::Entry> entry;
  };

  Document NamespaceResponse(const Namespace& name_space,
                             const store::Properties& properties) const;
  std::string DefaultNamespaceLocation(const Namespace& name_space) const;
  Result<Place> FindPlace(const TableIdentifier& table);
  Result<std::string> NewTableLocation(const TableIdentifier& table, const Json& request,
                                       const store::Properties& namespace_properties);
  void MakeTableDirectories(const metadata::TableMetadata& metadata);
  Result<TableChange> ParseChange(const TableIdentifier& table, const Json& request);
  Result<Plan> PlanUpdate(const TableIdentifier& table, const Json& requirements,
                          const Json& updates, const store::Entry* entry);

  std::unique_ptr<store::Store> store_;
  std::shared_ptr<FileIO> file_io_;
  const std::string warehouse_;
  Environment& environment_;
  MetadataCache cache_;
  Committer committer_;
  Sweeper sweeper_;  // the last member: its thread ends before the others do
};

}  // namespace berglite::catalog
