// What the operations on tables and those on views have in common.
#include "lib/base/uuid.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/page.h"
#include "lib/catalog/sqlite_catalog.h"

namespace berglite::catalog {

using store::Entry;
using store::EntryKind;
using store::Properties;
using store::Reader;
using store::Writer;

namespace {

// The checks of a rename, with the texts of Iceberg's own catalogs. A table's source is looked for
// first and a view's last, as there.
Status CheckRename(Reader& reader, EntryKind kind, const TableIdentifier& from,
                   const TableIdentifier& to) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> source, reader.FindEntry(KeyOf(from)));
  BERGLITE_ASSIGN_OR_RETURN(bool has_namespace, reader.NamespaceExists(to.name_space));
  bool has_source = source && source->kind == kind;
  if (!has_namespace && (has_source || kind == EntryKind::kView)) {
    return NoSuchNamespace(to.name_space);
  }
  if (!has_source) return NoSuchEntry(kind, from);
  if (KeyOf(from) == KeyOf(to)) return {};
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> taken, reader.FindEntry(KeyOf(to)));
  if (!taken) return {};
  bool both_are_tables = kind == EntryKind::kTable && taken->kind == EntryKind::kTable;
  if (both_are_tables) return NameIsTaken(kind, to, *taken);
  return Error{ErrorKind::kAlreadyExists, "Cannot rename " + ToString(from) + " to " +
                                              ToString(to) + ". " + CapitalNameOf(taken->kind) +
                                              " already exists"};
}

}  // namespace

Result<SqliteCatalog::Place> SqliteCatalog::FindPlace(const TableIdentifier& name) {
  Place place;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(place.namespace_properties, reader.FindNamespace(name.name_space));
    BERGLITE_ASSIGN_OR_RETURN(place.entry, reader.FindEntry(KeyOf(name)));
    return {};
  }));
  return place;
}

// Reading is confined to where the catalog may write: a client must not learn of other files.
Status SqliteCatalog::CheckConfined(const std::string& metadata_location) const {
  return file_io_->CheckWritable(metadata_location.substr(0, metadata_location.rfind('/')));
}

// The requested location, or a directory below that of the namespace. A directory that an earlier
// table or view of that name has left behind is not shared: somebody might purge one of the two.
Result<std::string> SqliteCatalog::NewLocation(const TableIdentifier& name, const Json& request,
                                               const Properties& namespace_properties) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> requested, FindString(request, "location"));
  std::string location = requested.value_or("");
  if (location.empty()) {
    auto base = namespace_properties.find(kLocationProperty);
    location = base != namespace_properties.end() && !base->second.empty()
                   ? base->second
                   : DefaultNamespaceLocation(name.name_space);
    while (location.ends_with('/')) location.pop_back();
    location += "/" + PathSegment(name.name);
    BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(location));
    BERGLITE_ASSIGN_OR_RETURN(bool taken, file_io_->Exists(location));
    if (taken) location += "-" + NewUuid(environment_);
    return location;
  }
  BERGLITE_RETURN_IF_ERROR(file_io_->CheckWritable(location));
  return location;
}

Result<SqliteCatalog::Registration> SqliteCatalog::ReadRegistration(EntryKind kind,
                                                                    const Namespace& name_space,
                                                                    const Document& request) {
  const Json& json = DocumentAccess::Dom(request);
  Registration registration{};
  BERGLITE_ASSIGN_OR_RETURN(registration.name, ParseNewName(name_space, json));
  BERGLITE_ASSIGN_OR_RETURN(registration.location, GetString(json, "metadata-location"));
  if (registration.location.empty()) {
    return Error{
        ErrorKind::kInvalidArgument,
        "Cannot register an empty metadata file location as a " + std::string(NameOf(kind))};
  }
  return registration;
}

Result<SqliteCatalog::CommitParts> SqliteCatalog::ReadCommit(const Json& request) {
  static const Json kNone = Json::array();
  if (!request.is_object()) {
    return Error{ErrorKind::kInvalidArgument, "Cannot parse commit: expected an object, found " +
                                                  std::string(JsonKindName(request))};
  }
  CommitParts parts{};
  BERGLITE_ASSIGN_OR_RETURN(parts.requirements, FindArray(request, "requirements"));
  BERGLITE_ASSIGN_OR_RETURN(parts.updates, FindArray(request, "updates"));
  for (const Json** list : {&parts.requirements, &parts.updates}) {
    if (*list == nullptr) *list = &kNone;
    if ((*list)->size() <= limits::kUpdatesPerCommitMax) continue;
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid commit: " + std::to_string((*list)->size()) +
                     " requirements or updates are more than the limit of " +
                     std::to_string(limits::kUpdatesPerCommitMax)};
  }
  return parts;
}

Result<Document> SqliteCatalog::ListEntries(EntryKind kind, const Namespace& name_space,
                                            const ListOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, ParsePage(options));
  std::vector<std::string> names;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
    if (!exists) return NoSuchNamespace(name_space);
    BERGLITE_ASSIGN_OR_RETURN(names,
                              reader.ListEntries(name_space, kind, page.after, page.fetch_size()));
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

Result<bool> SqliteCatalog::EntryExists(EntryKind kind, const TableIdentifier& name) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(name));
  std::optional<Entry> entry;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(entry, reader.FindEntry(KeyOf(name)));
    return {};
  }));
  return entry && entry->kind == kind;
}

Status SqliteCatalog::DropEntry(EntryKind kind, const TableIdentifier& name, Files files,
                                const MutationOptions& options) {
  const char* operation = kind == EntryKind::kTable ? "dropTable" : "dropView";
  const Request call{.options = options,
                     // With a purge it is another request.
                     .operation = files == Files::kPurge ? "dropTable?purgeRequested" : operation,
                     .name_space = &name.name_space,
                     .name = &name.name};
  return idempotency_.Run(call, ReplayNothing, [&](Mutation& mutation) -> Status {
    BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(name));
    return mutation.Write(
        [&](Writer& writer) -> Status {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(KeyOf(name)));
          BERGLITE_ASSIGN_OR_RETURN(bool deleted, writer.DeleteEntry(KeyOf(name), kind));
          if (!deleted) return NoSuchEntry(kind, name);
          return files == Files::kPurge ? OwePurge(writer, entry->metadata_location) : Status();
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(name)));
          return !entry;
        });
  });
}

// Where the metadata file may not be removed, nothing is: it leads to the others.
Status SqliteCatalog::OwePurge(Writer& writer, const std::string& metadata_location) {
  const Status confined = CheckConfined(metadata_location);
  if (!confined && confined.error().kind == ErrorKind::kInvalidArgument) return {};
  // It cannot be told now: a drop that forgot the purge could never be mended.
  BERGLITE_RETURN_IF_ERROR(confined);
  // One that cannot be read has no uuid to know it by, and the drop is to succeed all the same.
  Result<metadata::TableMetadata> metadata = tables_.Read(metadata_location);
  return writer.OweDeletion(metadata_location, metadata ? metadata->uuid() : "",
                            environment_.NowMs());
}

Status SqliteCatalog::RenameEntry(EntryKind kind, const Document& request,
                                  const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = kind == EntryKind::kTable ? "renameTable" : "renameView",
                     .body = &request};
  return idempotency_.Run(call, ReplayNothing, [&](Mutation& mutation) -> Status {
    const Json& json = DocumentAccess::Dom(request);
    BERGLITE_ASSIGN_OR_RETURN(const Json* source, GetObject(json, "source"));
    BERGLITE_ASSIGN_OR_RETURN(const Json* destination, GetObject(json, "destination"));
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier from, ParseTableIdentifier(*source));
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier to, ParseTableIdentifier(*destination));
    return mutation.Write(
        [&](Writer& writer) -> Status {
          BERGLITE_RETURN_IF_ERROR(CheckRename(writer, kind, from, to));
          if (KeyOf(from) == KeyOf(to)) return {};
          BERGLITE_ASSIGN_OR_RETURN(bool renamed, writer.RenameEntry(KeyOf(from), KeyOf(to), kind));
          return renamed ? Status() : NoSuchEntry(kind, from);
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> old, reader.FindEntry(KeyOf(from)));
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> renamed, reader.FindEntry(KeyOf(to)));
          return !old && renamed;
        });
  });
}

}  // namespace berglite::catalog
