#include "lib/metadata/table_edit.h"

#include <algorithm>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"
#include "lib/metadata/update_list.h"

namespace berglite::metadata {
namespace {

constexpr int32_t kPreviousVersionsMaxDefault = 100;

Json TakeMember(Json& table, const char* key) { return std::exchange(table[key], Json::array()); }

// The time of the newest entry of both logs.
int64_t LastLoggedMs(const Json& table) {
  int64_t last = 0;
  for (const char* key : {keys::kSnapshotLog, keys::kMetadataLog}) {
    const Json& log = table.at(key);
    if (!log.empty()) last = std::max(last, IntegerOf(log.back(), keys::kTimestampMs));
  }
  return last;
}

// An edit of nothing has no uuid, location, or layout in use until its updates bring them.
Status CheckIsComplete(const Json& table) {
  struct Need {
    const char* key;
    const char* action;
  };
  for (const Need& need :
       {Need{keys::kTableUuid, "assign-uuid"},
        Need{keys::kCurrentSchemaId, "add-schema and set-current-schema"},
        Need{keys::kDefaultSpecId, "add-spec and set-default-spec"},
        Need{keys::kDefaultSortOrderId, "add-sort-order and set-default-sort-order"},
        Need{keys::kLocation, "set-location"}}) {
    if (FindMember(table, need.key) == nullptr) {
      return ValidationError("Cannot create table without " + std::string(need.key) +
                             ": expected updates with " + need.action);
    }
  }
  return {};
}

}  // namespace

TableEdit::TableEdit(Json table, Environment& environment)
    : table_(std::move(table)),
      snapshots_(TakeMember(table_, keys::kSnapshots), keys::kSnapshotId),
      statistics_(TakeMember(table_, keys::kStatistics), keys::kSnapshotId),
      partition_statistics_(TakeMember(table_, keys::kPartitionStatistics), keys::kSnapshotId),
      environment_(environment) {
  for (const auto& [name, ref] : table_[keys::kRefs].items()) {
    ref_names_by_snapshot_.emplace(IntegerOf(ref, keys::kSnapshotId), name);
  }
}

int64_t TableEdit::FormatVersion() const { return IntegerOf(table_, keys::kFormatVersion); }

Status TableEdit::AssignUuid(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string uuid, GetString(update, keys::kUuid));
  if (uuid.empty()) return InvalidArgument("Invalid UUID: empty");
  const Json* current = FindMember(table_, keys::kTableUuid);
  if (current != nullptr && *current == uuid) return {};
  table_[keys::kTableUuid] = uuid;
  changed_ = true;
  return {};
}

Status TableEdit::UpgradeFormatVersion(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, GetInt32(update, keys::kFormatVersion));
  int64_t current = FormatVersion();
  if (version > kFormatVersionMax) {
    return ValidationError("Cannot upgrade table to unsupported format version: v" +
                           std::to_string(version) + " (supported: v" +
                           std::to_string(kFormatVersionMax) + ")");
  }
  if (version < current) {
    return ValidationError("Cannot downgrade v" + std::to_string(current) + " table to v" +
                           std::to_string(version));
  }
  if (version == current) return {};
  if (current == 1) {
    table_.erase(keys::kSchema);
    table_.erase(keys::kPartitionSpec);
  }
  table_[keys::kFormatVersion] = version;
  WriteVersionMembers(table_);
  changed_ = true;
  return {};
}

Status TableEdit::SetLocation(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplySetLocation(table_, update));
  changed_ |= changed;
  return {};
}

Status TableEdit::SetProperties(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplySetProperties(table_, update));
  changed_ |= changed;
  return {};
}

Status TableEdit::RemoveProperties(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplyRemoveProperties(table_, update));
  changed_ |= changed;
  return {};
}

Status TableEdit::AddEncryptionKey(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* key, GetObject(update, keys::kEncryptionKey));
  BERGLITE_ASSIGN_OR_RETURN(std::string id, GetString(*key, keys::kKeyId));
  BERGLITE_RETURN_IF_ERROR(GetString(*key, keys::kEncryptedKeyMetadata));
  BERGLITE_RETURN_IF_ERROR(FindString(*key, keys::kEncryptedById));
  if (const Json* properties = FindMember(*key, keys::kProperties)) {
    BERGLITE_RETURN_IF_ERROR(CheckStringMap(*properties, keys::kProperties));
  }
  Json& known = table_[keys::kEncryptionKeys];
  if (known.is_null()) known = Json::array();
  for (const Json& other : known) {
    if (other.at(keys::kKeyId) == id) return {};
  }
  known.push_back(*key);
  EraseNullMembers(known.back());
  changed_ = true;
  return {};
}

Status TableEdit::RemoveEncryptionKey(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string id, GetString(update, keys::kKeyId));
  if (FindMember(table_, keys::kEncryptionKeys) == nullptr) return {};
  Json& known = table_[keys::kEncryptionKeys];
  auto left = std::remove_if(known.begin(), known.end(),
                             [&id](const Json& key) { return key.at(keys::kKeyId) == id; });
  if (left == known.end()) return {};
  known.erase(left, known.end());
  if (known.empty()) table_.erase(keys::kEncryptionKeys);
  changed_ = true;
  return {};
}

void TableEdit::LogPrevious(int64_t last_updated_ms, const std::string& location) {
  Json entry = Json::object();
  entry[keys::kTimestampMs] = last_updated_ms;
  entry[keys::kMetadataFile] = location;
  table_[keys::kMetadataLog].push_back(std::move(entry));
  TrimMetadataLog();
}

// By the new value of the property; one that is no number counts as absent, since it must not bar
// every later commit.
void TableEdit::TrimMetadataLog() {
  int32_t kept_max = kPreviousVersionsMaxDefault;
  const Json& properties = table_[keys::kProperties];
  if (const Json* value = FindMember(properties, "write.metadata.previous-versions-max")) {
    kept_max = ParseInt32(value->get_ref<const std::string&>()).value_or(kept_max);
  }
  Json& log = table_[keys::kMetadataLog];
  auto kept = static_cast<size_t>(std::max(1, kept_max));
  if (log.size() <= kept) return;
  log.erase(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(log.size() - kept));
}

int64_t TableEdit::NowMsForLog() const {
  return std::max(environment_.NowMs(), LastLoggedMs(table_));
}

Result<TableMetadata> TableEdit::Finish() {
  BERGLITE_RETURN_IF_ERROR(CheckIsComplete(table_));
  if (layout_changed_) BERGLITE_RETURN_IF_ERROR(CheckLayout());
  BERGLITE_RETURN_IF_ERROR(PruneSnapshotLog());
  table_[keys::kSnapshots] = snapshots_.Take();
  table_[keys::kStatistics] = statistics_.Take();
  table_[keys::kPartitionStatistics] = partition_statistics_.Take();
  WriteVersionMembers(table_);
  // A client whose clock is behind must not make the table older than its own logs say it is.
  table_[keys::kLastUpdatedMs] =
      std::max(last_updated_ms_.value_or(environment_.NowMs()), LastLoggedMs(table_));
  return TableMetadata::Parse(DocumentAccess::FromDom(std::move(table_)));
}

}  // namespace berglite::metadata
