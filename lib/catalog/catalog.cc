// The operations of the catalog on the rows of the store, the rules of the metadata and the files
// of the storage.
#include "berglite/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "lib/base/uuid.h"
#include "lib/catalog/commit.h"
#include "lib/catalog/metadata_cache.h"
#include "lib/catalog/names.h"
#include "lib/catalog/page.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/table_requirement.h"
#include "lib/metadata/table_update.h"
#include "lib/storage/location.h"
#include "lib/store/store.h"

namespace berglite {
namespace {

using catalog::CheckNamespace;
using catalog::CheckTableIdentifier;
using catalog::Committer;
using catalog::PageRequest;
using catalog::Plan;
using catalog::StoredTable;
using catalog::TableChange;
using catalog::ToString;
using metadata::TableMetadata;
using store::Entry;
using store::EntryKey;
using store::EntryKind;
using store::Properties;
using store::Reader;
using store::Writer;

// Marks a namespace as created in the shared layout; nobody else's to see or set.
constexpr std::string_view kReservedProperty = "exists";
constexpr std::string_view kLocationProperty = "location";

Error NoSuchNamespace(const Namespace& name_space) {
  return Error{ErrorKind::kNoSuchNamespace, "Namespace does not exist: " + ToString(name_space)};
}

Error NoSuchTable(const TableIdentifier& table) {
  return Error{ErrorKind::kNoSuchTable, "Table does not exist: " + ToString(table)};
}

Error TableExistsAlready(const TableIdentifier& table) {
  return Error{ErrorKind::kAlreadyExists, "Table already exists: " + ToString(table)};
}

// For a table that is to be made where `entry` stands.
Error NameIsTaken(const TableIdentifier& table, const Entry& entry) {
  if (entry.kind == EntryKind::kTable) return TableExistsAlready(table);
  return Error{ErrorKind::kAlreadyExists, "View with same name already exists: " + ToString(table)};
}

EntryKey KeyOf(const TableIdentifier& table) { return EntryKey{table.name_space, table.name}; }

// The properties of a namespace request. Errors: kInvalidArgument.
Result<Properties> ParseProperties(const Json* json) {
  Properties properties;
  if (json == nullptr) return properties;
  BERGLITE_RETURN_IF_ERROR(CheckStringMap(*json, "properties"));
  for (const auto& [key, value] : json->items()) {
    if (key == kReservedProperty) {
      return Error{ErrorKind::kInvalidArgument, "Cannot set reserved property: " + key};
    }
    properties[key] = value.get_ref<const std::string&>();
  }
  return properties;
}

Json NextPageToken(const std::optional<std::string>& token) {
  return token ? Json(*token) : Json(nullptr);
}

// Whether `header`, an If-None-Match, names `etag` (RFC 9110, section 13.1.2: weak comparison).
bool Names(std::string_view header, std::string_view etag) {
  size_t begin = 0;
  while (begin < header.size()) {
    size_t end = std::min(header.find(',', begin), header.size());
    std::string_view item = header.substr(begin, end - begin);
    size_t first = item.find_first_not_of(" \t");
    if (first != std::string_view::npos) {
      item = item.substr(first, item.find_last_not_of(" \t") - first + 1);
      if (item.starts_with("W/")) item.remove_prefix(2);
      if (item == etag || item == "*") return true;
    }
    begin = end + 1;
  }
  return false;
}

// The metadata location stands for the metadata: a metadata file is never written twice. The name
// of the file alone would do, but a registered one may have any name.
std::string ETagOf(const std::string& location, SnapshotMode mode) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char c : location) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return "\"" + std::to_string(hash) + (mode == SnapshotMode::kRefs ? "-refs\"" : "\"");
}

// LoadTableResult, composed of text so that nothing is parsed or written anew.
Document LoadTableResult(const std::string* location, const Document& metadata) {
  std::string text;
  text.reserve(metadata.text().size() + 256);
  text += '{';
  if (location != nullptr) {
    text += "\"metadata-location\":";
    AppendJsonString(text, *location);
    text += ',';
  }
  text += "\"metadata\":";
  text += metadata.text();
  text += ",\"config\":{}}";
  return DocumentAccess::FromTrustedText(std::move(text));
}

LoadedTable ToLoadedTable(const StoredTable& table) {
  return LoadedTable{LoadTableResult(&table.location, table.metadata.document()),
                     ETagOf(table.location, SnapshotMode::kAll)};
}

// CommitTableResponse.
LoadedTable ToCommitResponse(const StoredTable& table) {
  std::string text = "{\"metadata-location\":";
  AppendJsonString(text, table.location);
  text += ",\"metadata\":";
  text += table.metadata.document().text();
  text += '}';
  return LoadedTable{DocumentAccess::FromTrustedText(std::move(text)),
                     ETagOf(table.location, SnapshotMode::kAll)};
}

// A damaged file is no fault of the one who only asks for it.
Error WhileReading(Error error) {
  if (error.kind == ErrorKind::kValidation) error.kind = ErrorKind::kInternal;
  return error;
}

class SqliteCatalog final : public Catalog {
 public:
  SqliteCatalog(std::unique_ptr<store::Store> store, std::shared_ptr<FileIO> file_io,
                std::string warehouse, Environment& environment)
      : store_(std::move(store)),
        file_io_(std::move(file_io)),
        warehouse_(std::move(warehouse)),
        environment_(environment),
        cache_(limits::kMetadataCacheBytesMax),
        committer_(*store_, *file_io_, cache_, environment) {}

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
  Status DropTable(const TableIdentifier& table) override;
  Status RenameTable(const Document& request) override;
  Status CommitTransaction(const Document& request) override;
  Status ReportMetrics(const TableIdentifier& table, const Document& request) override;

 private:
  // What a name in a namespace stands for now, and where new tables of the namespace go.
  struct Place {
    std::optional<Properties> namespace_properties;
    std::optional<Entry> entry;
  };

  Document NamespaceResponse(const Namespace& name_space, const Properties& properties) const;
  std::string DefaultNamespaceLocation(const Namespace& name_space) const;
  Result<Place> FindPlace(const TableIdentifier& table);
  Result<std::string> NewTableLocation(const TableIdentifier& table, const Json& request,
                                       const Properties& namespace_properties);
  void MakeTableDirectories(const TableMetadata& metadata);
  Result<TableChange> ParseChange(const TableIdentifier& table, const Json& request);
  Result<Plan> PlanUpdate(const TableIdentifier& table, const Json& requirements,
                          const Json& updates, const Entry* entry);

  std::unique_ptr<store::Store> store_;
  std::shared_ptr<FileIO> file_io_;
  const std::string warehouse_;
  Environment& environment_;
  catalog::MetadataCache cache_;
  Committer committer_;
};

// ---------------------------------------------------------------------------------- namespaces

// Every namespace shows a location, since engines (Trino) place new tables by it.
Document SqliteCatalog::NamespaceResponse(const Namespace& name_space,
                                          const Properties& properties) const {
  Json json = {{"namespace", name_space}, {"properties", properties}};
  Json& shown = json["properties"];
  if (!shown.contains(kLocationProperty)) {
    shown[std::string(kLocationProperty)] = DefaultNamespaceLocation(name_space);
  }
  return DocumentAccess::FromDom(std::move(json));
}

std::string SqliteCatalog::DefaultNamespaceLocation(const Namespace& name_space) const {
  std::string location = warehouse_;
  for (const std::string& level : name_space) location += "/" + catalog::PathSegment(level);
  return location;
}

Result<Document> SqliteCatalog::ListNamespaces(const Namespace& parent,
                                               const ListOptions& options) {
  if (!parent.empty()) BERGLITE_RETURN_IF_ERROR(CheckNamespace(parent));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, catalog::ParsePage(options));
  std::vector<std::string> names;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    if (!parent.empty()) {
      BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(parent));
      if (!exists) return NoSuchNamespace(parent);
    }
    BERGLITE_ASSIGN_OR_RETURN(names, reader.ListChildren(parent, page.after, page.fetch_size()));
    return {};
  }));
  std::optional<std::string> next = catalog::CutToPage(page, names);
  Json namespaces = Json::array();
  for (std::string& name : names) {
    Namespace child = parent;
    child.push_back(std::move(name));
    namespaces.push_back(std::move(child));
  }
  return DocumentAccess::FromDom(
      {{"namespaces", std::move(namespaces)}, {"next-page-token", NextPageToken(next)}});
}

Result<Document> SqliteCatalog::CreateNamespace(const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  BERGLITE_ASSIGN_OR_RETURN(const Json* levels, GetMember(json, "namespace"));
  BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, catalog::ParseNamespace(*levels));
  BERGLITE_ASSIGN_OR_RETURN(Properties properties, ParseProperties(FindMember(json, "properties")));
  BERGLITE_RETURN_IF_ERROR(store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(name_space));
        if (exists) {
          return Error{ErrorKind::kAlreadyExists,
                       "Namespace already exists: " + ToString(name_space)};
        }
        return writer.InsertNamespace(name_space, properties);
      },
      [&](Reader& reader) { return reader.NamespaceExists(name_space); }));
  return NamespaceResponse(name_space, properties);
}

Result<Document> SqliteCatalog::LoadNamespaceMetadata(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  std::optional<Properties> properties;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(properties, reader.FindNamespace(name_space));
    return {};
  }));
  if (!properties) return NoSuchNamespace(name_space);
  return NamespaceResponse(name_space, *properties);
}

Result<bool> SqliteCatalog::NamespaceExists(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  bool exists = false;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(exists, reader.NamespaceExists(name_space));
    return {};
  }));
  return exists;
}

Status SqliteCatalog::DropNamespace(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  return store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(name_space));
        if (!exists) return NoSuchNamespace(name_space);
        BERGLITE_ASSIGN_OR_RETURN(store::NamespaceContents contents,
                                  writer.CountContents(name_space));
        for (auto [count, what] :
             {std::pair(contents.child_namespaces, "child namespace(s)"),
              std::pair(contents.tables, "table(s)"), std::pair(contents.views, "view(s)")}) {
          if (count == 0) continue;
          return Error{ErrorKind::kNamespaceNotEmpty, "Namespace " + ToString(name_space) +
                                                          " is not empty. Contains " +
                                                          std::to_string(count) + " " + what + "."};
        }
        return writer.DeleteNamespace(name_space);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
        return !exists;
      });
}

// The update of an UpdateNamespacePropertiesRequest, checked.
struct PropertiesUpdate {
  Properties updates;
  std::set<std::string> removals;
};

Result<PropertiesUpdate> ParsePropertiesUpdate(const Json& json) {
  PropertiesUpdate update;
  BERGLITE_ASSIGN_OR_RETURN(update.updates, ParseProperties(FindMember(json, "updates")));
  if (const Json* removals = FindMember(json, "removals"); removals != nullptr) {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> keys, AsStrings(*removals, "removals"));
    update.removals.insert(keys.begin(), keys.end());
  }
  if (update.removals.contains(std::string(kReservedProperty))) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot remove reserved property: " + std::string(kReservedProperty)};
  }
  std::string both;
  for (const std::string& key : update.removals) {
    if (update.updates.contains(key)) both += (both.empty() ? "" : ", ") + key;
  }
  if (!both.empty()) {
    return Error{
        ErrorKind::kUnprocessable,
        "Invalid namespace update, cannot simultaneously set and remove keys: [" + both + "]"};
  }
  return update;
}

// Whether `properties` show `update` done.
bool Reflects(const Properties& properties, const PropertiesUpdate& update) {
  return std::all_of(update.updates.begin(), update.updates.end(),
                     [&](const auto& item) {
                       auto found = properties.find(item.first);
                       return found != properties.end() && found->second == item.second;
                     }) &&
         std::none_of(update.removals.begin(), update.removals.end(),
                      [&](const std::string& key) { return properties.contains(key); });
}

Result<Document> SqliteCatalog::UpdateProperties(const Namespace& name_space,
                                                 const Document& request) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  BERGLITE_ASSIGN_OR_RETURN(PropertiesUpdate update,
                            ParsePropertiesUpdate(DocumentAccess::Dom(request)));
  std::vector<std::string> removed;
  std::vector<std::string> missing;
  BERGLITE_RETURN_IF_ERROR(store_->Write(
      [&](Writer& writer) -> Status {
        removed.clear();
        missing.clear();
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Properties> properties,
                                  writer.FindNamespace(name_space));
        if (!properties) return NoSuchNamespace(name_space);
        for (const std::string& key : update.removals) {
          (properties->contains(key) ? removed : missing).push_back(key);
        }
        return writer.SetNamespaceProperties(name_space, update.updates, removed);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Properties> properties,
                                  reader.FindNamespace(name_space));
        return properties && Reflects(*properties, update);
      }));
  Json updated = Json::array();
  for (const auto& [key, value] : update.updates) updated.push_back(key);
  return DocumentAccess::FromDom(
      {{"updated", std::move(updated)}, {"removed", removed}, {"missing", missing}});
}

// -------------------------------------------------------------------------------------- tables

Result<Document> SqliteCatalog::ListTables(const Namespace& name_space,
                                           const ListOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, catalog::ParsePage(options));
  std::vector<std::string> names;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
    if (!exists) return NoSuchNamespace(name_space);
    BERGLITE_ASSIGN_OR_RETURN(
        names, reader.ListEntries(name_space, EntryKind::kTable, page.after, page.fetch_size()));
    return {};
  }));
  std::optional<std::string> next = catalog::CutToPage(page, names);
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
    auto base = namespace_properties.find(std::string(kLocationProperty));
    location = base != namespace_properties.end() && !base->second.empty()
                   ? base->second
                   : DefaultNamespaceLocation(table.name_space);
    while (location.ends_with('/')) location.pop_back();
    location += "/" + catalog::PathSegment(table.name);
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
  if (Names(options.if_none_match, etag)) return LoadedTable{std::nullopt, std::move(etag)};
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

Result<Plan> SqliteCatalog::PlanUpdate(const TableIdentifier& table, const Json& requirements,
                                       const Json& updates, const Entry* entry) {
  BERGLITE_ASSIGN_OR_RETURN(bool creates, metadata::AssertsCreate(requirements));
  if (creates) {
    if (entry != nullptr && entry->kind == EntryKind::kView) return NameIsTaken(table, *entry);
    if (entry != nullptr) {
      return Error{ErrorKind::kCommitFailed, "Requirement failed: table already exists"};
    }
    BERGLITE_ASSIGN_OR_RETURN(TableMetadata created,
                              metadata::CreateFromUpdates(updates, environment_));
    return Plan{.base = std::nullopt, .next = std::move(created), .stored_at = ""};
  }
  if (entry == nullptr || entry->kind != EntryKind::kTable) return NoSuchTable(table);
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata base, committer_.ReadMetadata(entry->metadata_location));
  BERGLITE_RETURN_IF_ERROR(metadata::CheckTableRequirements(requirements, base));
  BERGLITE_ASSIGN_OR_RETURN(
      std::optional<TableMetadata> next,
      metadata::ApplyTableUpdates(base, entry->metadata_location, updates, environment_));
  return Plan{.base = std::move(base), .next = std::move(next), .stored_at = ""};
}

// `request` must outlive the change.
Result<TableChange> SqliteCatalog::ParseChange(const TableIdentifier& table, const Json& request) {
  static const Json kNone = Json::array();
  BERGLITE_ASSIGN_OR_RETURN(const Json* requirements, FindArray(request, "requirements"));
  BERGLITE_ASSIGN_OR_RETURN(const Json* updates, FindArray(request, "updates"));
  if (requirements == nullptr) requirements = &kNone;
  if (updates == nullptr) updates = &kNone;
  for (const Json* list : {requirements, updates}) {
    if (list->size() <= limits::kUpdatesPerCommitMax) continue;
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid commit: " + std::to_string(list->size()) +
                     " requirements or updates are more than the limit of " +
                     std::to_string(limits::kUpdatesPerCommitMax)};
  }
  return TableChange{table, [this, table, requirements, updates](const Entry* entry) {
                       return PlanUpdate(table, *requirements, *updates, entry);
                     }};
}

Result<LoadedTable> SqliteCatalog::UpdateTable(const TableIdentifier& table,
                                               const Document& request) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  const Json& json = DocumentAccess::Dom(request);
  if (!json.is_object()) {
    return Error{ErrorKind::kInvalidArgument, "Cannot parse commit: expected an object, found " +
                                                  std::string(JsonKindName(json))};
  }
  BERGLITE_ASSIGN_OR_RETURN(TableChange change, ParseChange(table, json));
  BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredTable> tables,
                            committer_.Commit({std::move(change)}));
  return ToCommitResponse(tables.front());
}

Status SqliteCatalog::CommitTransaction(const Document& request) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* list,
                            GetArray(DocumentAccess::Dom(request), "table-changes"));
  if (list->empty()) return Error{ErrorKind::kInvalidArgument, "Invalid table changes: empty"};
  if (list->size() > limits::kTablesPerCommitMax) {
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid table changes: " + std::to_string(list->size()) +
                     " are more than the limit of " + std::to_string(limits::kTablesPerCommitMax)};
  }
  std::vector<TableChange> changes;
  std::set<std::pair<Namespace, std::string>> seen;
  for (const Json& item : *list) {
    const Json* identifier = FindMember(item, "identifier");
    if (identifier == nullptr) {
      return Error{ErrorKind::kInvalidArgument,
                   "Invalid table changes: table identifier is required"};
    }
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier table, catalog::ParseTableIdentifier(*identifier));
    if (!seen.emplace(table.name_space, table.name).second) {
      return Error{ErrorKind::kInvalidArgument,
                   "Invalid table changes: a table is changed twice: " + ToString(table)};
    }
    BERGLITE_ASSIGN_OR_RETURN(TableChange change, ParseChange(table, item));
    changes.push_back(std::move(change));
  }
  BERGLITE_RETURN_IF_ERROR(committer_.Commit(changes));
  return {};
}

Status SqliteCatalog::DropTable(const TableIdentifier& table) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  return store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(bool deleted,
                                  writer.DeleteEntry(KeyOf(table), EntryKind::kTable));
        return deleted ? Status() : NoSuchTable(table);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(table)));
        return !entry;
      });
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
  if (taken->kind == EntryKind::kTable) return TableExistsAlready(to);
  return Error{ErrorKind::kAlreadyExists,
               "Cannot rename " + ToString(from) + " to " + ToString(to) + ". View already exists"};
}

Status SqliteCatalog::RenameTable(const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  BERGLITE_ASSIGN_OR_RETURN(const Json* source, GetObject(json, "source"));
  BERGLITE_ASSIGN_OR_RETURN(const Json* destination, GetObject(json, "destination"));
  BERGLITE_ASSIGN_OR_RETURN(TableIdentifier from, catalog::ParseTableIdentifier(*source));
  BERGLITE_ASSIGN_OR_RETURN(TableIdentifier to, catalog::ParseTableIdentifier(*destination));
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

// ---------------------------------------------------------------------------------------- open

std::string DefaultWarehouse(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "warehouse").string();
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path,
                                               const CatalogOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(
      std::string directory,
      storage::ResolveConfiguredPath(options.warehouse.empty() ? DefaultWarehouse(path)
                                                               : options.warehouse));
  std::string warehouse = storage::UriOf(directory);
  std::shared_ptr<FileIO> file_io = options.file_io;
  if (file_io == nullptr) {
    std::vector<std::string> roots{warehouse};
    for (const std::string& location : options.allowed_locations) {
      BERGLITE_ASSIGN_OR_RETURN(std::string root, storage::ResolveConfiguredPath(location));
      roots.push_back(storage::UriOf(root));
    }
    BERGLITE_ASSIGN_OR_RETURN(file_io, MakeLocalFileIO(roots));
  }
  BERGLITE_RETURN_IF_ERROR(file_io->CheckWritable(warehouse));
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                            store::Store::Open(path, {.catalog_name = options.name,
                                                      .busy_timeout_ms = options.busy_timeout_ms}));
  BERGLITE_RETURN_IF_ERROR(file_io->CreateDirectory(warehouse));
  Environment& environment = options.environment ? *options.environment : SystemEnvironment();
  return std::unique_ptr<Catalog>(std::make_unique<SqliteCatalog>(
      std::move(store), std::move(file_io), std::move(warehouse), environment));
}

}  // namespace berglite
