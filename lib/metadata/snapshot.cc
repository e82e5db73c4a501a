#include "lib/metadata/snapshot.h"

#include <array>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

// Iceberg reads an absent summary as none, and refuses one that is null.
Status CheckSummary(const Json& snapshot) {
  auto summary = snapshot.find(keys::kSummary);
  if (summary == snapshot.end()) return {};
  return CheckStringMap(*summary, keys::kSummary);
}

Status CheckManifests(const Json& snapshot) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> list,
                            FindString(snapshot, keys::kManifestList));
  if (list) return {};
  const Json* manifests = FindMember(snapshot, keys::kManifests);
  if (manifests == nullptr) {
    return InvalidArgument(std::string("Cannot parse missing field: ") + keys::kManifestList);
  }
  BERGLITE_RETURN_IF_ERROR(AsStrings(*manifests, keys::kManifests));
  return {};
}

Status CheckRows(const Json& snapshot) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> first, FindInt64(snapshot, keys::kFirstRowId));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> added, FindInt64(snapshot, keys::kAddedRows));
  if (first && *first < 0) {
    return InvalidArgument("Invalid first-row-id (cannot be negative): " + std::to_string(*first));
  }
  if (added && *added < 0) {
    return InvalidArgument("Invalid added-rows (cannot be negative): " + std::to_string(*added));
  }
  if (first && !added) {
    return InvalidArgument("Invalid added-rows (required when first-row-id is set): null");
  }
  return {};
}

// Copies the member `key` of `json`, a positive integer, to `ref` where it is there.
Status CopyRetention(const Json& json, const char* key, const char* label, Json& ref) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> value, FindInt64(json, key));
  if (!value) return {};
  if (*value <= 0) {
    return InvalidArgument(std::string(label) + " must be greater than 0, found " +
                           std::to_string(*value));
  }
  ref[key] = *value;
  return {};
}

Status CheckBlob(const Json& blob) {
  BERGLITE_RETURN_IF_ERROR(GetString(blob, keys::kType));
  BERGLITE_RETURN_IF_ERROR(GetInt64(blob, keys::kSnapshotId));
  BERGLITE_RETURN_IF_ERROR(GetInt64(blob, keys::kSequenceNumber));
  BERGLITE_ASSIGN_OR_RETURN(const Json* fields, GetArray(blob, keys::kFields));
  BERGLITE_RETURN_IF_ERROR(AsInt64s(*fields, keys::kFields));
  const Json* properties = FindMember(blob, keys::kProperties);
  return properties == nullptr ? Status() : CheckStringMap(*properties, keys::kProperties);
}

}  // namespace

Status CheckSnapshot(const Json& snapshot) {
  if (!snapshot.is_object()) {
    return InvalidArgument("Cannot parse snapshot: expected an object, found " +
                           std::string(JsonKindName(snapshot)));
  }
  BERGLITE_RETURN_IF_ERROR(GetInt64(snapshot, keys::kSnapshotId));
  BERGLITE_RETURN_IF_ERROR(FindInt64(snapshot, keys::kParentSnapshotId));
  BERGLITE_RETURN_IF_ERROR(FindInt64(snapshot, keys::kSequenceNumber));
  BERGLITE_RETURN_IF_ERROR(GetInt64(snapshot, keys::kTimestampMs));
  BERGLITE_RETURN_IF_ERROR(FindInt32(snapshot, keys::kSchemaId));
  BERGLITE_RETURN_IF_ERROR(FindString(snapshot, keys::kKeyId));
  BERGLITE_RETURN_IF_ERROR(CheckSummary(snapshot));
  BERGLITE_RETURN_IF_ERROR(CheckManifests(snapshot));
  return CheckRows(snapshot);
}

Result<Json> ReadSnapshotRef(const Json& json) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t snapshot_id, GetInt64(json, keys::kSnapshotId));
  BERGLITE_ASSIGN_OR_RETURN(std::string type, GetString(json, keys::kType));
  BERGLITE_RETURN_IF_ERROR(FindInt32(json, keys::kMinSnapshotsToKeep));
  Json ref = Json::object();
  ref[keys::kSnapshotId] = snapshot_id;
  ref[keys::kType] = AsciiLower(type);
  BERGLITE_RETURN_IF_ERROR(
      CopyRetention(json, keys::kMinSnapshotsToKeep, "Min snapshots to keep", ref));
  BERGLITE_RETURN_IF_ERROR(
      CopyRetention(json, keys::kMaxSnapshotAgeMs, "Max snapshot age in ms", ref));
  BERGLITE_RETURN_IF_ERROR(CopyRetention(json, keys::kMaxRefAgeMs, "Max reference age in ms", ref));
  if (ref[keys::kType] == kBranch) return ref;
  if (ref[keys::kType] != kTag) {
    return InvalidArgument("Invalid snapshot reference type: expected branch or tag, found " +
                           type);
  }
  if (ref.contains(keys::kMinSnapshotsToKeep)) {
    return InvalidArgument("Tags do not support setting minSnapshotsToKeep");
  }
  if (ref.contains(keys::kMaxSnapshotAgeMs)) {
    return InvalidArgument("Tags do not support setting maxSnapshotAgeMs");
  }
  return ref;
}

Status CheckStatisticsFile(const Json& file) {
  BERGLITE_RETURN_IF_ERROR(CheckPartitionStatisticsFile(file));
  BERGLITE_RETURN_IF_ERROR(GetInt64(file, keys::kFileFooterSizeInBytes));
  BERGLITE_ASSIGN_OR_RETURN(const Json* blobs, GetArray(file, keys::kBlobMetadata));
  for (const Json& blob : *blobs) BERGLITE_RETURN_IF_ERROR(CheckBlob(blob));
  return {};
}

Status CheckPartitionStatisticsFile(const Json& file) {
  BERGLITE_RETURN_IF_ERROR(GetInt64(file, keys::kSnapshotId));
  BERGLITE_RETURN_IF_ERROR(GetString(file, keys::kStatisticsPath));
  BERGLITE_RETURN_IF_ERROR(GetInt64(file, keys::kFileSizeInBytes));
  return {};
}

}  // namespace berglite::metadata
