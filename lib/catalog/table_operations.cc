// The operations on tables, but for commits.
#include "lib/base/uuid.h"
#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/page.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"

namespace berglite::catalog {

using metadata::TableMetadata;
using store::Entry;
using store::EntryKind;
using store::Properties;
using store::Reader;
using store::Writer;

namespace {

// A damaged file is no fault of the one who only asks for it.
Error WhileReading(Error error) {
  if (error.kind == ErrorKind::kValidation) error.kind = ErrorKind::kInternal;
  return error;
}

// The checks of a rename, in the order of Iceberg's own catalogs.
Status CheckRename(Reader& reader, const TableIdentifier& from, const TableIdentifier& to) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> source, reader.FindEntry(KeyOf(from)));
  if (!source || source->kind != EntryKind::kTable) return NoSuchTable(from);
  if (KeyOf(from) == KeyOf(to)) return {};
  BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(to.name_space));
  if (!exists) return NoSuchNamespace(to.name_space);
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> taken, reader.FindEntry(KeyOf(to)));
  if (!taken) return {};
  if (taken->kind == EntryKind::kTable) return NameIsTaken(to, *taken);
  return Error{ErrorKind::kAlreadyExists,
               "Cannot rename " + ToString(from) + " to " + ToString(to) + ". View already exists"};
}

}  // namespace

Result<Document> SqliteCatalog::ListTables(const Namespace& name_space,
                                           const ListOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, ParsePage(options));
  std::vector<std::string> names;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
    if (!exists) return NoSuchNamespace(name_space);
    BERGLITE_ASSIGN_OR_RETURN(
        names, reader.ListEntries(name_space, EntryKind::kTable, page.after, page.fetch_size()));
    return {};
  }));
  std::optional<std::string> next = CutToPage(page, names);
  // Composed as text: a list of a million names would be a DOM of some hundred megabytes.
  std::string levels = Json(name_space).dump();
  std::string text = "{\"identifiers\":[";
  for (const std::string& name : names) {
    if (text.back() == '}') text += ',';
    text += "{\"namespace\":" + levels + ",\"name\":";
    AppendJsonString(text, name);
    text += '}';
  }
  text += "],\"next-page-token\":" + NextPageToken(next).dump() + "}";
  return DocumentAccess::FromTrustedText(std::move(text));
}

Result<SqliteCatalog::Place> SqliteCatalog::FindPlace(const TableIdentifier& table) {
  Place place;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(place.namespace_properties, reader.FindNamespace(table.name_space));
    BERGLITE_ASSIGN_OR_RETURN(place.entry, reader.FindEntry(KeyOf(table)));
    return {};
  }));
  return place;
}

// The requested location, or a directory below that of the namespace. A directory that an earlier
// table of that name has left behind is not shared: somebody might purge one of the two.
Result<std::string> SqliteCatalog::NewTableLocation(const TableIdentifier& table,
                                                    const Json& request,
                                                    const Properties& namespace_properties) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> requested, FindString(request, "location"));
  std::string location = requested.value_or("");
  if (location.empty()) {
    auto base = namespace_properties.find(kLocationProperty);
    location = base != namespace_properties.end() && !base->second.empty()
                   ? base->second
                   : DefaultNamespaceLocation(table.name_space);
    while (location.ends_with('/')) location.pop_back();
    location += "/" + PathSegment(table.name);
    BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(location));
    BERGLITE_ASSIGN_OR_RETURN(bool taken, file_io_->Exists(location));
    if (taken) location += "-" + NewUuid(environment_);
    return location;
  }
  BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(location));
  return location;
}

// Some clients write into these without making them (DuckDB, iceberg-cpp). A failure here is not
// the table's: the client that cannot write its data will say so.
void SqliteCatalog::MakeTableDirectories(const TableMetadata& metadata) {
  (void)file_io_->CreateDirectory(metadata::MetadataDirectory(metadata)).has_value();
  (void)file_io_->CreateDirectory(metadata.location() + "/data").has_value();
}

Result<LoadedTable> SqliteCatalog::CreateTable(const Namespace& name_space,
                                               const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  TableIdentifier table{name_space, {}};
  BERGLITE_ASSIGN_OR_RETURN(table.name, GetString(json, "name"));
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<bool> staged, FindBool(json, "stage-create"));
  BERGLITE_ASSIGN_OR_RETURN(Place place, FindPlace(table));
  if (place.entry) return NameIsTaken(table, *place.entry);
  if (!place.namespace_properties) {
    return Error{ErrorKind::kNoSuchNamespace,
                 "Cannot create table " + ToString(table) +
                     ". Namespace does not exist: " + ToString(name_space)};
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string location,
                            NewTableLocation(table, json, *place.namespace_properties));
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata created,
                            metadata::NewTableMetadata(json, location, environment_));
  if (staged.value_or(false)) {
    BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(metadata::MetadataDirectory(created)));
    MakeTableDirectories(created);
    return LoadedTable{LoadTableResult(nullptr, created.document()), ""};
  }
  auto plan = [&](const Entry* entry) -> Result<Plan> {
    if (entry != nullptr) return NameIsTaken(table, *entry);
    return Plan{.base = std::nullopt, .next = created, .stored_at = ""};
  };
  BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredTable> tables, committer_.Commit({{table, plan}}));
  MakeTableDirectories(created);
  return ToLoadedTable(tables.front());
}

Result<LoadedTable> SqliteCatalog::RegisterTable(const Namespace& name_space,
                                                 const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  TableIdentifier table{name_space, {}};
  BERGLITE_ASSIGN_OR_RETURN(table.name, GetString(json, "name"));
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  BERGLITE_ASSIGN_OR_RETURN(std::string location, GetString(json, "metadata-location"));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<bool> overwrite, FindBool(json, "overwrite"));
  if (location.empty()) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot register an empty metadata file location as a table"};
  }
  auto plan = [&](const Entry* entry) -> Result<Plan> {
    bool replaces = overwrite.value_or(false) && entry && entry->kind == EntryKind::kTable;
    if (entry != nullptr && !replaces) return NameIsTaken(table, *entry);
    // Reading is confined to where the catalog may write: a client must not learn of other files.
    BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(location.substr(0, location.rfind('/'))));
    BERGLITE_ASSIGN_OR_RETURN(TableMetadata registered, committer_.ReadMetadata(location));
    if (replaces && entry->metadata_location == location) {
      return Plan{.base = std::move(registered), .next = std::nullopt, .stored_at = ""};
    }
    return Plan{.base = std::nullopt, .next = std::move(registered), .stored_at = location};
  };
  BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredTable> tables, committer_.Commit({{table, plan}}));
  return ToLoadedTable(tables.front());
}

Result<LoadedTable> SqliteCatalog::LoadTable(const TableIdentifier& table,
                                             const LoadTableOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  Result<std::optional<StoredTable>> loaded = committer_.Load(table);
  if (!loaded) return WhileReading(std::move(loaded).error());
  if (!*loaded) return NoSuchTable(table);
  const StoredTable& stored = **loaded;
  std::string etag = ETagOf(stored.location, options.snapshots);
  if (NamesETag(options.if_none_match, etag)) return LoadedTable{std::nullopt, std::move(etag)};
  Document document = options.snapshots == SnapshotMode::kAll
                          ? stored.metadata.document()
                          : metadata::WithReferencedSnapshotsOnly(stored.metadata);
  return LoadedTable{LoadTableResult(&stored.location, document), std::move(etag)};
}

Result<bool> SqliteCatalog::TableExists(const TableIdentifier& table) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  std::optional<Entry> entry;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(entry, reader.FindEntry(KeyOf(table)));
    return {};
  }));
  return entry && entry->kind == EntryKind::kTable;
}

Status SqliteCatalog::DropTable(const TableIdentifier& table, const DropTableOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  BERGLITE_RETURN_IF_ERROR(store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(KeyOf(table)));
        BERGLITE_ASSIGN_OR_RETURN(bool deleted,
                                  writer.DeleteEntry(KeyOf(table), EntryKind::kTable));
        if (!deleted) return NoSuchTable(table);
        if (!options.purge_requested) return {};
        return writer.OweDeletion(entry->metadata_location, environment_.NowMs());
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(table)));
        return !entry;
      }));
  if (options.purge_requested) sweeper_.Wait(sweeper_.Request(), limits::kPurgeWaitMs);
  return {};
}

Status SqliteCatalog::RenameTable(const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  BERGLITE_ASSIGN_OR_RETURN(const Json* source, GetObject(json, "source"));
  BERGLITE_ASSIGN_OR_RETURN(const Json* destination, GetObject(json, "destination"));
  BERGLITE_ASSIGN_OR_RETURN(TableIdentifier from, ParseTableIdentifier(*source));
  BERGLITE_ASSIGN_OR_RETURN(TableIdentifier to, ParseTableIdentifier(*destination));
  return store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_RETURN_IF_ERROR(CheckRename(writer, from, to));
        if (KeyOf(from) == KeyOf(to)) return {};
        BERGLITE_ASSIGN_OR_RETURN(bool renamed,
                                  writer.RenameEntry(KeyOf(from), KeyOf(to), EntryKind::kTable));
        return renamed ? Status() : NoSuchTable(from);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> old, reader.FindEntry(KeyOf(from)));
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> renamed, reader.FindEntry(KeyOf(to)));
        return !old && renamed;
      });
}

// Answered without a look at the file: clients send one after every scan.
Status SqliteCatalog::ReportMetrics(const TableIdentifier& table, const Document& request) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  BERGLITE_RETURN_IF_ERROR(GetString(DocumentAccess::Dom(request), "report-type"));
  return {};
}

}  // namespace berglite::catalog
