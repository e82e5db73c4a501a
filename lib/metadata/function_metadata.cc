#include "lib/metadata/function_metadata.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/uuid.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"

namespace berglite::metadata {
namespace {

constexpr int32_t kFunctionFormatVersion = 1;
constexpr std::string_view kTableFunction = "udtf";

// The versions of each definition.
using VersionsOfDefinitions = std::map<std::string, std::set<int64_t>>;

// The elements of a required list, each of which must be an object.
Result<const Json*> GetObjects(const Json& object, std::string_view key) {
  BERGLITE_RETURN_IF_ERROR(GetArray(object, key));
  return FindObjects(object, key);
}

// A required string that is one of `choices`.
Result<std::string> GetChoice(const Json& object, std::string_view key,
                              std::initializer_list<std::string_view> choices) {
  BERGLITE_ASSIGN_OR_RETURN(std::string value, GetString(object, key));
  std::string expected;
  for (std::string_view choice : choices) {
    if (value == choice) return value;
    if (!expected.empty()) expected += " or ";
    expected += choice;
  }
  return ValidationError("Invalid " + std::string(key) + ": expected " + expected + ", found " +
                         value);
}

Status CheckTypeText(const std::string& text) {
  if (!text.empty() && text.find_first_of(" \t\r\n\"'") == std::string::npos) return {};
  return ValidationError(
      "Invalid type: expected the name of a type without spaces and quotes, found '" + text + "'");
}

// The type in the member `key`: a text or, where it is nested, an object.
Status CheckType(const Json& object, std::string_view key) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* type, GetMember(object, key));
  if (type->is_string()) return CheckTypeText(type->get_ref<const std::string&>());
  if (!type->is_object()) {
    return ValidationError("Invalid " + std::string(key) + ": expected a type, found " +
                           std::string(JsonKindName(*type)));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string kind,
                            GetChoice(*type, keys::kType, {"list", "map", "struct"}));
  if (kind == "list") return CheckType(*type, keys::kElement);
  if (kind == "map") {
    BERGLITE_RETURN_IF_ERROR(CheckType(*type, keys::kKey));
    return CheckType(*type, keys::kValue);
  }
  BERGLITE_ASSIGN_OR_RETURN(const Json* fields, GetObjects(*type, keys::kFields));
  for (const Json& field : *fields) {
    BERGLITE_RETURN_IF_ERROR(GetString(field, keys::kName));
    BERGLITE_RETURN_IF_ERROR(CheckType(field, keys::kType));
  }
  return {};
}

Status CheckSignature(const Json& definition) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* parameters, GetObjects(definition, keys::kParameters));
  for (const Json& parameter : *parameters) {
    BERGLITE_RETURN_IF_ERROR(GetString(parameter, keys::kName));
    BERGLITE_RETURN_IF_ERROR(CheckType(parameter, keys::kType));
  }
  BERGLITE_RETURN_IF_ERROR(CheckType(definition, keys::kReturnType));
  BERGLITE_RETURN_IF_ERROR(FindBool(definition, keys::kReturnNullable));
  BERGLITE_ASSIGN_OR_RETURN(std::string kind,
                            GetChoice(definition, keys::kFunctionType, {"udf", kTableFunction}));
  const Json& returned = definition.at(keys::kReturnType);
  bool returns_struct =
      returned.is_object() && returned.at(keys::kType).get_ref<const std::string&>() == "struct";
  if (kind != kTableFunction || returns_struct) return {};
  return ValidationError("Invalid return-type: expected a struct, as the function-type is udtf");
}

Status CheckVersion(const Json& version) {
  BERGLITE_RETURN_IF_ERROR(GetInt64(version, keys::kTimestampMs));
  BERGLITE_RETURN_IF_ERROR(FindBool(version, keys::kDeterministic));
  if (FindMember(version, keys::kOnNullInput) != nullptr) {
    BERGLITE_RETURN_IF_ERROR(GetChoice(version, keys::kOnNullInput, {"return-null", "call"}));
  }
  BERGLITE_ASSIGN_OR_RETURN(const Json* representations,
                            GetObjects(version, keys::kRepresentations));
  for (const Json& representation : *representations) {
    BERGLITE_RETURN_IF_ERROR(GetChoice(representation, keys::kType, {"sql"}));
    BERGLITE_RETURN_IF_ERROR(GetString(representation, keys::kDialect));
    BERGLITE_RETURN_IF_ERROR(GetString(representation, keys::kSql));
  }
  return {};
}

Status CheckDefinition(const Json& definition, VersionsOfDefinitions& known) {
  BERGLITE_ASSIGN_OR_RETURN(std::string id, GetString(definition, keys::kDefinitionId));
  auto [entry, is_new] = known.try_emplace(id);
  if (!is_new) return ValidationError("Two definitions have the definition-id '" + id + "'");
  BERGLITE_RETURN_IF_ERROR(CheckSignature(definition));
  BERGLITE_ASSIGN_OR_RETURN(const Json* versions, GetObjects(definition, keys::kVersions));
  for (const Json& version : *versions) {
    BERGLITE_ASSIGN_OR_RETURN(int64_t version_id, GetInt64(version, keys::kVersionId));
    if (!entry->second.insert(version_id).second) {
      return ValidationError("Definition '" + id + "' has two versions of version-id " +
                             std::to_string(version_id));
    }
    BERGLITE_RETURN_IF_ERROR(CheckVersion(version));
  }
  BERGLITE_ASSIGN_OR_RETURN(int64_t current, GetInt64(definition, keys::kCurrentVersionId));
  if (entry->second.contains(current)) return {};
  return ValidationError("Definition '" + id + "' has no version of its current-version-id " +
                         std::to_string(current));
}

// What the log refers to may have been removed since.
Status CheckLog(const Json& function) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* log, GetObjects(function, keys::kDefinitionLog));
  for (const Json& entry : *log) {
    BERGLITE_RETURN_IF_ERROR(GetInt64(entry, keys::kTimestampMs));
    BERGLITE_ASSIGN_OR_RETURN(const Json* versions, GetObjects(entry, keys::kDefinitionVersions));
    for (const Json& version : *versions) {
      BERGLITE_RETURN_IF_ERROR(GetString(version, keys::kDefinitionId));
      BERGLITE_RETURN_IF_ERROR(GetInt64(version, keys::kVersionId));
    }
  }
  return {};
}

Status CheckHead(const Json& function) {
  if (!function.is_object()) {
    return InvalidArgument("expected an object, found " + std::string(JsonKindName(function)));
  }
  BERGLITE_ASSIGN_OR_RETURN(int64_t version, GetInt64(function, keys::kFormatVersion));
  if (version != kFunctionFormatVersion) {
    return ValidationError("Unsupported format version: " + std::to_string(version));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string uuid, GetString(function, keys::kFunctionUuid));
  if (!IsUuid(uuid)) {
    return ValidationError("Invalid function-uuid: expected a UUID, found '" + uuid + "'");
  }
  BERGLITE_RETURN_IF_ERROR(FindString(function, keys::kLocation));
  BERGLITE_RETURN_IF_ERROR(FindBool(function, keys::kSecure));
  const Json* properties = FindMember(function, keys::kProperties);
  return properties == nullptr ? Status() : CheckStringMap(*properties, keys::kProperties);
}

Status CheckFunction(const Json& function) {
  BERGLITE_RETURN_IF_ERROR(CheckHead(function));
  BERGLITE_ASSIGN_OR_RETURN(const Json* definitions, GetObjects(function, keys::kDefinitions));
  VersionsOfDefinitions known;
  for (const Json& definition : *definitions) {
    BERGLITE_RETURN_IF_ERROR(CheckDefinition(definition, known));
  }
  return CheckLog(function);
}

}  // namespace

Status CheckFunctionMetadata(const Document& document) {
  Status status = CheckFunction(DocumentAccess::Dom(document));
  if (!status) return AsValidation(status.error());
  return {};
}

}  // namespace berglite::metadata
