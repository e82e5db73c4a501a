#include "lib/catalog/orphan_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/base/limits.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/named_files.h"
#include "lib/storage/location.h"

namespace berglite::catalog {

using metadata::NamedFiles;
using store::EntryKind;
using store::EntryRow;
using store::Inventory;
using store::Reader;

namespace {

using Type = DirectoryEntry::Type;

// Names that Hadoop's file listings leave out. A partition by a column such as `_day` has a
// directory of such a name, too: `_day=1`.
bool IsHidden(const DirectoryEntry& entry) {
  const bool is_hidden = entry.name.starts_with('.') || entry.name.starts_with('_');
  const bool is_partition =
      entry.type == Type::kDirectory && entry.name.find('=') != std::string::npos;
  return is_hidden && !is_partition;
}

// What a table without a catalog is found by: no metadata names it.
bool IsVersionHint(const std::string& name) { return name == "version-hint.text"; }

}  // namespace

Result<OrphanFilesReport> OrphanFinder::Find() {
  BERGLITE_RETURN_IF_ERROR(CheckAge());
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<TableIdentifier> tables, ListTables());
  for (const TableIdentifier& table : tables) BERGLITE_RETURN_IF_ERROR(AddTable(table));
  for (const std::string& place : places_) kept_.AddPlace(place);
  BERGLITE_RETURN_IF_ERROR(VisitOldFiles(
      [&](const std::string& path, const DirectoryEntry&) { return kept_.AddCandidate(path); }));
  BERGLITE_RETURN_IF_ERROR(
      kept_.Collect([&](size_t done, size_t total) { Report(Step::kReadTables, done, total); }));
  BERGLITE_RETURN_IF_ERROR(VisitOldFiles([&](const std::string& path,
                                             const DirectoryEntry& file) -> Status {
    if (kept_.FateOf(path, "") != Fate::kGoes) return {};
    report_.orphans.push_back(
        {.location = storage::UriOf(path), .bytes = file.bytes, .modified_ms = file.modified_ms});
    return {};
  }));
  return report_;
}

Result<OrphanFilesReport> OrphanFinder::Remove() {
  BERGLITE_RETURN_IF_ERROR(Find());
  std::vector<OrphanFile>& orphans = report_.orphans;
  for (size_t begin = 0; begin < orphans.size(); begin += limits::kPurgeFilesAtOnce) {
    Report(Step::kRemoveFiles, begin, orphans.size());
    const size_t end = std::min(orphans.size(), begin + limits::kPurgeFilesAtOnce);
    const Status removed = RemoveBatch(begin, end);
    if (removed) continue;
    if (begin == 0) return removed.error();
    for (size_t i = begin; i < orphans.size(); ++i) orphans[i].obstacle = removed.error().message;
    break;
  }
  // Those that somebody has come to need.
  std::erase_if(
      orphans, [](const OrphanFile& orphan) { return !orphan.removed && orphan.obstacle.empty(); });
  return report_;
}

Status OrphanFinder::CheckAge() const {
  const bool may_be_short = options_.short_age == OrphanFilesOptions::ShortAge::kTake;
  const std::chrono::milliseconds age_min = may_be_short ? std::chrono::hours(0) : kOrphanAgeMin;
  if (options_.older_than >= age_min) return {};
  return Error{ErrorKind::kInvalidArgument,
               "Expected an age of at least " +
                   std::to_string(std::chrono::duration_cast<std::chrono::hours>(age_min).count()) +
                   " hours, found " + std::to_string(options_.older_than.count()) +
                   " ms: a writer may be about to commit younger files"};
}

Result<std::vector<TableIdentifier>> OrphanFinder::ListTables() {
  const TableIdentifier named{options_.name_space, options_.name};
  const bool is_all = named.name_space.empty();
  if (!is_all) BERGLITE_RETURN_IF_ERROR(CheckNamespace(named.name_space));
  Inventory inventory;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) -> Status {
    if (!is_all) {
      BERGLITE_ASSIGN_OR_RETURN(const bool exists, reader.NamespaceExists(named.name_space));
      if (!exists) return NoSuchNamespace(named.name_space);
    }
    BERGLITE_ASSIGN_OR_RETURN(inventory, reader.TakeInventory());
    return {};
  }));
  std::vector<TableIdentifier> tables;
  for (EntryRow& row : inventory.entries) {
    if (row.type != "TABLE" || !row.name_space) continue;
    TableIdentifier table{*std::move(row.name_space), std::move(row.name)};
    const bool is_named =
        !named.name.empty() && table.name == named.name && table.name_space == named.name_space;
    const bool is_below = named.name.empty() && IsWithin(table.name_space, named.name_space);
    if (is_named || is_below) tables.push_back(std::move(table));
  }
  if (!named.name.empty() && tables.empty()) return NoSuchEntry(EntryKind::kTable, named);
  return tables;
}

Status OrphanFinder::AddTable(const TableIdentifier& table) {
  auto found = tables_.Load(table);
  if (!found) {
    return Error{ErrorKind::kUnavailable,
                 "Cannot read table " + ToString(table) + ": " + found.error().message};
  }
  if (!*found) return {};  // dropped since it was listed
  const NamedFiles files = metadata::FilesNamedIn((*found)->metadata.json());
  if (!files.owns_data) {
    PassOver(table, "gc.enabled is not true: another catalog may need its files");
    return {};
  }
  const Status may_write = file_io_.CheckWritable(files.location);
  if (!may_write) {
    PassOver(table, may_write.error().message);
    return {};
  }
  const std::string place = file_io_.RealLocation(files.location);
  if (IsWithin(file_io_.RealLocation(warehouse_), place)) {
    PassOver(table, "Its location holds the whole warehouse: " + files.location);
    return {};
  }
  for (const std::string& path : files.write_paths) {
    if (IsWithin(file_io_.RealLocation(path), place)) continue;
    PassOver(table, "Its files at " + path + " are outside of its location");
  }
  ++report_.tables;
  places_.insert(place);
  return {};
}

void OrphanFinder::PassOver(const TableIdentifier& table, std::string reason) {
  report_.passed_over.push_back({table, std::move(reason)});
}

// A place within another is met on the way through that.
Status OrphanFinder::VisitOldFiles(const Visit& visit) const {
  const int64_t newest_ms = environment_.NowMs() - options_.older_than.count();
  for (const std::string& place : places_) {
    const bool is_within_other = std::any_of(
        places_.begin(), places_.end(),
        [&](const std::string& other) { return other != place && IsWithin(place, other); });
    if (is_within_other) continue;
    BERGLITE_RETURN_IF_ERROR(
        VisitDirectory(place, [&](const std::string& path, const DirectoryEntry& file) -> Status {
          return file.modified_ms < newest_ms ? visit(path, file) : Status();
        }));
  }
  return {};
}

// Depth does not matter: paths end at 4 KB.
Status OrphanFinder::VisitDirectory(const std::string& directory, const Visit& visit) const {
  std::vector<std::string> waiting{directory};
  while (!waiting.empty()) {
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    const Result<std::vector<DirectoryEntry>> entries = file_io_.List(path);
    // It may be gone since its name was read; a table may have no files yet.
    if (!entries && entries.error().kind == ErrorKind::kNotFound) continue;
    if (!entries) return Error{ErrorKind::kUnavailable, entries.error().message};
    for (const DirectoryEntry& entry : *entries) {
      if (IsHidden(entry) || IsVersionHint(entry.name)) continue;
      const std::string inside = JoinPath(path, entry.name);
      if (entry.type == Type::kDirectory) waiting.push_back(inside);
      if (entry.type == Type::kFile) BERGLITE_RETURN_IF_ERROR(visit(inside, entry));
    }
  }
  return {};
}

Status OrphanFinder::RemoveBatch(size_t begin, size_t end) {
  return kept_.WhileNothingChanges([&] {
    for (size_t i = begin; i < end; ++i) RemoveOne(report_.orphans[i]);
  });
}

void OrphanFinder::RemoveOne(OrphanFile& orphan) {
  const std::string path = PathOf(orphan.location);
  // Where a directory on the way has become a link, this is another file.
  if (file_io_.RealLocation(path) != path) {
    orphan.obstacle = "A link leads elsewhere from " + orphan.location;
    return;
  }
  if (kept_.FateOf(path, "") != Fate::kGoes) return;
  const Status removed = DeleteWithChecksum(file_io_, path);
  orphan.removed = removed.has_value();
  if (!removed) orphan.obstacle = removed.error().message;
}

void OrphanFinder::Report(Step step, size_t done, size_t total) const {
  if (options_.on_progress) options_.on_progress(step, done, total);
}

Result<OrphanFilesReport> SqliteCatalog::FindOrphanFiles(const OrphanFilesOptions& options) {
  return OrphanFinder(*store_, *file_io_, tables_, environment_, warehouse_, options).Find();
}

Result<OrphanFilesReport> SqliteCatalog::RemoveOrphanFiles(const OrphanFilesOptions& options) {
  return OrphanFinder(*store_, *file_io_, tables_, environment_, warehouse_, options).Remove();
}

}  // namespace berglite::catalog
