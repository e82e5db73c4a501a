#include "lib/catalog/check.h"

#include <algorithm>
#include <utility>

#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"
#include "lib/storage/location.h"

namespace berglite::catalog {

using store::Entry;
using store::EntryKind;
using store::EntryRow;
using store::Inventory;
using store::Reader;
using store::Writer;

namespace {

Namespace LevelsOf(const TableIdentifier& name) {
  Namespace levels = name.name_space;
  levels.push_back(name.name);
  return levels;
}

// The name of a row; where its namespace is none, with the text in place of it.
TableIdentifier NameOfRow(const EntryRow& row) {
  return {row.name_space.value_or(Namespace{row.namespace_text}), row.name};
}

// The local path of a location, so that its spellings are one; the location where it has none.
std::string PathOrLocation(const std::string& location) {
  Result<std::string> path = storage::LocalPathOf(location);
  return path ? *std::move(path) : location;
}

bool IsMetadataFileName(std::string_view name) {
  return name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz");
}

}  // namespace

void Checker::Add(Severity severity, const char* code, Namespace name, std::string message) {
  report_.findings.push_back({severity, code, std::move(name), std::move(message)});
}

bool Checker::IsInScope(const Namespace& name_space, const std::string& name) const {
  const Namespace& scope = options_.name_space;
  if (!options_.name.empty()) return name_space == scope && name == options_.name;
  return name_space.size() >= scope.size() &&
         std::equal(scope.begin(), scope.end(), name_space.begin());
}

Result<CheckReport> Checker::Run() {
  BERGLITE_RETURN_IF_ERROR(CheckScope());
  if (IsWholeCatalog()) BERGLITE_RETURN_IF_ERROR(CheckFile());
  Inventory inventory;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(inventory, reader.TakeInventory());
    return {};
  }));
  BERGLITE_RETURN_IF_ERROR(CheckNamespaces(inventory));
  for (size_t i = 0; i < inventory.entries.size(); ++i) {
    if (options_.on_progress) options_.on_progress(i, inventory.entries.size());
    BERGLITE_RETURN_IF_ERROR(CheckEntry(inventory.entries[i]));
  }
  if (options_.name.empty()) {
    for (const EntryRow& row : inventory.functions) CheckFunction(row);
  }
  BERGLITE_RETURN_IF_ERROR(AddOrphans());
  return std::move(report_);
}

Status Checker::CheckScope() {
  if (IsWholeCatalog()) return {};
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(options_.name_space));
  const TableIdentifier name{options_.name_space, options_.name};
  return store_.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(const bool exists, reader.NamespaceExists(options_.name_space));
    if (!exists) return NoSuchNamespace(options_.name_space);
    if (options_.name.empty()) return {};
    BERGLITE_ASSIGN_OR_RETURN(const std::optional<Entry> entry, reader.FindEntry(KeyOf(name)));
    return entry ? Status() : NoSuchEntry(EntryKind::kTable, name);
  });
}

Status Checker::CheckFile() {
  store::FileReport file;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(file, reader.InspectDatabase());
    return {};
  }));
  for (std::string& damage : file.damage) {
    Add(Severity::kProblem, "damaged-file", {}, std::move(damage));
  }
  for (const std::string& object : file.foreign) {
    Add(Severity::kNote, "foreign-object", {},
        "The file holds the " + object + " of another program");
  }
  return {};
}

// The namespaces in scope that hold something.
std::set<Namespace> Checker::Holders(const Inventory& inventory) const {
  std::set<Namespace> holders;
  for (const std::vector<EntryRow>* rows : {&inventory.entries, &inventory.functions}) {
    for (const EntryRow& row : *rows) {
      const bool is_namespace = row.name_space && CheckNamespace(*row.name_space);
      if (is_namespace && IsInScope(*row.name_space, row.name)) holders.insert(*row.name_space);
    }
  }
  return holders;
}

// Every namespace that holds something, and each above a namespace, should have a row of its own:
// without it the namespace ends with what is in it, and some programs do not see it.
Status Checker::CheckNamespaces(const Inventory& inventory) {
  for (const std::string& text : inventory.bad_namespace_texts) {
    if (!IsWholeCatalog()) break;
    Add(Severity::kProblem, "bad-namespace", {text}, "A row names a namespace that cannot be");
  }
  const std::set<Namespace> marked(inventory.namespaces.begin(), inventory.namespaces.end());
  const std::set<Namespace> holders = Holders(inventory);
  std::set<Namespace> all = holders;
  for (const Namespace& name : marked) {
    if (options_.name.empty() && IsInScope(name, "")) all.insert(name);
  }
  std::set<Namespace> missing;
  for (Namespace name : all) {
    for (; !name.empty(); name.pop_back()) {
      if (!marked.contains(name)) missing.insert(name);
    }
  }
  for (const Namespace& name : missing) {
    if (holders.contains(name)) {
      Add(Severity::kProblem, "missing-namespace", name,
          "It holds tables, views or functions and has no row of its own");
    } else {
      Add(Severity::kNote, "implied-namespace", name,
          "It is there for those below it and has no row of its own");
    }
  }
  if (!options_.repair || missing.empty()) return {};
  return AddNamespaces(missing);
}

Status Checker::AddNamespaces(const std::set<Namespace>& missing) {
  const auto add = [&](Writer& writer) -> Status {
    for (const Namespace& name : missing) {
      // What was in it may be gone by now, and the namespace with that.
      BERGLITE_ASSIGN_OR_RETURN(const bool exists, writer.NamespaceExists(name));
      if (!exists) continue;
      BERGLITE_RETURN_IF_ERROR(writer.InsertNamespace(name, {}));
    }
    return {};
  };
  const auto is_added = [&](Reader& reader) -> Result<bool> {
    BERGLITE_ASSIGN_OR_RETURN(const Inventory now, reader.TakeInventory());
    const std::set<Namespace> marked(now.namespaces.begin(), now.namespaces.end());
    return std::includes(marked.begin(), marked.end(), missing.begin(), missing.end());
  };
  BERGLITE_RETURN_IF_ERROR(store_.Write(add, is_added));
  for (CheckFinding& finding : report_.findings) {
    if (missing.contains(finding.name)) finding.repaired = true;
  }
  return {};
}

Status Checker::CheckEntry(const EntryRow& row) {
  const TableIdentifier name = NameOfRow(row);
  if (!IsInScope(name.name_space, name.name)) return {};
  const Namespace levels = LevelsOf(name);
  const Status is_name = row.name_space ? CheckTableIdentifier(name) : Status();
  if (!row.name_space || !is_name) {
    Add(Severity::kProblem, "bad-name", levels,
        is_name ? "A row names a namespace that cannot be: " + row.namespace_text
                : is_name.error().message);
    return {};
  }
  if (row.type != "TABLE" && row.type != "VIEW") {
    Add(Severity::kNote, "unknown-type", levels, "It is of the unknown type '" + row.type + "'");
    return {};
  }
  const EntryKind kind = row.type == "TABLE" ? EntryKind::kTable : EntryKind::kView;
  ++(kind == EntryKind::kTable ? report_.tables : report_.views);
  return CheckMetadata(kind, name, row.metadata_location);
}

// A commit may have moved the pointer, and removed the file, since the row was read; then the row
// is read again.
Status Checker::CheckMetadata(EntryKind kind, const TableIdentifier& name, std::string location) {
  const Namespace levels = LevelsOf(name);
  while (true) {
    const Result<Facts> facts =
        location.empty()
            ? Result<Facts>(Error{ErrorKind::kInvalidArgument, "It has no metadata location"})
            : ReadFacts(kind, location);
    if (facts) {
      CheckFacts(levels, location, *facts);
      return {};
    }
    std::optional<Entry> entry;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(entry, reader.FindEntry(KeyOf(name)));
      return {};
    }));
    if (!entry || entry->kind != kind) return {};
    if (entry->metadata_location == location) {
      const ErrorKind error = facts.error().kind;
      const char* code = "metadata-unreadable";
      if (location.empty()) code = "no-metadata-location";
      if (error == ErrorKind::kNotFound) code = "metadata-missing";
      if (error == ErrorKind::kValidation) code = "metadata-invalid";
      Add(Severity::kProblem, code, levels,
          error == ErrorKind::kNotFound ? "Its metadata file does not exist: " + location
                                        : facts.error().message);
      return {};
    }
    location = entry->metadata_location;
  }
}

Result<Checker::Facts> Checker::ReadFacts(EntryKind kind, const std::string& location) {
  if (kind == EntryKind::kView) {
    BERGLITE_ASSIGN_OR_RETURN(const metadata::ViewMetadata view, views_.ReadAfresh(location));
    return Facts{view.location(), "", {}};
  }
  BERGLITE_ASSIGN_OR_RETURN(const metadata::TableMetadata table, tables_.ReadAfresh(location));
  return Facts{table.location(), metadata::MetadataDirectory(table),
               metadata::FilesNamedIn(table.json())};
}

void Checker::CheckFacts(const Namespace& name, const std::string& location, const Facts& facts) {
  const auto [owner, is_first] = owners_.emplace(PathOrLocation(location), name);
  if (!is_first) {
    Add(Severity::kNote, "same-metadata", name,
        "It has the metadata file of " + ToString(owner->second) + ": " + location);
  }
  const Status writable = file_io_.CheckWritable(facts.location);
  if (!writable) Add(Severity::kNote, "outside-locations", name, writable.error().message);
  size_t missing = 0;
  std::string first;
  for (const std::string& list : facts.files.manifest_lists) {
    const Result<bool> exists = file_io_.Exists(list);
    if (!exists || *exists) continue;  // what cannot be looked at from here is not judged
    if (++missing == 1) first = list;
  }
  if (missing > 0) {
    Add(Severity::kProblem, "manifest-list-missing", name,
        std::to_string(missing) + " of its " + std::to_string(facts.files.manifest_lists.size()) +
            " snapshots have a manifest list that does not exist; the first: " + first);
  }
  known_files_.insert(PathOrLocation(location));
  for (const std::string& file : facts.files.metadata_log) {
    known_files_.insert(PathOrLocation(file));
  }
  if (!facts.metadata_directory.empty()) CollectOrphans(name, facts);
}

void Checker::CheckFunction(const EntryRow& row) {
  const TableIdentifier name = NameOfRow(row);
  if (!IsInScope(name.name_space, name.name)) return;
  const Result<bool> exists = file_io_.Exists(row.metadata_location);
  if (exists && *exists) return;
  Add(Severity::kProblem, exists ? "metadata-missing" : "metadata-unreadable", LevelsOf(name),
      exists ? "The metadata file of the function does not exist: " + row.metadata_location
             : exists.error().message);
}

void Checker::CollectOrphans(const Namespace& name, const Facts& facts) {
  const Result<std::vector<std::string>> files = file_io_.List(facts.metadata_directory);
  if (!files) return;
  const std::string directory = PathOrLocation(facts.metadata_directory);
  for (const std::string& file : *files) {
    if (IsMetadataFileName(file)) found_files_.emplace(directory + "/" + file, name);
  }
}

Status Checker::AddOrphans() {
  for (const auto& [path, name] : found_files_) {
    if (known_files_.contains(path)) continue;
    const std::string location = storage::UriOf(path);
    bool is_pointed_at = false;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(is_pointed_at, reader.IsPointedAt(location));
      return {};
    }));
    if (is_pointed_at) continue;
    Add(Severity::kNote, "orphan-metadata", name,
        "No pointer and no metadata log names " + location);
  }
  return {};
}

Result<CheckReport> SqliteCatalog::Check(const CheckOptions& options) {
  return Checker(*store_, *file_io_, tables_, views_, options).Run();
}

Status SqliteCatalog::Backup(const std::string& path, const BackupOptions& options) {
  return store_->CopyTo(path, options.on_progress);
}

}  // namespace berglite::catalog
