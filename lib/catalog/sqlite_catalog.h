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
#include "lib/catalog/idempotency.h"
#include "lib/catalog/metadata_reader.h"
#include "lib/catalog/metrics_buffer.h"
#include "lib/catalog/relocated_files.h"
#include "lib/catalog/sweeper.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

class SqliteCatalog final : public Catalog {
 public:
  // Of `options` only those are heeded that the other arguments do not settle.
  SqliteCatalog(std::unique_ptr<store::Store> store, std::shared_ptr<FileIO> file_io,
                std::string warehouse, const CatalogOptions& options)
      : store_(std::move(store)),
        file_io_(std::move(file_io)),
        warehouse_(std::move(warehouse)),
        table_properties_(options.table_properties),
        view_properties_(options.view_properties),
        environment_(options.environment ? *options.environment : SystemEnvironment()),
        tables_(store::EntryKind::kTable, *store_, *file_io_, limits::kMetadataCacheBytesMax),
        views_(store::EntryKind::kView, *store_, *file_io_, limits::kViewCacheBytesMax),
        committer_(*store_, *file_io_),
        idempotency_(*store_, environment_),
        metrics_(*store_),
        sweeper_(*store_, *file_io_, tables_, environment_) {}

  // Takes up what an earlier process left to be removed.
  void ResumePurges() { sweeper_.Resume(); }

  const std::string& name() const override { return store_->catalog_name(); }
  const std::string& warehouse() const override { return warehouse_; }
  Status CheckWritable() override;
  Counters ReadCounters() override;

  Result<Document> ListNamespaces(const Namespace& parent, const ListOptions& options) override;
  Result<Document> CreateNamespace(const Document& request,
                                   const MutationOptions& options) override;
  Result<Document> LoadNamespaceMetadata(const Namespace& name_space) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Status DropNamespace(const Namespace& name_space, const MutationOptions& options) override;
  Result<Document> UpdateProperties(const Namespace& name_space, const Document& request,
                                    const MutationOptions& options) override;

  Result<Document> ListTables(const Namespace& name_space, const ListOptions& options) override;
  Result<LoadedTable> CreateTable(const Namespace& name_space, const Document& request,
                                  const MutationOptions& options) override;
  Result<LoadedTable> RegisterTable(const Namespace& name_space, const Document& request,
                                    const MutationOptions& options) override;
  Result<LoadedTable> LoadTable(const TableIdentifier& table,
                                const LoadTableOptions& options) override;
  Result<bool> TableExists(const TableIdentifier& table) override;
  Result<LoadedTable> UpdateTable(const TableIdentifier& table, const Document& request,
                                  const MutationOptions& options) override;
  Status DropTable(const TableIdentifier& table, const DropTableOptions& drop,
                   const MutationOptions& options) override;
  PurgeTotals FinishPurges() override { return sweeper_.Finish(); }
  Result<Document> UnregisterTable(const TableIdentifier& table,
                                   const MutationOptions& options) override;
  Result<Document> LoadCredentials(const TableIdentifier& table) override;
  Status RenameTable(const Document& request, const MutationOptions& options) override;
  Status CommitTransaction(const Document& request, const MutationOptions& options) override;
  Status ReportMetrics(const TableIdentifier& table, const Document& request) override;
  Result<std::vector<MetricsReport>> ListMetrics(const TableIdentifier& table) override;

  Result<Document> ListViews(const Namespace& name_space, const ListOptions& options) override;
  Result<Document> CreateView(const Namespace& name_space, const Document& request,
                              const MutationOptions& options) override;
  Result<Document> RegisterView(const Namespace& name_space, const Document& request,
                                const MutationOptions& options) override;
  Result<Document> LoadView(const TableIdentifier& view) override;
  Result<bool> ViewExists(const TableIdentifier& view) override;
  Result<Document> ReplaceView(const TableIdentifier& view, const Document& request,
                               const MutationOptions& options) override;
  Status DropView(const TableIdentifier& view, const MutationOptions& options) override;
  Status RenameView(const Document& request, const MutationOptions& options) override;

  Result<Document> ListFunctions(const Namespace& name_space, const ListOptions& options) override;
  Result<Document> LoadFunction(const TableIdentifier& function) override;
  Result<Document> RegisterFunction(const TableIdentifier& function,
                                    const std::string& metadata_location,
                                    const RegisterFunctionOptions& options) override;
  Status DropFunction(const TableIdentifier& function) override;

  Result<CheckReport> Check(const CheckOptions& options) override;
  Result<OrphanFilesReport> FindOrphanFiles(const OrphanFilesOptions& options) override;
  Result<OrphanFilesReport> RemoveOrphanFiles(const OrphanFilesOptions& options) override;
  Result<RelocationReport> PlanRelocation(const RelocationOptions& options) override;
  Result<RelocationReport> Relocate(const RelocationOptions& options) override;
  Status Backup(const std::string& path, const BackupOptions& options) override;

 private:
  // What a name in a namespace stands for now, and where new ones of the namespace go.
  struct Place {
    std::optional<store::Properties> namespace_properties;
    std::optional<store::Entry> entry;
  };

  // The two lists of a commit request, which must outlive this.
  struct CommitParts {
    const Json* requirements;
    const Json* updates;
  };
  // What a registration request asks for.
  struct Registration {
    TableIdentifier name;
    std::string location;
  };

  Document NamespaceResponse(const Namespace& name_space,
                             const store::Properties& properties) const;
  std::string DefaultNamespaceLocation(const Namespace& name_space) const;

  Result<Place> FindPlace(const TableIdentifier& name);
  Result<std::string> NewLocation(const TableIdentifier& name, const Json& request,
                                  const store::Properties& namespace_properties);
  static Result<Registration> ReadRegistration(store::EntryKind kind, const Namespace& name_space,
                                               const Document& request);
  static Result<CommitParts> ReadCommit(const Json& request);
  Status CheckConfined(const std::string& metadata_location) const;
  Result<Document> ListEntries(store::EntryKind kind, const Namespace& name_space,
                               const ListOptions& options);
  Result<bool> EntryExists(store::EntryKind kind, const TableIdentifier& name);
  // What becomes of the files of a dropped table. Those of a view always stay.
  enum class Files { kKeep, kPurge };
  Status DropEntry(store::EntryKind kind, const TableIdentifier& name, Files files,
                   const MutationOptions& options);
  Status OwePurge(store::Writer& writer, const std::string& metadata_location);
  Status RenameEntry(store::EntryKind kind, const Document& request,
                     const MutationOptions& options);

  Result<Document> ReadFunction(const std::string& location);
  Result<RelocationReport> RunRelocation(const RelocationOptions& options,
                                         RelocatedFiles::Mode mode);

  void MakeTableDirectories(const metadata::TableMetadata& metadata);
  // What a plan needs of the metadata that a commit is based on.
  struct TableBase {
    std::string metadata_location;
    std::string location;
    std::vector<std::string> logged_files;
  };
  // `base` is null for a new table.
  Plan PlanTable(const TableBase* base, metadata::TableMetadata next);
  Result<Change> ParseChange(const TableIdentifier& table, const Json& request);
  Result<Plan> PlanUpdate(const TableIdentifier& table, const CommitParts& parts,
                          const store::Entry* entry);

  Plan PlanView(const metadata::ViewMetadata* base, const std::string& base_location,
                metadata::ViewMetadata next);
  Result<Plan> PlanReplace(const TableIdentifier& view, const CommitParts& parts,
                           const store::Entry* entry);

  std::unique_ptr<store::Store> store_;
  std::shared_ptr<FileIO> file_io_;
  const std::string warehouse_;
  const NewProperties table_properties_;
  const NewProperties view_properties_;
  Environment& environment_;
  MetadataReader<metadata::TableMetadata> tables_;
  MetadataReader<metadata::ViewMetadata> views_;
  Committer committer_;
  Idempotency idempotency_;
  MetricsBuffer metrics_;
  Sweeper sweeper_;  // the last member: its thread ends before the others do
};

}  // namespace berglite::catalog
