#include "lib/metadata/view_version.h"

#include <unordered_set>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr char kSqlType[] = "sql";

// The type of a representation, in lower case.
Result<std::string> TypeOf(const Json& representation) {
  BERGLITE_ASSIGN_OR_RETURN(std::string type, GetString(representation, keys::kType));
  return AsciiLower(type);
}

Status CheckSql(const Json& representation) {
  BERGLITE_RETURN_IF_ERROR(GetString(representation, keys::kSql));
  BERGLITE_RETURN_IF_ERROR(GetString(representation, keys::kDialect));
  return {};
}

Status CheckContext(const Json& version) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* summary, GetObject(version, keys::kSummary));
  BERGLITE_RETURN_IF_ERROR(CheckStringMap(*summary, keys::kSummary));
  BERGLITE_RETURN_IF_ERROR(FindString(version, keys::kDefaultCatalog));
  BERGLITE_ASSIGN_OR_RETURN(const Json* levels, GetArray(version, keys::kDefaultNamespace));
  BERGLITE_RETURN_IF_ERROR(AsStrings(*levels, keys::kDefaultNamespace));
  return {};
}

// A member that is null is one that is not there.
bool SameMember(const Json& a, const Json& b, const char* key) {
  const Json* of_a = FindMember(a, key);
  const Json* of_b = FindMember(b, key);
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return *of_a == *of_b;
}

}  // namespace

Status CheckNewVersion(const Json& version) {
  BERGLITE_RETURN_IF_ERROR(CheckContext(version));
  BERGLITE_ASSIGN_OR_RETURN(const Json* representations, GetArray(version, keys::kRepresentations));
  if (representations->empty()) {
    return InvalidArgument("Invalid view version: it has no query");
  }
  std::unordered_set<std::string> dialects;
  for (const Json& representation : *representations) {
    BERGLITE_ASSIGN_OR_RETURN(std::string type, TypeOf(representation));
    if (type != kSqlType) {
      return InvalidArgument("Invalid view version: expected representations of type sql, found " +
                             type);
    }
    BERGLITE_RETURN_IF_ERROR(CheckSql(representation));
    std::string dialect = AsciiLower(*GetString(representation, keys::kDialect));
    if (!dialects.insert(dialect).second) {
      return InvalidArgument("Invalid view version: Cannot add multiple queries for dialect " +
                             dialect);
    }
  }
  return {};
}

Status CheckStoredVersion(const Json& version) {
  BERGLITE_RETURN_IF_ERROR(GetInt32(version, keys::kVersionId));
  BERGLITE_RETURN_IF_ERROR(GetInt64(version, keys::kTimestampMs));
  BERGLITE_RETURN_IF_ERROR(GetInt32(version, keys::kSchemaId));
  BERGLITE_RETURN_IF_ERROR(CheckContext(version));
  BERGLITE_ASSIGN_OR_RETURN(const Json* representations, GetArray(version, keys::kRepresentations));
  for (const Json& representation : *representations) {
    BERGLITE_ASSIGN_OR_RETURN(std::string type, TypeOf(representation));
    if (type == kSqlType) BERGLITE_RETURN_IF_ERROR(CheckSql(representation));
  }
  return {};
}

std::vector<std::string> DialectsOf(const Json& version) {
  std::vector<std::string> dialects;
  for (const Json& representation : version.at(keys::kRepresentations)) {
    if (*TypeOf(representation) != kSqlType) continue;
    dialects.push_back(AsciiLower(*GetString(representation, keys::kDialect)));
  }
  return dialects;
}

bool SameVersion(const Json& a, const Json& b) {
  for (const char* key : {keys::kSchemaId, keys::kSummary, keys::kRepresentations,
                          keys::kDefaultCatalog, keys::kDefaultNamespace}) {
    if (!SameMember(a, b, key)) return false;
  }
  return true;
}

}  // namespace berglite::metadata
