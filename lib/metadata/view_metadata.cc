#include "lib/metadata/view_metadata.h"

#include <unordered_set>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"
#include "lib/metadata/view_version.h"

namespace berglite::metadata {
namespace {

Status CheckHead(const Json& view) {
  if (!view.is_object()) {
    return InvalidArgument("Cannot parse view metadata: expected an object, found " +
                           std::string(JsonKindName(view)));
  }
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, GetInt32(view, keys::kFormatVersion));
  if (version != kViewFormatVersion) {
    return ValidationError("Unsupported format version: " + std::to_string(version));
  }
  for (const char* key : {keys::kViewUuid, keys::kLocation}) {
    BERGLITE_ASSIGN_OR_RETURN(std::string value, GetString(view, key));
    if (value.empty()) return ValidationError("Invalid " + std::string(key) + ": empty");
  }
  const Json* properties = FindMember(view, keys::kProperties);
  return properties == nullptr ? Status() : CheckStringMap(*properties, keys::kProperties);
}

Status CheckSchemas(const Json& view) {
  BERGLITE_RETURN_IF_ERROR(GetArray(view, keys::kSchemas));
  BERGLITE_ASSIGN_OR_RETURN(const Json* schemas, FindObjects(view, keys::kSchemas));
  for (const Json& schema : *schemas) {
    BERGLITE_RETURN_IF_ERROR(GetInt32(schema, keys::kSchemaId));
    BERGLITE_RETURN_IF_ERROR(GetArray(schema, keys::kFields));
  }
  return {};
}

Status CheckVersions(const Json& view) {
  BERGLITE_RETURN_IF_ERROR(GetArray(view, keys::kVersions));
  BERGLITE_ASSIGN_OR_RETURN(const Json* versions, FindObjects(view, keys::kVersions));
  std::unordered_set<int64_t> ids;
  for (const Json& version : *versions) {
    BERGLITE_RETURN_IF_ERROR(CheckStoredVersion(version));
    int64_t id = IntegerOf(version, keys::kVersionId);
    if (!ids.insert(id).second) {
      return ValidationError("Invalid view metadata: two versions of id " + std::to_string(id));
    }
  }
  BERGLITE_ASSIGN_OR_RETURN(int32_t current, GetInt32(view, keys::kCurrentVersionId));
  if (!ids.contains(current)) {
    return ValidationError("Cannot find current version " + std::to_string(current) +
                           " in view versions");
  }
  int64_t schema = IntegerOf(*FindById(*versions, keys::kVersionId, current), keys::kSchemaId);
  if (FindById(view.at(keys::kSchemas), keys::kSchemaId, schema) != nullptr) return {};
  return ValidationError("Invalid view metadata: Cannot find schema " + std::to_string(schema) +
                         " of current version " + std::to_string(current));
}

Status CheckVersionLog(const Json& view) {
  BERGLITE_RETURN_IF_ERROR(GetArray(view, keys::kVersionLog));
  BERGLITE_ASSIGN_OR_RETURN(const Json* log, FindObjects(view, keys::kVersionLog));
  for (const Json& entry : *log) {
    BERGLITE_RETURN_IF_ERROR(GetInt64(entry, keys::kTimestampMs));
    BERGLITE_RETURN_IF_ERROR(GetInt32(entry, keys::kVersionId));
  }
  return {};
}

Status CheckView(const Json& view) {
  BERGLITE_RETURN_IF_ERROR(CheckHead(view));
  BERGLITE_RETURN_IF_ERROR(CheckSchemas(view));
  BERGLITE_RETURN_IF_ERROR(CheckVersions(view));
  return CheckVersionLog(view);
}

}  // namespace

Result<ViewMetadata> ViewMetadata::Parse(Document document) {
  ViewMetadata metadata(std::move(document));
  const Json& view = metadata.json();
  Status status = CheckView(view);
  if (!status) return AsValidation(status.error());
  metadata.uuid_ = *GetString(view, keys::kViewUuid);
  metadata.location_ = WithoutTrailingSlashes(*GetString(view, keys::kLocation));
  return metadata;
}

const Json& ViewMetadata::CurrentVersion() const {
  return *FindById(json().at(keys::kVersions), keys::kVersionId,
                   IntegerOf(json(), keys::kCurrentVersionId));
}

std::optional<std::string> ViewMetadata::Property(std::string_view name) const {
  return PropertyOf(json(), name);
}

}  // namespace berglite::metadata
