// Updates of what a table holds: snapshots, references to them, statistics about them.
#include <algorithm>
#include <limits>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/snapshot.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_edit.h"

namespace berglite::metadata {
namespace {

// For a change that is right but for its numbers: the client is to refresh and build it again.
Error RetryableError(const std::string& message) {
  return Error{ErrorKind::kCommitFailed, "Validation failed, please retry: " + message};
}

// Snapshots can only be written to a table that has a layout. Iceberg's own words.
Status CheckHasLayout(const Json& table) {
  struct Need {
    const char* key;
    const char* name;
  };
  for (const Need& need :
       {Need{keys::kSchemas, "schema"}, Need{keys::kPartitionSpecs, "partition spec"},
        Need{keys::kSortOrders, "sort order"}}) {
    if (table.at(need.key).empty()) {
      return ValidationError("Attempting to add a snapshot before a " + std::string(need.name) +
                             " is added");
    }
  }
  return {};
}

Result<std::vector<int64_t>> GetIds(const Json& update, const char* key) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* member, GetArray(update, key));
  return AsInt64s(*member, key);
}

// The known members alone count.
bool IsSameRef(const Json& stored, const Json& requested) {
  Result<Json> known = ReadSnapshotRef(stored);
  return known.has_value() && *known == requested;
}

}  // namespace

Status TableEdit::CheckNewSnapshot(const Json& snapshot) {
  BERGLITE_RETURN_IF_ERROR(CheckSnapshot(snapshot));
  int64_t id = IntegerOf(snapshot, keys::kSnapshotId);
  if (id == kNoSnapshotId) {
    return ValidationError("Invalid snapshot id: -1 stands for no snapshot");
  }
  if (snapshots_.Find(id) != nullptr) {
    return ValidationError("Snapshot already exists for id: " + std::to_string(id));
  }
  int64_t sequence = FindInt64(snapshot, keys::kSequenceNumber)->value_or(0);
  if (FormatVersion() == 1) {
    if (sequence == 0) return {};
    return ValidationError("Sequence number must be 0 in v1: " + std::to_string(sequence));
  }
  BERGLITE_RETURN_IF_ERROR(GetString(snapshot, keys::kManifestList));
  int64_t last = IntegerOf(table_, keys::kLastSequenceNumber);
  bool has_parent = FindMember(snapshot, keys::kParentSnapshotId) != nullptr;
  if (sequence > last || !has_parent) return {};
  return RetryableError("Cannot add snapshot with sequence number " + std::to_string(sequence) +
                        " older than last sequence number " + std::to_string(last));
}

// Gives the rows of a snapshot their ids. The next row id never decreases.
Status TableEdit::CountRows(const Json& snapshot) {
  if (FindMember(snapshot, keys::kFirstRowId) == nullptr) {
    return ValidationError("Cannot add a snapshot: first-row-id is null");
  }
  int64_t first = IntegerOf(snapshot, keys::kFirstRowId);
  int64_t added = IntegerOf(snapshot, keys::kAddedRows);
  int64_t next = IntegerOf(table_, keys::kNextRowId);
  if (first < next) {
    return RetryableError("Cannot add a snapshot, first-row-id is behind table next-row-id: " +
                          std::to_string(first) + " < " + std::to_string(next));
  }
  if (added > std::numeric_limits<int64_t>::max() - first) {
    return ValidationError("Cannot add a snapshot: no row ids are left after first-row-id " +
                           std::to_string(first) + " for added-rows " + std::to_string(added));
  }
  table_[keys::kNextRowId] = first + added;
  return {};
}

Status TableEdit::AddSnapshot(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* requested, GetObject(update, keys::kSnapshot));
  BERGLITE_RETURN_IF_ERROR(CheckHasLayout(table_));
  BERGLITE_RETURN_IF_ERROR(CheckNewSnapshot(*requested));
  int64_t version = FormatVersion();
  if (version >= 3) BERGLITE_RETURN_IF_ERROR(CountRows(*requested));
  if (version >= 2) {
    int64_t sequence = FindInt64(*requested, keys::kSequenceNumber)->value_or(0);
    table_[keys::kLastSequenceNumber] =
        std::max(sequence, IntegerOf(table_, keys::kLastSequenceNumber));
  }
  Json snapshot = *requested;
  EraseNullMembers(snapshot);
  auto summary = snapshot.find(keys::kSummary);
  if (summary != snapshot.end() && !summary->empty() && !summary->contains(keys::kOperation)) {
    (*summary)[keys::kOperation] = "overwrite";
  }
  added_snapshots_.insert(IntegerOf(snapshot, keys::kSnapshotId));
  snapshots_.Put(std::move(snapshot));
  changed_ = true;
  return {};
}

Status TableEdit::RemoveSnapshots(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<int64_t> ids, GetIds(update, keys::kSnapshotIds));
  for (int64_t id : ids) {
    if (!snapshots_.Remove(id)) continue;
    statistics_.Remove(id);
    partition_statistics_.Remove(id);
    while (true) {
      auto ref = ref_names_by_snapshot_.find(id);
      if (ref == ref_names_by_snapshot_.end()) break;
      EraseRef(std::string(ref->second));
    }
    snapshots_removed_ = true;
    changed_ = true;
  }
  return {};
}

Status TableEdit::SetSnapshotRef(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string name, GetString(update, keys::kRefName));
  BERGLITE_ASSIGN_OR_RETURN(Json ref, ReadSnapshotRef(update));
  const Json* existing = FindMember(table_[keys::kRefs], name);
  if (existing != nullptr && IsSameRef(*existing, ref)) return {};
  int64_t id = IntegerOf(ref, keys::kSnapshotId);
  if (snapshots_.Find(id) == nullptr) {
    return ValidationError("Cannot set " + name + " to unknown snapshot: " + std::to_string(id));
  }
  if (name == kMainBranch && ref[keys::kType] != kBranch) {
    return ValidationError("Cannot set main to a tag, it must be a branch");
  }
  EraseRef(name);
  table_[keys::kRefs][name] = std::move(ref);
  ref_names_by_snapshot_.emplace(id, name);
  if (name == kMainBranch) SetMain(id);
  changed_ = true;
  return {};
}

void TableEdit::SetMain(int64_t snapshot_id) {
  bool is_added = added_snapshots_.contains(snapshot_id);
  int64_t timestamp_ms =
      is_added ? IntegerOf(*snapshots_.Find(snapshot_id), keys::kTimestampMs) : NowMsForLog();
  Json entry = Json::object();
  entry[keys::kTimestampMs] = timestamp_ms;
  entry[keys::kSnapshotId] = snapshot_id;
  table_[keys::kSnapshotLog].push_back(std::move(entry));
  table_[keys::kCurrentSnapshotId] = snapshot_id;
  last_updated_ms_ = timestamp_ms;
  if (is_added) added_mains_.insert(snapshot_id);
}

Status TableEdit::RemoveSnapshotRef(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string name, GetString(update, keys::kRefName));
  if (!table_[keys::kRefs].contains(name)) return {};
  EraseRef(name);
  changed_ = true;
  return {};
}

void TableEdit::EraseRef(const std::string& name) {
  Json& refs = table_[keys::kRefs];
  auto ref = refs.find(name);
  if (ref == refs.end()) return;
  auto [begin, end] = ref_names_by_snapshot_.equal_range(IntegerOf(*ref, keys::kSnapshotId));
  ref_names_by_snapshot_.erase(
      std::find_if(begin, end, [&name](const auto& entry) { return entry.second == name; }));
  refs.erase(ref);
  if (name == kMainBranch) table_[keys::kCurrentSnapshotId] = kNoSnapshotId;
}

// Drops snapshots that were main only within this edit, and history before a removed snapshot:
// with a gap, time travel would find the wrong one.
Status TableEdit::PruneSnapshotLog() {
  int64_t current = CurrentSnapshotId(table_);
  added_mains_.erase(current);
  Json& log = table_[keys::kSnapshotLog];
  if (log.empty() || (added_mains_.empty() && !snapshots_removed_)) return {};
  Json pruned = Json::array();
  for (Json& entry : log) {
    int64_t id = IntegerOf(entry, keys::kSnapshotId);
    if (snapshots_.Find(id) == nullptr) {
      if (snapshots_removed_) pruned = Json::array();
    } else if (!added_mains_.contains(id)) {
      pruned.push_back(std::move(entry));
    }
  }
  log = std::move(pruned);
  bool ends_with_current = !log.empty() && IntegerOf(log.back(), keys::kSnapshotId) == current;
  if (current == kNoSnapshotId || ends_with_current) return {};
  return ValidationError(
      "Cannot set invalid snapshot log: latest entry is not the current snapshot");
}

Status TableEdit::SetStatistics(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* file, GetObject(update, keys::kStatistics));
  BERGLITE_RETURN_IF_ERROR(CheckStatisticsFile(*file));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> outer, FindInt64(update, keys::kSnapshotId));
  int64_t inner = IntegerOf(*file, keys::kSnapshotId);
  if (outer && *outer != inner) {
    return InvalidArgument("Invalid set-statistics: snapshot-id " + std::to_string(*outer) +
                           " differs from that of the statistics, " + std::to_string(inner));
  }
  Json stored = *file;
  EraseNullMembers(stored);
  for (Json& blob : stored[keys::kBlobMetadata]) EraseNullMembers(blob);
  statistics_.Put(std::move(stored));
  changed_ = true;
  return {};
}

Status TableEdit::RemoveStatistics(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t id, GetInt64(update, keys::kSnapshotId));
  if (statistics_.Remove(id)) changed_ = true;
  return {};
}

Status TableEdit::SetPartitionStatistics(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* file, GetObject(update, keys::kPartitionStatistics));
  BERGLITE_RETURN_IF_ERROR(CheckPartitionStatisticsFile(*file));
  Json stored = *file;
  EraseNullMembers(stored);
  partition_statistics_.Put(std::move(stored));
  changed_ = true;
  return {};
}

Status TableEdit::RemovePartitionStatistics(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t id, GetInt64(update, keys::kSnapshotId));
  if (partition_statistics_.Remove(id)) changed_ = true;
  return {};
}

}  // namespace berglite::metadata
