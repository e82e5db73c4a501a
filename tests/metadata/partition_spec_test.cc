#include "lib/metadata/partition_spec.h"

#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Schema ParseSchema(const Json& json) {
  Result<Schema> schema = Schema::Parse(json);
  EXPECT_THAT(schema, IsOk());
  return *std::move(schema);
}

Json EventsJson() {
  return Json::parse(R"({"type":"struct","schema-id":0,"fields":[
    {"id":10,"name":"id","required":true,"type":"long"},
    {"id":20,"name":"ts","required":false,"type":"timestamptz"},
    {"id":30,"name":"place","required":false,"type":{"type":"struct","fields":[
      {"id":31,"name":"city","required":false,"type":"string"}]}},
    {"id":40,"name":"tags","required":false,"type":{"type":"list","element-id":41,
      "element-required":false,"element":"string"}},
    {"id":50,"name":"any","required":false,"type":"variant"}]})");
}

Schema Events() { return ParseSchema(EventsJson()); }

Json SpecOf(const std::string& fields) { return Json::parse(R"({"fields":[)" + fields + "]}"); }

Json OneField(int32_t source_id, const std::string& transform, const std::string& name) {
  Json spec = SpecOf("");
  spec["fields"].push_back({{"source-id", source_id}, {"transform", transform}, {"name", name}});
  return spec;
}

Json NoSpecs() { return Json::array(); }

TEST(CheckPartitionSpec, TakesColumnsAndMembersOfStructs) {
  EXPECT_THAT(CheckPartitionSpec(SpecOf(""), Events()), IsOk());
  EXPECT_THAT(CheckPartitionSpec(SpecOf(R"(
      {"source-id":10,"transform":"bucket[16]","name":"id_bucket"},
      {"source-id":20,"transform":"hour","name":"ts_hour"},
      {"source-ids":[31],"transform":"identity","name":"place.city"},
      {"source-id":31,"transform":"geohash[5]","name":"hash"})"),
                                 Events()),
              IsOk());
}

TEST(CheckPartitionSpec, RefusesSourcesThatCannotBePartitionedBy) {
  struct Case {
    Json spec;
    const char* message;
  };
  for (const Case& c : {
           Case{OneField(99, "day", "d"),
                "Cannot find source column for partition field: d: day(99)"},
           Case{OneField(30, "identity", "p"),
                "Cannot partition by non-primitive source field: place (struct)"},
           Case{OneField(41, "identity", "t"), "Invalid partition field parent: list"},
           Case{OneField(10, "day", "d"), "Invalid source type long for transform: day"},
           Case{OneField(50, "identity", "any"),
                "Invalid source type variant for transform: identity"},
           Case{OneField(10, "bucket[0]", "b"), "Invalid transform: expected bucket[N]"},
       }) {
    EXPECT_THAT(CheckPartitionSpec(c.spec, Events()),
                IsError(ErrorKind::kValidation, StartsWith(c.message)));
  }
}

TEST(CheckPartitionSpec, TellsTheFieldIdOfAFieldWithoutSource) {
  Json spec = OneField(99, "bucket[4]", "b");
  spec["fields"][0]["field-id"] = 1003;
  EXPECT_THAT(CheckPartitionSpec(spec, Events()),
              IsError(ErrorKind::kValidation,
                      "Cannot find source column for partition field: 1003: b: bucket[4](99)"));
}

TEST(CheckPartitionSpec, TakesVoidFieldsOfDroppedColumns) {
  EXPECT_THAT(CheckPartitionSpec(OneField(99, "void", "gone"), Events()), IsOk());
  EXPECT_THAT(CheckPartitionSpec(OneField(10, "void", "id"), Events()), IsOk());
}

TEST(CheckPartitionSpec, RefusesNamesThatAreTaken) {
  struct Case {
    Json spec;
    const char* message;
  };
  for (const Case& c : {
           Case{OneField(20, "day", ""), "Cannot use empty partition name: : day(20)"},
           Case{OneField(20, "day", "ts"),
                "Cannot create partition from name that exists in schema: ts"},
           Case{OneField(20, "identity", "id"),
                "Cannot create identity partition sourced from different field in schema: id"},
           Case{SpecOf(R"({"source-id":20,"transform":"day","name":"d"},
                          {"source-id":10,"transform":"identity","name":"d"})"),
                "Cannot use partition name more than once: d"},
       }) {
    EXPECT_THAT(CheckPartitionSpec(c.spec, Events()), IsError(ErrorKind::kValidation, c.message));
  }
}

TEST(CheckPartitionSpec, NamesWhatCannotBeRead) {
  struct Case {
    const char* spec;
    const char* message;
  };
  for (const Case& c : {
           Case{"{}", "missing field: fields"},
           Case{R"({"fields":{}})", "fields: expected an array"},
           Case{R"({"spec-id":"1","fields":[]})", "spec-id: expected"},
           Case{R"({"fields":[{"source-id":10,"transform":"identity"}]})", "missing field: name"},
           Case{R"({"fields":[{"source-id":10,"name":"x"}]})", "missing field: transform"},
           Case{R"({"fields":[{"transform":"identity","name":"x"}]})", "missing field: source-id"},
           Case{R"({"fields":[{"source-id":10,"transform":"void","name":"x","field-id":1e3}]})",
                "field-id: expected"},
       }) {
    EXPECT_THAT(CheckPartitionSpec(Json::parse(c.spec), Events()),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(c.message)))
        << c.spec;
  }
}

TEST(BindPartitionSpec, NumbersFieldsAfterTheLastId) {
  Result<Json> bound = BindPartitionSpec(SpecOf(R"(
      {"source-ids":[10],"transform":"Bucket[16]","name":"b","x-note":"kept"},
      {"source-id":20,"transform":"day","name":"d"})"),
                                         Events(), NoSpecs(), 999, 2);
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ(*bound, Json::parse(R"({"spec-id":0,"fields":[
      {"source-id":10,"transform":"bucket[16]","name":"b","field-id":1000,"x-note":"kept"},
      {"source-id":20,"transform":"day","name":"d","field-id":1001}]})"));
}

TEST(BindPartitionSpec, ReusesTheIdsOfEqualTermsOnceEach) {
  const Json kExisting = Json::parse(R"([
      {"spec-id":0,"fields":[]},
      {"spec-id":1,"fields":[{"source-ids":[1,2],"transform":"z","name":"z","field-id":1000},
                             {"source-id":10,"transform":"identity","name":"id"}]},
      {"spec-id":2,"fields":[{"source-id":20,"transform":"day","name":"d","field-id":1007}]}])");
  Result<Json> bound = BindPartitionSpec(SpecOf(R"(
      {"source-id":10,"transform":"bucket[4]","name":"b"},
      {"source-id":20,"transform":"Day","name":"renamed"},
      {"source-id":20,"transform":"day","name":"again"})"),
                                         Events(), kExisting, 1007, 3);
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ((*bound)["fields"][0]["field-id"], 1008);
  EXPECT_EQ((*bound)["fields"][1]["field-id"], 1007);
  EXPECT_EQ((*bound)["fields"][2]["field-id"], 1009);
}

TEST(BindPartitionSpec, KnowsTheIdsThatOldSpecsDoNotWrite) {
  const Json kExisting = Json::parse(R"([{"spec-id":0,"fields":[
      {"source-id":10,"transform":"bucket[4]","name":"b"},
      {"source-id":20,"transform":"day","name":"d"}]}])");
  Result<Json> bound = BindPartitionSpec(OneField(20, "day", "d"), Events(), kExisting, 1001, 2);
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ((*bound)["fields"][0]["field-id"], 1001);
}

TEST(BindPartitionSpec, KeepsTheIdsOfTheRequest) {
  Json spec = SpecOf(R"({"source-id":10,"transform":"identity","name":"id","field-id":1005})");
  spec["spec-id"] = 4;
  Result<Json> bound = BindPartitionSpec(spec, Events(), NoSpecs(), 999, 2);
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ(*bound, spec);
}

TEST(BindPartitionSpec, RefusesIdsOnSomeFieldsOnly) {
  EXPECT_THAT(BindPartitionSpec(SpecOf(R"({"source-id":10,"transform":"identity","name":"id"},
                 {"source-id":20,"transform":"day","name":"d","field-id":1000})"),
                                Events(), NoSpecs(), 999, 2),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse spec with missing field IDs: 1 missing of 2 fields."));
}

TEST(BindPartitionSpec, RefusesTheSameIdTwice) {
  EXPECT_THAT(BindPartitionSpec(
                  SpecOf(R"({"source-id":10,"transform":"identity","name":"id","field-id":1000},
                 {"source-id":20,"transform":"day","name":"d","field-id":1000})"),
                  Events(), NoSpecs(), 999, 2),
              IsError(ErrorKind::kValidation,
                      "Cannot use partition field ID more than once: 1000: d: day(20)"));
}

TEST(BindPartitionSpec, HasSequentialIdsInVersionOne) {
  Json spec = SpecOf(R"({"source-id":10,"transform":"identity","name":"id"},
                        {"source-id":20,"transform":"day","name":"d"})");
  const Json kExisting = Json::parse(R"([{"spec-id":0,"fields":[
      {"source-id":20,"transform":"day","name":"d","field-id":1000}]}])");
  Result<Json> bound = BindPartitionSpec(spec, Events(), kExisting, 1000, 1);
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ((*bound)["fields"][0]["field-id"], 1000);
  EXPECT_EQ((*bound)["fields"][1]["field-id"], 1001);

  spec["fields"][0]["field-id"] = 1001;
  spec["fields"][1]["field-id"] = 1000;
  EXPECT_THAT(BindPartitionSpec(spec, Events(), kExisting, 1000, 1),
              IsError(ErrorKind::kValidation,
                      StartsWith("Spec does not use sequential IDs that are required in v1: ")));
}

TEST(BindPartitionSpec, RefusesToRunOutOfIds) {
  EXPECT_THAT(BindPartitionSpec(OneField(20, "day", "d"), Events(), NoSpecs(),
                                std::numeric_limits<int32_t>::max(), 2),
              IsError(ErrorKind::kValidation, HasSubstr("all IDs are used")));
}

TEST(RebuildPartitionSpec, FollowsColumnNamesAndNumbersAfresh) {
  Schema fresh = ParseSchema(AssignFreshIds(EventsJson()).json);
  Json spec = SpecOf(R"(
      {"source-id":31,"transform":"identity","name":"place.city","field-id":7,"x-note":"kept"},
      {"source-id":10,"transform":"bucket[16]","name":"b"})");
  spec["spec-id"] = 3;
  Result<Json> rebuilt = RebuildPartitionSpec(spec, Events(), fresh, 2);
  ASSERT_THAT(rebuilt, IsOk());
  EXPECT_EQ(*rebuilt, Json::parse(R"({"spec-id":0,"fields":[
      {"source-id":6,"transform":"identity","name":"place.city","field-id":1000,"x-note":"kept"},
      {"source-id":1,"transform":"bucket[16]","name":"b","field-id":1001}]})"));
}

TEST(RebuildPartitionSpec, RefusesSourcesThatTheRequestDoesNotHave) {
  Schema fresh = ParseSchema(AssignFreshIds(EventsJson()).json);
  // Column 1 is in the fresh schema, but not in the one that was sent.
  EXPECT_THAT(RebuildPartitionSpec(OneField(1, "identity", "id"), Events(), fresh, 2),
              IsError(ErrorKind::kValidation,
                      "Cannot find source column for partition field: id: identity(1)"));
  EXPECT_THAT(RebuildPartitionSpec(OneField(10, "year", "y"), Events(), fresh, 2),
              IsError(ErrorKind::kValidation, StartsWith("Invalid source type long")));
}

TEST(SamePartitionSpec, ComparesSourceTransformAndNameInOrder) {
  const Json kSpec = SpecOf(R"({"source-id":10,"transform":"bucket[4]","name":"b","field-id":1000},
                               {"source-id":20,"transform":"day","name":"d","field-id":1001})");
  Json other = SpecOf(R"({"source-ids":[10],"transform":"Bucket[4]","name":"b"},
                         {"source-id":20,"transform":"day","name":"d"})");
  other["spec-id"] = 9;
  EXPECT_TRUE(SamePartitionSpec(kSpec, other));
  EXPECT_TRUE(SamePartitionSpec(SpecOf(""), SpecOf("")));

  for (const char* change :
       {R"({"source-id":11})", R"({"transform":"bucket[5]"})", R"({"name":"c"})"}) {
    Json changed = kSpec;
    changed["fields"][0].update(Json::parse(change));
    EXPECT_FALSE(SamePartitionSpec(kSpec, changed)) << change;
  }
  Json swapped = kSpec;
  std::swap(swapped["fields"][0], swapped["fields"][1]);
  EXPECT_FALSE(SamePartitionSpec(kSpec, swapped));
  EXPECT_FALSE(SamePartitionSpec(kSpec, SpecOf("")));
  EXPECT_FALSE(SamePartitionSpec(kSpec, Json::object()));
}

TEST(HighestPartitionFieldId, Is999ForAnUnpartitionedSpec) {
  EXPECT_EQ(HighestPartitionFieldId(SpecOf("")), 999);
  EXPECT_EQ(HighestPartitionFieldId(SpecOf(R"({"field-id":1004},{"field-id":1001})")), 1004);
  EXPECT_EQ(HighestPartitionFieldId(OneField(10, "identity", "id")), 1000);
}

}  // namespace
}  // namespace berglite::metadata
