// The commits of clients to tables: updateTable and commitTransaction.
#include <set>

#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/requirement.h"
#include "lib/metadata/table_update.h"

namespace berglite::catalog {

using metadata::TableMetadata;
using store::Entry;
using store::EntryKind;

Result<Plan> SqliteCatalog::PlanUpdate(const TableIdentifier& table, const CommitParts& parts,
                                       const Entry* entry) {
  BERGLITE_ASSIGN_OR_RETURN(bool creates, metadata::AssertsCreate(*parts.requirements));
  if (creates) {
    if (entry != nullptr && entry->kind != EntryKind::kTable) {
      return NameIsTaken(EntryKind::kTable, table, *entry);
    }
    if (entry != nullptr) {
      return Error{ErrorKind::kCommitFailed, "Requirement failed: table already exists"};
    }
    BERGLITE_ASSIGN_OR_RETURN(TableMetadata created,
                              metadata::CreateFromUpdates(*parts.updates, environment_));
    return PlanTable(nullptr, std::move(created));
  }
  if (entry == nullptr || entry->kind != EntryKind::kTable) {
    return NoSuchEntry(EntryKind::kTable, table);
  }
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata base, tables_.Read(entry->metadata_location));
  BERGLITE_RETURN_IF_ERROR(metadata::CheckTableRequirements(*parts.requirements, base));
  const TableBase kept{.metadata_location = entry->metadata_location,
                       .location = base.location(),
                       .logged_files = metadata::LoggedMetadataFiles(base)};
  // The edit has the parsed form to itself, which for a table with many snapshots saves most of the
  // work of a commit. Loads need only the text.
  const TableMetadata unparsed = base.Unparsed();
  tables_.Remember(entry->metadata_location, unparsed, "");
  BERGLITE_ASSIGN_OR_RETURN(std::optional<TableMetadata> next,
                            metadata::ApplyTableUpdates(std::move(base), entry->metadata_location,
                                                        *parts.updates, environment_));
  if (!next) {
    return Plan{.step = Plan::Step::kKeep, .next = {entry->metadata_location, unparsed.document()}};
  }
  return PlanTable(&kept, *std::move(next));
}

// `request` must outlive the change.
Result<Change> SqliteCatalog::ParseChange(const TableIdentifier& table, const Json& request) {
  BERGLITE_ASSIGN_OR_RETURN(CommitParts parts, ReadCommit(request));
  return Change{EntryKind::kTable, table, [this, table, parts](const Entry* entry) {
                  return PlanUpdate(table, parts, entry);
                }};
}

Result<LoadedTable> SqliteCatalog::UpdateTable(const TableIdentifier& table,
                                               const Document& request,
                                               const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = "updateTable",
                     .name_space = &table.name_space,
                     .name = &table.name,
                     .body = &request};
  auto replay = [&](const std::string& location) -> Result<LoadedTable> {
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, tables_.Recall(table, location));
    return ToCommitResponse(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<LoadedTable> {
    BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
    BERGLITE_ASSIGN_OR_RETURN(Change change, ParseChange(table, DocumentAccess::Dom(request)));
    BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredMetadata> tables,
                              committer_.Commit({std::move(change)}, mutation));
    return ToCommitResponse(tables.front());
  });
}

Status SqliteCatalog::CommitTransaction(const Document& request, const MutationOptions& options) {
  const Request call{.options = options, .operation = "commitTransaction", .body = &request};
  return idempotency_.Run(call, ReplayNothing, [&](Mutation& mutation) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(const Json* list,
                              GetArray(DocumentAccess::Dom(request), "table-changes"));
    if (list->empty()) return Error{ErrorKind::kInvalidArgument, "Invalid table changes: empty"};
    if (list->size() > limits::kTablesPerCommitMax) {
      return Error{ErrorKind::kInvalidArgument,
                   "Invalid table changes: " + std::to_string(list->size()) +
                       " are more than the limit of " +
                       std::to_string(limits::kTablesPerCommitMax)};
    }
    std::vector<Change> changes;
    std::set<std::pair<Namespace, std::string>> seen;
    for (const Json& item : *list) {
      const Json* identifier = FindMember(item, "identifier");
      if (identifier == nullptr) {
        return Error{ErrorKind::kInvalidArgument,
                     "Invalid table changes: table identifier is required"};
      }
      BERGLITE_ASSIGN_OR_RETURN(TableIdentifier table, ParseTableIdentifier(*identifier));
      if (!seen.emplace(table.name_space, table.name).second) {
        return Error{ErrorKind::kInvalidArgument,
                     "Invalid table changes: a table is changed twice: " + ToString(table)};
      }
      BERGLITE_ASSIGN_OR_RETURN(Change change, ParseChange(table, item));
      changes.push_back(std::move(change));
    }
    BERGLITE_RETURN_IF_ERROR(committer_.Commit(changes, mutation));
    return {};
  });
}

}  // namespace berglite::catalog
