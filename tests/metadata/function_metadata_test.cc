#include "lib/metadata/function_metadata.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/json.h"
#include "tests/support/matchers.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

constexpr const char* kFunction = R"({
  "function-uuid": "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2", "format-version": 1,
  "definitions": [
    {"definition-id": "int", "function-type": "udf", "return-type": "int",
     "parameters": [{"name": "x", "type": "int", "doc": "a number"}],
     "current-version-id": 2,
     "versions": [
       {"version-id": 1, "timestamp-ms": 1, "deterministic": true,
        "representations": [{"type": "sql", "dialect": "trino", "sql": "x + 2"}]},
       {"version-id": 2, "timestamp-ms": 2, "on-null-input": "return-null",
        "representations": [{"type": "sql", "dialect": "spark", "sql": "x + 1"}]}]},
    {"definition-id": "list<map<string,int>>", "function-type": "udtf", "current-version-id": 1,
     "parameters": [{"name": "x", "type": {"type": "list", "element":
       {"type": "map", "key": "string", "value": "int"}}}],
     "return-type": {"type": "struct", "fields": [{"name": "a", "type": "long"}]},
     "versions": [{"version-id": 1, "timestamp-ms": 1, "representations": []}]}],
  "definition-log": [
    {"timestamp-ms": 2, "definition-versions": [{"definition-id": "int", "version-id": 2}]}],
  "location": "file:///f", "properties": {"a": "b"}, "secure": false, "new-member": {}})";

// What is said of the function after `patch`, an RFC 7396 merge patch of the member at `pointer`.
Status CheckPatched(const std::string& pointer, const char* patch) {
  Json function = Json::parse(kFunction);
  function[Json::json_pointer(pointer)].merge_patch(Json::parse(patch));
  return CheckFunctionMetadata(DocumentAccess::FromDom(std::move(function)));
}

TEST(FunctionMetadata, OfAnySortIsTaken) {
  EXPECT_THAT(CheckPatched("", "{}"), IsOk());
  EXPECT_THAT(CheckPatched("", R"({"definitions":[],"definition-log":[]})"), IsOk());
}

struct BadCase {
  const char* pointer;
  const char* patch;
  const char* message;
};

TEST(FunctionMetadata, ThatBreaksARuleIsRefused) {
  const BadCase kCases[] = {
      {"", "[]", "expected an object, found an array"},
      {"", R"({"function-uuid":null})", "missing field: function-uuid"},
      {"", R"({"function-uuid":"x"})", "expected a UUID, found 'x'"},
      {"", R"({"format-version":2})", "Unsupported format version: 2"},
      {"", R"({"definitions":null})", "missing field: definitions"},
      {"", R"({"definitions":[1]})", "definitions"},
      {"", R"({"definition-log":null})", "missing field: definition-log"},
      {"", R"({"secure":"no"})", "secure: expected"},
      {"", R"({"properties":{"a":1}})", "properties"},
      {"/definitions/0", R"({"definition-id":null})", "missing field: definition-id"},
      {"/definitions/0", R"({"definition-id":"list<map<string,int>>"})", "Two definitions"},
      {"/definitions/0", R"({"parameters":null})", "missing field: parameters"},
      {"/definitions/0/parameters/0", R"({"name":null})", "missing field: name"},
      {"/definitions/0/parameters/0", R"({"type":"big int"})", "without spaces"},
      {"/definitions/0/parameters/0", R"({"type":7})", "expected a type, found a number"},
      {"/definitions/0/parameters/0", R"({"type":{"type":"set"}})", "expected list or map or"},
      {"/definitions/1/parameters/0/type/element", R"({"key":null})", "missing field: key"},
      {"/definitions/1/return-type/fields/0", R"({"type":null})", "missing field: type"},
      {"/definitions/0", R"({"return-type":null})", "missing field: return-type"},
      {"/definitions/0", R"({"function-type":"udtf"})", "expected a struct"},
      {"/definitions/0", R"({"function-type":"proc"})", "expected udf or udtf, found proc"},
      {"/definitions/0", R"({"current-version-id":3})", "no version of its current-version-id 3"},
      {"/definitions/0/versions/0", R"({"version-id":2})", "two versions of version-id 2"},
      {"/definitions/0/versions/0", R"({"timestamp-ms":null})", "missing field: timestamp-ms"},
      {"/definitions/0/versions/0", R"({"on-null-input":"x"})", "expected return-null or call"},
      {"/definitions/0/versions/0/representations/0", R"({"type":"py"})", "expected sql, found py"},
      {"/definitions/0/versions/0/representations/0", R"({"sql":null})", "missing field: sql"},
      {"/definition-log/0/definition-versions/0", R"({"version-id":null})", "field: version-id"},
  };
  for (const BadCase& bad : kCases) {
    EXPECT_THAT(CheckPatched(bad.pointer, bad.patch),
                IsError(ErrorKind::kValidation, HasSubstr(bad.message)))
        << bad.pointer << " " << bad.patch;
  }
}

}  // namespace
}  // namespace berglite::metadata
