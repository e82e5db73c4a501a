#include "lib/metadata/requirement.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr std::string_view kAssertCreate = "assert-create";

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

Status CheckViewUuid(const Json& requirement, const Json& view) {
  BERGLITE_ASSIGN_OR_RETURN(std::string expected, GetString(requirement, keys::kUuid));
  std::string uuid = *GetString(view, keys::kViewUuid);
  if (AsciiLower(uuid) == AsciiLower(expected)) return {};
  return Failed("view UUID does not match: expected " + uuid + " != " + expected);
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

struct Requirement {
  std::string_view type;
  // Checks the requirement against a document of a table or view.
  Status (*check)(const Json& requirement, const Json& document);
};

constexpr Requirement kTableRequirements[] = {
    {kAssertCreate, CheckCreate},
    {"assert-table-uuid", CheckTableUuid},
    {"assert-ref-snapshot-id", CheckRefSnapshotId},
    {"assert-last-assigned-field-id", CheckLastAssignedFieldId},
    {"assert-current-schema-id", CheckCurrentSchemaId},
    {"assert-last-assigned-partition-id", CheckLastAssignedPartitionId},
    {"assert-default-spec-id", CheckDefaultSpecId},
    {"assert-default-sort-order-id", CheckDefaultSortOrderId},
};

constexpr Requirement kViewRequirements[] = {
    {"assert-view-uuid", CheckViewUuid},
};

// The types of `requirements`, as the specification spells them, of tables and views.
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
    bool is_known = false;
    for (const Requirement& row : kTableRequirements) is_known |= row.type == type;
    for (const Requirement& row : kViewRequirements) is_known |= row.type == type;
    if (!is_known) {
      return InvalidArgument("Unrecognized update requirement. Cannot convert to json: " +
                             requested);
    }
    types.push_back(std::move(type));
  }
  return types;
}

// Checks all `requirements` by the rows of a table of them. `what` is what the document is of.
template <size_t kCount>
Status CheckAll(const Requirement (&rows)[kCount], const Json& requirements,
                const std::vector<std::string>& types, const Json& document, const char* what) {
  // What cannot be read is told before what does not hold.
  std::optional<Error> first_failure;
  for (size_t i = 0; i < types.size(); ++i) {
    const Requirement* row =
        std::find_if(rows, rows + kCount,
                     [&type = types[i]](const Requirement& other) { return other.type == type; });
    if (row == rows + kCount) {
      return ValidationError("Cannot validate " + types[i] + " against a " + what);
    }
    Status status = row->check(requirements[i], document);
    if (status) continue;
    if (status.error().kind != ErrorKind::kCommitFailed) return status;
    if (!first_failure) first_failure = status.error();
  }
  if (first_failure) return *first_failure;
  return {};
}

}  // namespace

std::vector<std::string> TableRequirementTypes() {
  std::vector<std::string> types;
  for (const Requirement& row : kTableRequirements) types.emplace_back(row.type);
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
  return CheckAll(kTableRequirements, requirements, types, *table, "table");
}

Status CheckViewRequirements(const Json& requirements, const ViewMetadata& current) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> types, ReadTypes(requirements));
  return CheckAll(kViewRequirements, requirements, types, current.json(), "view");
}

}  // namespace berglite::metadata
