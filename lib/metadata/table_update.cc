#include "lib/metadata/table_update.h"

#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_edit.h"
#include "lib/metadata/update_list.h"

namespace berglite::metadata {
namespace {

using Row = UpdateRow<TableEdit>;
using Rows = std::vector<const Row*>;

constexpr Row kTableUpdates[] = {
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

// The version that the first upgrade-format-version asks for.
Result<int32_t> FormatVersionToCreate(const Rows& rows, const Json& updates) {
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

std::vector<std::string> TableUpdateActions() { return ActionsOf(kTableUpdates); }

Result<std::optional<TableMetadata>> ApplyTableUpdates(TableMetadata base,
                                                       const std::string& base_location,
                                                       const Json& updates,
                                                       Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(Rows rows, FindRows(kTableUpdates, updates, "table"));
  if (rows.empty()) return std::optional<TableMetadata>();
  const int64_t base_updated_ms = base.last_updated_ms();
  Json table = TableMetadata::TakeJson(std::move(base));
  TableEdit edit(EditableTable(std::move(table), environment), environment);
  BERGLITE_RETURN_IF_ERROR(ApplyRows(rows, updates, edit));
  if (!edit.changed()) return std::optional<TableMetadata>();
  edit.LogPrevious(base_updated_ms, base_location);
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata next, edit.Finish());
  return std::optional<TableMetadata>(std::move(next));
}

Result<TableMetadata> CreateFromUpdates(const Json& updates, Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(Rows rows, FindRows(kTableUpdates, updates, "table"));
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, FormatVersionToCreate(rows, updates));
  TableEdit edit(EmptyTable(version), environment);
  BERGLITE_RETURN_IF_ERROR(ApplyRows(rows, updates, edit));
  return edit.Finish();
}

}  // namespace berglite::metadata
