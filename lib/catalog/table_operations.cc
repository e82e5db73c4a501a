// The operations on tables, but for commits.
#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/new_properties.h"

namespace berglite::catalog {

using metadata::TableMetadata;
using store::Entry;
using store::EntryKind;

Result<Document> SqliteCatalog::ListTables(const Namespace& name_space,
                                           const ListOptions& options) {
  return ListEntries(EntryKind::kTable, name_space, options);
}

// The plan that puts `next` in place of `base`; null where there is none.
Plan SqliteCatalog::PlanTable(const TableBase* base, TableMetadata next) {
  const std::string base_location = base == nullptr ? "" : base->metadata_location;
  std::string location = metadata::NewMetadataLocation(next, base_location, environment_);
  Plan plan{.step = Plan::Step::kWrite, .next = {location, next.document()}};
  if (base == nullptr || base->location != next.location()) plan.new_home = next.location();
  if (base != nullptr)
    plan.superseded = metadata::SupersededMetadataFiles(base->logged_files, next);
  plan.on_committed = [this, location, base_location, next = std::move(next)] {
    tables_.Remember(location, next, base_location);
  };
  return plan;
}

// Some clients write into these without making them (DuckDB, iceberg-cpp). A failure here is not
// the table's: the client that cannot write its data will say so.
void SqliteCatalog::MakeTableDirectories(const TableMetadata& metadata) {
  (void)file_io_->CreateDirectory(metadata::MetadataDirectory(metadata)).has_value();
  (void)file_io_->CreateDirectory(metadata.location() + "/data").has_value();
}

Result<LoadedTable> SqliteCatalog::CreateTable(const Namespace& name_space, const Document& request,
                                               const MutationOptions& options) {
  const Json& json = DocumentAccess::Dom(request);
  const Request call{
      .options = options, .operation = "createTable", .name_space = &name_space, .body = &request};
  // The answer for a staged table is kept whole: it is stored nowhere else.
  auto replay = [&](const std::string& answer) -> Result<LoadedTable> {
    if (answer.starts_with('{')) return LoadedTable{DocumentAccess::FromTrustedText(answer), ""};
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier table, ParseNewName(name_space, json));
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, tables_.Recall(table, answer));
    return ToLoadedTable(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<LoadedTable> {
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier table, ParseNewName(name_space, json));
    BERGLITE_ASSIGN_OR_RETURN(std::optional<bool> staged, FindBool(json, "stage-create"));
    BERGLITE_ASSIGN_OR_RETURN(Place place, FindPlace(table));
    if (place.entry) return NameIsTaken(EntryKind::kTable, table, *place.entry);
    if (!place.namespace_properties) return NoNamespaceFor(EntryKind::kTable, table);
    BERGLITE_ASSIGN_OR_RETURN(std::string location,
                              NewLocation(table, json, *place.namespace_properties));
    BERGLITE_ASSIGN_OR_RETURN(
        TableMetadata created,
        metadata::NewTableMetadata(metadata::WithNewProperties(json, table_properties_), location,
                                   environment_));
    if (staged.value_or(false)) {
      BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(metadata::MetadataDirectory(created)));
      MakeTableDirectories(created);
      LoadedTable answer{LoadResult(nullptr, created.document()), ""};
      mutation.SetAnswer(answer.body->text());
      return answer;
    }
    auto plan = [&](const Entry* entry) -> Result<Plan> {
      if (entry != nullptr) return NameIsTaken(EntryKind::kTable, table, *entry);
      return PlanTable(nullptr, created);
    };
    BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredMetadata> tables,
                              committer_.Commit({{EntryKind::kTable, table, plan}}, mutation));
    MakeTableDirectories(created);
    return ToLoadedTable(tables.front());
  });
}

Result<LoadedTable> SqliteCatalog::RegisterTable(const Namespace& name_space,
                                                 const Document& request,
                                                 const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = "registerTable",
                     .name_space = &name_space,
                     .body = &request};
  auto replay = [&](const std::string& location) -> Result<LoadedTable> {
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier table,
                              ParseNewName(name_space, DocumentAccess::Dom(request)));
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, tables_.Recall(table, location));
    return ToLoadedTable(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<LoadedTable> {
    BERGLITE_ASSIGN_OR_RETURN(Registration registration,
                              ReadRegistration(EntryKind::kTable, name_space, request));
    const TableIdentifier& table = registration.name;
    const std::string& location = registration.location;
    BERGLITE_ASSIGN_OR_RETURN(std::optional<bool> overwrite,
                              FindBool(DocumentAccess::Dom(request), "overwrite"));
    auto plan = [&](const Entry* entry) -> Result<Plan> {
      bool replaces = overwrite.value_or(false) && entry && entry->kind == EntryKind::kTable;
      if (entry != nullptr && !replaces) return NameIsTaken(EntryKind::kTable, table, *entry);
      BERGLITE_RETURN_IF_ERROR(CheckConfined(location));
      BERGLITE_ASSIGN_OR_RETURN(TableMetadata registered, tables_.ReadAfresh(location));
      bool is_there = replaces && entry->metadata_location == location;
      return Plan{.step = is_there ? Plan::Step::kKeep : Plan::Step::kPoint,
                  .next = {location, registered.document()},
                  .table_uuid = registered.uuid()};
    };
    BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredMetadata> tables,
                              committer_.Commit({{EntryKind::kTable, table, plan}}, mutation));
    return ToLoadedTable(tables.front());
  });
}

Result<LoadedTable> SqliteCatalog::LoadTable(const TableIdentifier& table,
                                             const LoadTableOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  auto loaded = tables_.Load(table);
  if (!loaded) return std::move(loaded).error();
  if (!*loaded) return NoSuchEntry(EntryKind::kTable, table);
  const auto& stored = **loaded;
  std::string etag = ETagOf(stored.location, options.snapshots);
  if (NamesETag(options.if_none_match, etag)) return LoadedTable{std::nullopt, std::move(etag)};
  Document document = options.snapshots == SnapshotMode::kAll
                          ? stored.metadata.document()
                          : metadata::WithReferencedSnapshotsOnly(stored.metadata);
  return LoadedTable{LoadResult(&stored.location, document), std::move(etag)};
}

Result<bool> SqliteCatalog::TableExists(const TableIdentifier& table) {
  return EntryExists(EntryKind::kTable, table);
}

Status SqliteCatalog::DropTable(const TableIdentifier& table, const DropTableOptions& drop,
                                const MutationOptions& options) {
  const Files files = drop.purge_requested ? Files::kPurge : Files::kKeep;
  BERGLITE_RETURN_IF_ERROR(DropEntry(EntryKind::kTable, table, files, options));
  if (files == Files::kPurge) sweeper_.Wait(sweeper_.Request(), limits::kPurgeWaitMs);
  return {};
}

Status SqliteCatalog::RenameTable(const Document& request, const MutationOptions& options) {
  return RenameEntry(EntryKind::kTable, request, options);
}

}  // namespace berglite::catalog
