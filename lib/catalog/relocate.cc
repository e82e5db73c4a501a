#include "lib/catalog/relocate.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/limits.h"
#include "lib/base/uuid.h"
#include "lib/catalog/file_reach.h"
#include "lib/catalog/open.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/moved_document.h"
#include "lib/metadata/named_files.h"
#include "lib/storage/location.h"

namespace berglite::catalog {

using metadata::LocationMap;
using metadata::NamedFiles;
using metadata::TableMetadata;
using metadata::ViewMetadata;
using store::CatalogRecord;
using store::Entry;
using store::EntryKind;
using store::EntryRow;
using store::Inventory;
using store::Reader;
using store::Writer;

namespace {

using Kind = RelocationReport::Kind;

constexpr char kTableType[] = "TABLE";
constexpr char kViewType[] = "VIEW";
constexpr char kJsonEnd[] = ".metadata.json";

Error ChangedMeanwhile() { return Error{ErrorKind::kCommitFailed, "It was changed meanwhile"}; }

Error HasPositionDeletes(const std::string& file) {
  return Error{ErrorKind::kUnsupported,
               "It has files of position deletes, whose rows hold locations, such as " + file +
                   ": rewrite them away and expire the snapshots that have them (with the "
                   "directory, or a link to it, where it was)"};
}

// The properties of a namespace that become others.
std::map<std::string, std::string> MovedProperties(const store::Properties& properties,
                                                   const storage::MovedDirectory& moved) {
  std::map<std::string, std::string> changed;
  for (const auto& [key, value] : properties) {
    if (moved.Contains(value)) changed[key] = moved.Map(value);
  }
  return changed;
}

}  // namespace

Result<RelocationReport> Relocator::Run(const RelocationOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckTarget());
  Inventory inventory;
  BERGLITE_RETURN_IF_ERROR(parts_.store.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(inventory, reader.TakeInventory());
    return {};
  }));
  const size_t total = inventory.entries.size() + inventory.functions.size();
  size_t done = 0;
  auto report_progress = [&] {
    if (options.on_progress) options.on_progress(done++, total);
  };
  for (const EntryRow& row : inventory.entries) {
    report_progress();
    RelocateEntry(row);
  }
  for (const EntryRow& row : inventory.functions) {
    report_progress();
    RelocateFunction(row);
  }
  // What came of the entries tells whether it is the right place; nothing does for these.
  if (is_any_here_ || !is_any_missing_) {
    BERGLITE_RETURN_IF_ERROR(RelocateNamespaces(inventory.namespaces));
    BERGLITE_RETURN_IF_ERROR(RelocateWarehouse());
  }
  BERGLITE_RETURN_IF_ERROR(CountStrandedPurges());
  report_progress();
  return std::move(report_);
}

// A mistyped name must not look like a directory in which everything is missing.
Status Relocator::CheckTarget() const {
  BERGLITE_ASSIGN_OR_RETURN(const bool exists, parts_.file_io.Exists(moved_.to()));
  if (!exists) {
    return Error{ErrorKind::kInvalidArgument, "Expected the directory where the files of " +
                                                  moved_.from() + " are now, found nothing at " +
                                                  moved_.to()};
  }
  return parts_.file_io.CheckWritable(moved_.to());
}

void Relocator::RelocateEntry(const EntryRow& row) {
  const Kind kind = row.type == kViewType ? Kind::kView : Kind::kTable;
  Note({.kind = kind}, row, [&](Item& item) -> Result<bool> {
    if (row.type == kTableType) return RelocateTable(row, item);
    if (row.type == kViewType) return RelocateView(row);
    if (!moved_.Contains(row.metadata_location)) return false;
    return Error{ErrorKind::kUnsupported, "It is of the unknown kind " + row.type};
  });
}

void Relocator::RelocateFunction(const EntryRow& row) {
  Note({.kind = Kind::kFunction}, row,
       [&](Item& item) -> Result<bool> { return MoveFunction(row, item); });
}

void Relocator::Note(Item item, const EntryRow& row,
                     const std::function<Result<bool>(Item&)>& relocate) {
  const bool is_here = storage::LocalPathOf(row.metadata_location).has_value();
  item.name = {row.name_space.value_or(Namespace{row.namespace_text}), row.name};
  if (!row.name_space && !moved_.Contains(row.metadata_location)) return;
  Result<bool> relocated = row.name_space ? relocate(item)
                                          : Error{ErrorKind::kInvalidArgument,
                                                  "Its namespace is none that can be named"};
  // What is not on this machine cannot have been in the directory.
  if (!relocated && !is_here) return;
  NotePlace(row, relocated);
  if (!relocated) {
    item.obstacle = relocated.error().message;
    item.rewritten_files = 0;
  }
  if (!relocated || *relocated) report_.items.push_back(std::move(item));
}

void Relocator::NotePlace(const EntryRow& row, const Result<bool>& relocated) {
  const bool was_there = moved_.Contains(row.metadata_location);
  if (was_there && !relocated && relocated.error().kind == ErrorKind::kNotFound) {
    is_any_missing_ = true;
  } else if (was_there || IsWithin(PathOf(row.metadata_location), moved_.to())) {
    is_any_here_ = true;
  }
}

Result<bool> Relocator::RelocateTable(const EntryRow& row, Item& item) {
  tried_.BeginTable();
  BERGLITE_ASSIGN_OR_RETURN(Next next, PlanTable(row, tried_));
  if (!next) return false;
  const RelocationFacts& facts = tried_.facts();
  item.rewritten_files = facts.rewritten_files;
  item.missing_files = facts.missing_files;
  item.first_missing = facts.first_missing;
  if (!facts.position_deletes.empty()) return HasPositionDeletes(facts.position_deletes);
  BERGLITE_RETURN_IF_ERROR(parts_.file_io.CheckWritable(next->stored.location));
  if (mode_ == Mode::kTry) return true;
  written_.BeginTable();
  Result<Next> written = PlanTable(row, written_);
  Status committed = written ? Commit(EntryKind::kTable, row, **written) : written.error();
  if (!committed && !IsStateUnknown(committed)) written_.UndoTable();
  BERGLITE_RETURN_IF_ERROR(committed);
  return true;
}

Result<Relocator::Next> Relocator::PlanTable(const EntryRow& row, RelocatedFiles& files) {
  const std::string now = moved_.Map(row.metadata_location);
  BERGLITE_ASSIGN_OR_RETURN(const TableMetadata table, parts_.tables.Read(now));
  const NamedFiles named = metadata::FilesNamedIn(table.json());
  if (!named.gap.empty()) {
    return Error{ErrorKind::kUnsupported, "Not all of it is understood: " + named.gap};
  }
  std::map<std::string, std::string> lists;
  for (const std::string& list : named.manifest_lists) {
    BERGLITE_ASSIGN_OR_RETURN(lists[list], files.MoveManifestList(list));
  }
  for (const std::string& manifest : named.manifests) {
    BERGLITE_ASSIGN_OR_RETURN(lists[manifest], files.MoveManifest(manifest));
  }
  const LocationMap map = [&](const std::string& location) {
    const auto found = lists.find(location);
    return found == lists.end() ? moved_.Map(location) : found->second;
  };
  Json moved = metadata::WithLocations(table.json(), map);
  if (now == row.metadata_location && moved == table.json()) return Next();
  BERGLITE_ASSIGN_OR_RETURN(
      const TableMetadata next,
      metadata::MovedTable(std::move(moved), table.last_updated_ms(), now, parts_.environment));
  std::vector<std::string> logged = metadata::LoggedMetadataFiles(table);
  for (std::string& file : logged) file = moved_.Map(file);
  return Next(
      {.stored = {metadata::NewMetadataLocation(next, now, parts_.environment), next.document()},
       .superseded = metadata::SupersededMetadataFiles(logged, next)});
}

Result<bool> Relocator::RelocateView(const EntryRow& row) {
  const std::string now = moved_.Map(row.metadata_location);
  BERGLITE_ASSIGN_OR_RETURN(const ViewMetadata view, parts_.views.Read(now));
  const LocationMap map = [&](const std::string& location) { return moved_.Map(location); };
  BERGLITE_ASSIGN_OR_RETURN(const ViewMetadata next, metadata::MovedView(view, map));
  if (now == row.metadata_location && next.json() == view.json()) return false;
  const StoredMetadata stored{metadata::NewMetadataLocation(next, now, parts_.environment),
                              next.document()};
  BERGLITE_RETURN_IF_ERROR(parts_.file_io.CheckWritable(stored.location));
  if (mode_ == Mode::kWrite) BERGLITE_RETURN_IF_ERROR(Commit(EntryKind::kView, row, {stored, {}}));
  return true;
}

Status Relocator::Commit(EntryKind kind, const EntryRow& row, const NextTable& next) {
  const Change change{
      kind, {*row.name_space, row.name}, [&](const Entry* entry) -> Result<Plan> {
        const bool stands = entry != nullptr && entry->kind == kind &&
                            entry->metadata_location == row.metadata_location;
        if (!stands) return ChangedMeanwhile();
        return Plan{.step = Plan::Step::kWrite, .next = next.stored, .superseded = next.superseded};
      }};
  Mutation mutation(parts_.store);
  BERGLITE_RETURN_IF_ERROR(parts_.committer.Commit({change}, mutation));
  return {};
}

Result<bool> Relocator::MoveFunction(const EntryRow& row, const Item& item) {
  const std::string now = moved_.Map(row.metadata_location);
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes, parts_.file_io.Read(now, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(const Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), now));
  const Json& function = DocumentAccess::Dom(document);
  Json next = metadata::WithLocations(
      function, [&](const std::string& location) { return moved_.Map(location); });
  if (next == function) {
    if (now == row.metadata_location) return false;
    if (mode_ == Mode::kWrite) BERGLITE_RETURN_IF_ERROR(PutFunction(row, item, now));
    return true;
  }
  const std::string location = JoinPath(DirectoryOf(now), NewUuid(parts_.environment)) + kJsonEnd;
  BERGLITE_RETURN_IF_ERROR(parts_.file_io.CheckWritable(location));
  if (mode_ == Mode::kTry) return true;
  BERGLITE_RETURN_IF_ERROR(parts_.file_io.WriteNew(location, ToJsonText(next)));
  const Status put = PutFunction(row, item, location);
  if (!put && !IsStateUnknown(put)) (void)parts_.file_io.Delete(location).has_value();
  BERGLITE_RETURN_IF_ERROR(put);
  return true;
}

Status Relocator::PutFunction(const EntryRow& row, const Item& item, const std::string& location) {
  const store::EntryKey key = KeyOf(item.name);
  return parts_.store.Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(auto found, writer.FindFunction(key));
        if (found != row.metadata_location) return ChangedMeanwhile();
        return writer.PutFunction(key, location);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(auto found, reader.FindFunction(key));
        return found == location;
      });
}

Status Relocator::RelocateNamespaces(const std::vector<Namespace>& namespaces) {
  for (const Namespace& name_space : namespaces) {
    BERGLITE_RETURN_IF_ERROR(RelocateNamespace(name_space));
  }
  return {};
}

Status Relocator::RelocateNamespace(const Namespace& name_space) {
  // Those of the row, and how they are to be.
  auto find_changed = [&](Reader& reader) -> Result<std::map<std::string, std::string>> {
    BERGLITE_ASSIGN_OR_RETURN(auto properties, reader.FindNamespace(name_space));
    return MovedProperties(properties.value_or(store::Properties()), moved_);
  };
  std::map<std::string, std::string> changed;
  BERGLITE_RETURN_IF_ERROR(parts_.store.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(changed, find_changed(reader));
    return {};
  }));
  if (changed.empty()) return {};
  report_.items.push_back({.kind = Kind::kNamespace, .name = {name_space, ""}});
  if (mode_ == Mode::kTry) return {};
  return parts_.store.Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(changed, find_changed(writer));
        return writer.SetNamespaceProperties(name_space, changed, {});
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(changed, find_changed(reader));
        return changed.empty();
      });
}

Status Relocator::RelocateWarehouse() {
  const std::string& name = parts_.store.catalog_name();
  BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, ListCatalogs(parts_.store));
  const CatalogRecord* record = FindRecord(records, name);
  if (record == nullptr || !moved_.Contains(record->location)) return {};
  report_.warehouse_from = record->location;
  report_.warehouse_to = moved_.Map(record->location);
  if (mode_ == Mode::kTry) return {};
  return parts_.store.Write(
      [&](Writer& writer) {
        return writer.MoveWarehouse({name, report_.warehouse_to});
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(records, reader.ListCatalogs());
        const CatalogRecord* now = FindRecord(records, name);
        return now != nullptr && now->location == report_.warehouse_to;
      });
}

Status Relocator::CountStrandedPurges() {
  return parts_.store.Read([&](Reader& reader) {
    return reader.VisitPointers(
        [&](store::PointerKind kind, const std::string& location) -> Status {
          const bool is_owed = kind == store::PointerKind::kOwed;
          if (is_owed && moved_.Contains(location)) ++report_.stranded_purges;
          return {};
        });
  });
}

Result<RelocationReport> SqliteCatalog::PlanRelocation(const RelocationOptions& options) {
  return RunRelocation(options, Relocator::Mode::kTry);
}

Result<RelocationReport> SqliteCatalog::Relocate(const RelocationOptions& options) {
  return RunRelocation(options, Relocator::Mode::kWrite);
}

Result<RelocationReport> SqliteCatalog::RunRelocation(const RelocationOptions& options,
                                                      RelocatedFiles::Mode mode) {
  BERGLITE_ASSIGN_OR_RETURN(storage::MovedDirectory moved,
                            storage::MovedDirectory::Make(options.from, options.to));
  const Relocator::Parts parts{*store_, *file_io_, environment_, tables_, views_, committer_};
  return Relocator(parts, std::move(moved), mode).Run(options);
}

}  // namespace berglite::catalog
