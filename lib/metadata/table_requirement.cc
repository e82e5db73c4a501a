#include "lib/metadata/table_requirement.h"

#include <optional>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr std::string_view kAssertCreate = "assert-create";
constexpr std::string_view kAssertViewUuid = "assert-view-uuid";

Error Failed(const std::string& what) {
  return Error{ErrorKind::kCommitFailed, "Requirement failed: " + what};
}

Status CheckCreate(const Json&, const Json&) { return Failed("table already exists"); }

Status CheckTableUuid(const Json& requirement, const Json& table) {
  BERGLITE_ASSIGN_OR_RETURN(std::string expected, GetString(requirement, keys::kUuid));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> uuid, FindString(table, keys::kTableUuid));
  if (uuid && AsciiLower(*uuid) == AsciiLower(expected)) return {};
  return Failed("UUID does not match: expected " + uuid.value_or("null") + " != " + expected);
}

Status CheckRefSnapshotId(const Json& requirement, const Json& table) {
  BERGLITE_ASSIGN_OR_RETURN(std::string name, GetString(requirement, keys::kRef));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int64_t> expected,
                            FindInt64(requirement, keys::kSnapshotId));
  Json ref = FindRef(table, name);
  if (ref.is_null()) {
    if (!expected) return {};
    return Failed("branch or tag " + name + " is missing, expected " + std::to_string(*expected));
  }
  std::string type = AsciiLower(*GetString(ref, keys::kType));
  if (!expected) return Failed(type + " " + name + " was created concurrently");
  int64_t id = IntegerOf(ref, keys::kSnapshotId);
  if (id == *expected) return {};
  return Failed(type + " " + name + " has changed: expected id " + std::to_string(*expected) +
                " != " + std::to_string(id));
}

// Compares the member `key` of the requirement with `current_key` of the table.
Status CheckId(const Json& requirement, const char* key, const Json& table, const char* current_key,
               const char* what) {
  BERGLITE_ASSIGN_OR_RETURN(int32_t expected, GetInt32(requirement, key));
  int64_t current = IntegerOf(table, current_key);
  if (expected == current) return {};
  return Failed(std::string(what) + " changed: expected id " + std::to_string(expected) +
                " != " + std::to_string(current));
}

Status CheckLastAssignedFieldId(const Json& requirement, const Json& table) {
  return CheckId(requirement, keys::kLastAssignedFieldId, table, keys::kLastColumnId,
                 "last assigned field id");
}

Status CheckCurrentSchemaId(const Json& requirement, const Json& table) {
  return CheckId(requirement, keys::kCurrentSchemaId, table, keys::kCurrentSchemaId,
                 "current schema");
}

Status CheckLastAssignedPartitionId(const Json& requirement, const Json& table) {
  return CheckId(requirement, keys::kLastAssignedPartitionId, table, keys::kLastPartitionId,
                 "last assigned partition id");
}

Status CheckDefaultSpecId(const Json& requirement, const Json& table) {
  return CheckId(requirement, keys::kDefaultSpecId, table, keys::kDefaultSpecId,
                 "default partition spec");
}

Status CheckDefaultSortOrderId(const Json& requirement, const Json& table) {
  return CheckId(requirement, keys::kDefaultSortOrderId, table, keys::kDefaultSortOrderId,
                 "default sort order");
}

struct TableRequirement {
  std::string_view type;
  Status (*check)(const Json& requirement, const Json& table);
};

constexpr TableRequirement kTableRequirements[] = {
    {kAssertCreate, CheckCreate},
    {"assert-table-uuid", CheckTableUuid},
    {"assert-ref-snapshot-id", CheckRefSnapshotId},
    {"assert-last-assigned-field-id", CheckLastAssignedFieldId},
    {"assert-current-schema-id", CheckCurrentSchemaId},
    {"assert-last-assigned-partition-id", CheckLastAssignedPartitionId},
    {"assert-default-spec-id", CheckDefaultSpecId},
    {"assert-default-sort-order-id", CheckDefaultSortOrderId},
};

// The types of `requirements`, as the specification spells them. That on views is among them.
Result<std::vector<std::string>> ReadTypes(const Json& requirements) {
  if (!requirements.is_array()) {
    return InvalidArgument("Cannot parse requirements: expected an array, found " +
                           std::string(JsonKindName(requirements)));
  }
  std::vector<std::string> types;
  for (const Json& requirement : requirements) {
    if (!requirement.is_object()) {
      return InvalidArgument("Cannot parse requirement: expected an object, found " +
                             std::string(JsonKindName(requirement)));
    }
    BERGLITE_ASSIGN_OR_RETURN(std::string requested, GetString(requirement, keys::kType));
    std::string type = AsciiLower(requested);
    bool is_known = type == kAssertViewUuid;
    for (const TableRequirement& row : kTableRequirements) is_known |= row.type == type;
    if (!is_known) {
      return InvalidArgument("Unrecognized update requirement. Cannot convert to json: " +
                             requested);
    }
    types.push_back(std::move(type));
  }
  return types;
}

Status CheckOne(const std::string& type, const Json& requirement, const Json& table) {
  for (const TableRequirement& row : kTableRequirements) {
    if (row.type == type) return row.check(requirement, table);
  }
  return ValidationError("Cannot validate " + type + " against a table");
}

}  // namespace

std::vector<std::string> TableRequirementTypes() {
  std::vector<std::string> types;
  for (const TableRequirement& row : kTableRequirements) types.emplace_back(row.type);
  return types;
}

Result<bool> AssertsCreate(const Json& requirements) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> types, ReadTypes(requirements));
  size_t creates = 0;
  std::string listed;
  for (const std::string& type : types) {
    if (type == kAssertCreate) ++creates;
    listed += (listed.empty() ? "" : ", ") + type;
  }
  if (creates == 0) return false;
  if (creates == types.size()) return true;
  return InvalidArgument("Invalid create requirements: [" + listed + "]");
}

Status CheckTableRequirements(const Json& requirements, const TableMetadata& current) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> types, ReadTypes(requirements));
  Json completed;
  const Json* table = &current.json();
  if (current.format_version() == 1 && !types.empty()) {
    completed = *table;
    BERGLITE_RETURN_IF_ERROR(CompleteVersion1(completed));
    table = &completed;
  }
  // What cannot be read is told before what does not hold.
  std::optional<Error> first_failure;
  for (size_t i = 0; i < types.size(); ++i) {
    Status status = CheckOne(types[i], requirements[i], *table);
    if (status) continue;
    if (status.error().kind != ErrorKind::kCommitFailed) return status;
    if (!first_failure) first_failure = status.error();
  }
  if (first_failure) return *first_failure;
  return {};
}

}  // namespace berglite::metadata
