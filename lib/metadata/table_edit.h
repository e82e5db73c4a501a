// TableEdit: the state of one edit of a table, from the first update to the new metadata.
//
// Each update of the REST specification is a method named after its action; table_update.cc calls
// them by name. A method that fails may leave the edit half done: it is to be thrown away.
//
// Threads: one at a time. Ownership: the environment must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/metadata/indexed_array.h"
#include "lib/metadata/schema.h"
#include "lib/metadata/table_metadata.h"

namespace berglite::metadata {

class TableEdit {
 public:
  // `table` is of EmptyTable or EditableTable.
  TableEdit(Json table, Environment& environment);

  // The updates. Errors: those of ApplyTableUpdates. In table_edit.cc:
  Status AssignUuid(const Json& update);
  Status UpgradeFormatVersion(const Json& update);
  Status SetLocation(const Json& update);
  Status SetProperties(const Json& update);
  Status RemoveProperties(const Json& update);
  Status AddEncryptionKey(const Json& update);
  Status RemoveEncryptionKey(const Json& update);
  // In table_edit_layout.cc:
  Status AddSchema(const Json& update);
  Status SetCurrentSchema(const Json& update);
  Status RemoveSchemas(const Json& update);
  Status AddSpec(const Json& update);
  Status SetDefaultSpec(const Json& update);
  Status RemovePartitionSpecs(const Json& update);
  Status AddSortOrder(const Json& update);
  Status SetDefaultSortOrder(const Json& update);
  // In table_edit_snapshots.cc:
  Status AddSnapshot(const Json& update);
  Status RemoveSnapshots(const Json& update);
  Status SetSnapshotRef(const Json& update);
  Status RemoveSnapshotRef(const Json& update);
  Status SetStatistics(const Json& update);
  Status RemoveStatistics(const Json& update);
  Status SetPartitionStatistics(const Json& update);
  Status RemovePartitionStatistics(const Json& update);

  // Whether any update so far counts as a change.
  bool changed() const { return changed_; }

  // Notes in the metadata log that the metadata stored at `location`, last updated then, came
  // before.
  void LogPrevious(int64_t last_updated_ms, const std::string& location);

  // The new metadata, checked. Call it once, last. Errors: kValidation.
  Result<TableMetadata> Finish();

 private:
  // What schemas, partition specs and sort orders have in common.
  struct Layout;
  static const Layout kSchemaLayout;
  static const Layout kSpecLayout;
  static const Layout kOrderLayout;

  int64_t FormatVersion() const;
  int64_t NowMsForLog() const;

  // The current schema, parsed once. Errors: kValidation where none is set.
  Result<const Schema*> CurrentSchema();
  // Adds `element` under the next id, at least `first_id`, or finds the one that `is_same` holds
  // for equal. Returns its id.
  Result<int32_t> AddOrReuse(const Layout& layout, Json element, int32_t first_id,
                             bool (*is_same)(const Json&, const Json&));
  void Append(const Layout& layout, Json element, int32_t id);
  // Whether the one in use is another now.
  Result<bool> SetInUse(const Layout& layout, const Json& update,
                        std::optional<int32_t> last_added);
  Status RemoveUnused(const Layout& layout, const Json& update, const char* ids_key);
  // Whether the spec and order in use fit the current schema.
  Status CheckLayout();

  Status CheckNewSnapshot(const Json& snapshot);
  Status CountRows(const Json& snapshot);
  void SetMain(int64_t snapshot_id);
  void EraseRef(const std::string& name);
  Status PruneSnapshotLog();
  void TrimMetadataLog();

  Json table_;
  // Taken out of table_ until Finish.
  IndexedArray snapshots_;
  IndexedArray statistics_;
  IndexedArray partition_statistics_;
  std::unordered_multimap<int64_t, std::string> ref_names_by_snapshot_;
  Environment& environment_;

  bool changed_ = false;
  bool layout_changed_ = false;
  bool snapshots_removed_ = false;
  std::unordered_set<int64_t> added_snapshots_;
  // Snapshots added by this edit that were main for a while.
  std::unordered_set<int64_t> added_mains_;
  // Set by an update that makes a snapshot main.
  std::optional<int64_t> last_updated_ms_;
  std::optional<int32_t> last_added_schema_;
  std::optional<int32_t> last_added_spec_;
  std::optional<int32_t> last_added_order_;
  std::optional<Schema> current_schema_;
};

}  // namespace berglite::metadata
