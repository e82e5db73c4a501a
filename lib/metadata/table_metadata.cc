#include "lib/metadata/table_metadata.h"

#include <unordered_set>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/snapshot.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

// How far entries of a log may go back in time: the clocks of writers differ.
constexpr int64_t kLogSlackMs = 60'000;

using Ids = std::unordered_set<int64_t>;

bool IsTooEarly(int64_t timestamp_ms, int64_t previous_ms) {
  return previous_ms >= kLogSlackMs && timestamp_ms < previous_ms - kLogSlackMs;
}

Status CheckLastSequenceNumber(const Json& table, int32_t version) {
  if (version >= 2) {
    BERGLITE_RETURN_IF_ERROR(GetInt64(table, keys::kLastSequenceNumber));
    return {};
  }
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> last,
                            FindInt64(table, keys::kLastSequenceNumber));
  if (last.value_or(0) == 0) return {};
  return ValidationError("Sequence number must be 0 in v1: " + std::to_string(*last));
}

Status CheckHead(const Json& table, int32_t version) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> uuid, FindString(table, keys::kTableUuid));
  if (version >= 2 && (!uuid || uuid->empty())) {
    return ValidationError("Cannot parse missing field: table-uuid (required in format v" +
                           std::to_string(version) + ")");
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string location, GetString(table, keys::kLocation));
  if (location.empty()) return ValidationError("Invalid location: empty");
  BERGLITE_RETURN_IF_ERROR(GetInt64(table, keys::kLastUpdatedMs));
  BERGLITE_RETURN_IF_ERROR(GetInt32(table, keys::kLastColumnId));
  BERGLITE_RETURN_IF_ERROR(GetInt32(table, keys::kLastPartitionId));
  BERGLITE_RETURN_IF_ERROR(FindInt64(table, keys::kCurrentSnapshotId));
  BERGLITE_RETURN_IF_ERROR(CheckLastSequenceNumber(table, version));
  if (version >= 3) BERGLITE_RETURN_IF_ERROR(GetInt64(table, keys::kNextRowId));
  const Json* properties = FindMember(table, keys::kProperties);
  return properties == nullptr ? Status() : CheckStringMap(*properties, keys::kProperties);
}

// A list of schemas, specs or sort orders and the id of the one in use.
struct LayoutList {
  std::string_view list_key;
  std::string_view id_key;
  std::string_view current_key;
};
constexpr LayoutList kLayoutLists[] = {
    {keys::kSchemas, keys::kSchemaId, keys::kCurrentSchemaId},
    {keys::kPartitionSpecs, keys::kSpecId, keys::kDefaultSpecId},
    {keys::kSortOrders, keys::kOrderId, keys::kDefaultSortOrderId},
};

Status CheckLayoutList(const Json& table, const LayoutList& layout) {
  BERGLITE_RETURN_IF_ERROR(GetArray(table, layout.list_key));
  BERGLITE_ASSIGN_OR_RETURN(const Json* list, FindObjects(table, layout.list_key));
  Ids ids;
  for (const Json& element : *list) {
    BERGLITE_ASSIGN_OR_RETURN(int32_t id, GetInt32(element, layout.id_key));
    BERGLITE_RETURN_IF_ERROR(GetArray(element, keys::kFields));
    if (!ids.insert(id).second) {
      return ValidationError("Invalid table metadata: " + std::string(layout.list_key) +
                             " has two of " + std::string(layout.id_key) + " " +
                             std::to_string(id));
    }
  }
  BERGLITE_ASSIGN_OR_RETURN(int32_t current, GetInt32(table, layout.current_key));
  // Sort order 0 is the unsorted one, which some writers leave out.
  bool is_implied = current == 0 && layout.list_key == keys::kSortOrders && list->empty();
  if (ids.contains(current) || is_implied) return {};
  return ValidationError("Invalid table metadata: Cannot find " + std::string(layout.id_key) +
                         " with " + std::string(layout.current_key) + "=" +
                         std::to_string(current) + " in " + std::string(layout.list_key));
}

Result<Ids> CheckSnapshots(const Json& table, int32_t version) {
  int64_t last_sequence = version == 1 ? 0 : IntegerOf(table, keys::kLastSequenceNumber);
  BERGLITE_ASSIGN_OR_RETURN(const Json* snapshots, FindObjects(table, keys::kSnapshots));
  Ids ids;
  ids.reserve(snapshots->size());
  for (const Json& snapshot : *snapshots) {
    BERGLITE_RETURN_IF_ERROR(CheckSnapshot(snapshot));
    int64_t id = IntegerOf(snapshot, keys::kSnapshotId);
    BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> sequence,
                              FindInt64(snapshot, keys::kSequenceNumber));
    if (sequence.value_or(0) > last_sequence) {
      return ValidationError("Invalid snapshot with sequence number " + std::to_string(*sequence) +
                             " greater than last sequence number " + std::to_string(last_sequence));
    }
    if (!ids.insert(id).second) {
      return ValidationError("Invalid table metadata: two snapshots of id " + std::to_string(id));
    }
  }
  int64_t current = CurrentSnapshotId(table);
  if (current != kNoSnapshotId && !ids.contains(current)) {
    return ValidationError("Invalid table metadata: Cannot find current snapshot " +
                           std::to_string(current));
  }
  return ids;
}

// main and the current snapshot are one thing told twice.
Status CheckMain(const Json& table) {
  int64_t current = CurrentSnapshotId(table);
  Json main = FindRef(table, kMainBranch);
  if (main.is_null()) {
    if (current == kNoSnapshotId) return {};
    return ValidationError("Current snapshot is set, but main branch does not exist");
  }
  int64_t id = IntegerOf(main, keys::kSnapshotId);
  if (current == kNoSnapshotId) {
    return ValidationError("Current snapshot is not set, but main branch exists: " +
                           std::to_string(id));
  }
  if (id == current) return {};
  return ValidationError("Current snapshot ID does not match main branch (" +
                         std::to_string(current) + " != " + std::to_string(id) + ")");
}

Status CheckRefs(const Json& table, const Ids& snapshots) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* refs, FindObject(table, keys::kRefs));
  if (refs != nullptr) {
    for (const auto& [name, json] : refs->items()) {
      BERGLITE_ASSIGN_OR_RETURN(Json ref, ReadSnapshotRef(json));
      if (!snapshots.contains(IntegerOf(ref, keys::kSnapshotId))) {
        return ValidationError("Snapshot for reference " + name +
                               " does not exist in the existing snapshots list");
      }
    }
  }
  return CheckMain(table);
}

Status CheckLog(const Json& table, std::string_view key) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* log, FindObjects(table, key));
  int64_t last = 0;
  for (const Json& entry : *log) {
    BERGLITE_ASSIGN_OR_RETURN(int64_t timestamp_ms, GetInt64(entry, keys::kTimestampMs));
    if (IsTooEarly(timestamp_ms, last)) {
      return ValidationError("Expected sorted " + std::string(key) + " entries: " +
                             std::to_string(timestamp_ms) + " follows " + std::to_string(last));
    }
    if (key == keys::kSnapshotLog) {
      BERGLITE_RETURN_IF_ERROR(GetInt64(entry, keys::kSnapshotId));
    } else {
      BERGLITE_RETURN_IF_ERROR(GetString(entry, keys::kMetadataFile));
    }
    last = timestamp_ms;
  }
  int64_t updated = IntegerOf(table, keys::kLastUpdatedMs);
  if (!IsTooEarly(updated, last)) return {};
  return ValidationError("Invalid update timestamp " + std::to_string(updated) + ": before last " +
                         std::string(key) + " entry at " + std::to_string(last));
}

Status CheckFiles(const Json& table) {
  for (const char* key : {keys::kStatistics, keys::kPartitionStatistics}) {
    BERGLITE_ASSIGN_OR_RETURN(const Json* files, FindObjects(table, key));
    for (const Json& file : *files) BERGLITE_RETURN_IF_ERROR(GetInt64(file, keys::kSnapshotId));
  }
  BERGLITE_ASSIGN_OR_RETURN(const Json* encryption, FindObjects(table, keys::kEncryptionKeys));
  for (const Json& key : *encryption) BERGLITE_RETURN_IF_ERROR(GetString(key, keys::kKeyId));
  return {};
}

Status CheckTable(const Json& table, int32_t version) {
  BERGLITE_RETURN_IF_ERROR(CheckHead(table, version));
  for (const LayoutList& layout : kLayoutLists) {
    BERGLITE_RETURN_IF_ERROR(CheckLayoutList(table, layout));
  }
  BERGLITE_ASSIGN_OR_RETURN(Ids snapshots, CheckSnapshots(table, version));
  BERGLITE_RETURN_IF_ERROR(CheckRefs(table, snapshots));
  BERGLITE_RETURN_IF_ERROR(CheckLog(table, keys::kSnapshotLog));
  BERGLITE_RETURN_IF_ERROR(CheckLog(table, keys::kMetadataLog));
  return CheckFiles(table);
}

Status CheckVersion1(const Json& table) {
  Json completed = table;
  BERGLITE_RETURN_IF_ERROR(CompleteVersion1(completed));
  return CheckTable(completed, 1);
}

Result<int32_t> ReadFormatVersion(const Json& table) {
  if (!table.is_object()) {
    return InvalidArgument("Cannot parse table metadata: expected an object, found " +
                           std::string(JsonKindName(table)));
  }
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, GetInt32(table, keys::kFormatVersion));
  if (version >= 1 && version <= kFormatVersionMax) return version;
  return ValidationError("Cannot read unsupported version " + std::to_string(version) +
                         ": format versions 1 to " + std::to_string(kFormatVersionMax) +
                         " are supported");
}

}  // namespace

Result<TableMetadata> TableMetadata::Parse(Document document) {
  TableMetadata metadata(std::move(document));
  const Json& table = metadata.json();
  Result<int32_t> version = ReadFormatVersion(table);
  if (!version) return AsValidation(version.error());
  Status status = *version == 1 ? CheckVersion1(table) : CheckTable(table, *version);
  if (!status) return AsValidation(status.error());

  metadata.format_version_ = *version;
  metadata.uuid_ = FindString(table, keys::kTableUuid)->value_or("");
  metadata.location_ = WithoutTrailingSlashes(*GetString(table, keys::kLocation));
  metadata.last_updated_ms_ = IntegerOf(table, keys::kLastUpdatedMs);
  return metadata;
}

TableMetadata TableMetadata::Unparsed() const {
  TableMetadata copy = *this;
  copy.document_ = DocumentAccess::FromTrustedText(document_.text());
  return copy;
}

std::optional<std::string> TableMetadata::Property(std::string_view name) const {
  return PropertyOf(json(), name);
}

Document WithReferencedSnapshotsOnly(const TableMetadata& metadata) {
  const Json& table = metadata.json();
  Ids referenced;
  if (const Json* refs = FindMember(table, keys::kRefs)) {
    for (const Json& ref : *refs) referenced.insert(IntegerOf(ref, keys::kSnapshotId));
  }
  // main, also where an older document has no refs.
  referenced.insert(CurrentSnapshotId(table));

  Json reduced = Json::object();
  for (const auto& [key, value] : table.items()) {
    bool is_by_snapshot =
        key == keys::kSnapshots || key == keys::kStatistics || key == keys::kPartitionStatistics;
    if (!is_by_snapshot || !value.is_array()) {
      reduced[key] = value;
      continue;
    }
    Json& kept = reduced[key] = Json::array();
    for (const Json& element : value) {
      if (referenced.contains(IntegerOf(element, keys::kSnapshotId))) kept.push_back(element);
    }
  }
  return DocumentAccess::FromDom(std::move(reduced));
}

}  // namespace berglite::metadata
