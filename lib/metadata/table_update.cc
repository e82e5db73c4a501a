#include "lib/metadata/table_update.h"

#include <utility>

#include "lib/base/limits.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_edit.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

struct TableUpdate {
  std::string_view action;
  Status (TableEdit::*apply)(const Json& update);
};

constexpr TableUpdate kTableUpdates[] = {
    {"assign-uuid", &TableEdit::AssignUuid},
    {"upgrade-format-version", &TableEdit::UpgradeFormatVersion},
    {"add-schema", &TableEdit::AddSchema},
    {"set-current-schema", &TableEdit::SetCurrentSchema},
    {"add-spec", &TableEdit::AddSpec},
    {"set-default-spec", &TableEdit::SetDefaultSpec},
    {"add-sort-order", &TableEdit::AddSortOrder},
    {"set-default-sort-order", &TableEdit::SetDefaultSortOrder},
    {"add-snapshot", &TableEdit::AddSnapshot},
    {"set-snapshot-ref", &TableEdit::SetSnapshotRef},
    {"remove-snapshots", &TableEdit::RemoveSnapshots},
    {"remove-snapshot-ref", &TableEdit::RemoveSnapshotRef},
    {"set-location", &TableEdit::SetLocation},
    {"set-properties", &TableEdit::SetProperties},
    {"remove-properties", &TableEdit::RemoveProperties},
    {"set-statistics", &TableEdit::SetStatistics},
    {"remove-statistics", &TableEdit::RemoveStatistics},
    {"set-partition-statistics", &TableEdit::SetPartitionStatistics},
    {"remove-partition-statistics", &TableEdit::RemovePartitionStatistics},
    {"remove-partition-specs", &TableEdit::RemovePartitionSpecs},
    {"remove-schemas", &TableEdit::RemoveSchemas},
    {"add-encryption-key", &TableEdit::AddEncryptionKey},
    {"remove-encryption-key", &TableEdit::RemoveEncryptionKey},
};

constexpr std::string_view kViewActions[] = {"add-view-version", "set-current-view-version"};

Result<const TableUpdate*> FindTableUpdate(const Json& update) {
  if (!update.is_object()) {
    return InvalidArgument("Cannot parse update: expected an object, found " +
                           std::string(JsonKindName(update)));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string requested, GetString(update, keys::kAction));
  std::string action = AsciiLower(requested);
  for (const TableUpdate& row : kTableUpdates) {
    if (row.action == action) return &row;
  }
  for (std::string_view view_action : kViewActions) {
    if (view_action == action) {
      return InvalidArgument("Cannot apply update " + action + " to a table");
    }
  }
  return InvalidArgument("Cannot convert metadata update action to json: " + requested);
}

// Looks all of them up before any is applied: an unknown one is told whatever the others do.
Result<std::vector<const TableUpdate*>> FindTableUpdates(const Json& updates) {
  if (!updates.is_array()) {
    return InvalidArgument("Cannot parse updates: expected an array, found " +
                           std::string(JsonKindName(updates)));
  }
  if (updates.size() > limits::kUpdatesPerCommitMax) {
    return InvalidArgument("Cannot apply " + std::to_string(updates.size()) +
                           " updates in one commit: the limit is " +
                           std::to_string(limits::kUpdatesPerCommitMax));
  }
  std::vector<const TableUpdate*> rows;
  rows.reserve(updates.size());
  for (const Json& update : updates) {
    BERGLITE_ASSIGN_OR_RETURN(const TableUpdate* row, FindTableUpdate(update));
    rows.push_back(row);
  }
  return rows;
}

Status ApplyAll(const std::vector<const TableUpdate*>& rows, const Json& updates, TableEdit& edit) {
  for (size_t i = 0; i < rows.size(); ++i) {
    BERGLITE_RETURN_IF_ERROR((edit.*(rows[i]->apply))(updates[i]));
  }
  return {};
}

// The version that the first upgrade-format-version asks for.
Result<int32_t> FormatVersionToCreate(const std::vector<const TableUpdate*>& rows,
                                      const Json& updates) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->action != "upgrade-format-version") continue;
    BERGLITE_ASSIGN_OR_RETURN(int32_t version, GetInt32(updates[i], keys::kFormatVersion));
    if (version >= 1 && version <= kFormatVersionMax) return version;
    return ValidationError("Cannot upgrade table to unsupported format version: v" +
                           std::to_string(version) + " (supported: v" +
                           std::to_string(kFormatVersionMax) + ")");
  }
  return kFormatVersionDefault;
}

}  // namespace

std::vector<std::string> TableUpdateActions() {
  std::vector<std::string> actions;
  for (const TableUpdate& row : kTableUpdates) actions.emplace_back(row.action);
  return actions;
}

Result<std::optional<TableMetadata>> ApplyTableUpdates(const TableMetadata& base,
                                                       const std::string& base_location,
                                                       const Json& updates,
                                                       Environment& environment) {
  using Rows = std::vector<const TableUpdate*>;
  BERGLITE_ASSIGN_OR_RETURN(Rows rows, FindTableUpdates(updates));
  if (rows.empty()) return std::optional<TableMetadata>();
  TableEdit edit(EditableTable(base.json(), environment), environment);
  BERGLITE_RETURN_IF_ERROR(ApplyAll(rows, updates, edit));
  if (!edit.changed()) return std::optional<TableMetadata>();
  edit.LogPrevious(base, base_location);
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata next, edit.Finish());
  return std::optional<TableMetadata>(std::move(next));
}

Result<TableMetadata> CreateFromUpdates(const Json& updates, Environment& environment) {
  using Rows = std::vector<const TableUpdate*>;
  BERGLITE_ASSIGN_OR_RETURN(Rows rows, FindTableUpdates(updates));
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, FormatVersionToCreate(rows, updates));
  TableEdit edit(EmptyTable(version), environment);
  BERGLITE_RETURN_IF_ERROR(ApplyAll(rows, updates, edit));
  return edit.Finish();
}

}  // namespace berglite::metadata
