#include "lib/metadata/schema.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A schema of these fields, each as JSON text.
Json SchemaOf(const std::string& fields) {
  return Json::parse(R"({"type":"struct","schema-id":0,"fields":[)" + fields + "]}");
}

Json ColumnOfType(const std::string& type_json, bool required = false) {
  return SchemaOf(R"({"id":1,"name":"c","required":)" + std::string(required ? "true" : "false") +
                  R"(,"type":)" + type_json + "}");
}

// id, data, a list and a map of structs, and a struct: every kind of nesting.
Json NestedSchema() {
  return Json::parse(R"json({"type":"struct","schema-id":7,"identifier-field-ids":[10],"fields":[
    {"id":10,"name":"id","required":true,"type":"long","doc":"the key"},
    {"id":20,"name":"data","required":false,"type":"string"},
    {"id":30,"name":"points","required":false,"type":{"type":"list","element-id":31,
      "element-required":true,"element":{"type":"struct","fields":[
        {"id":32,"name":"x","required":true,"type":"double"}]}}},
    {"id":40,"name":"tags","required":true,"type":{"type":"map","key-id":41,"key":"string",
      "value-id":42,"value-required":false,"value":{"type":"struct","fields":[
        {"id":43,"name":"n","required":true,"type":"int"}]}}},
    {"id":50,"name":"inner","required":true,"type":{"type":"struct","fields":[
      {"id":51,"name":"v","required":true,"type":"decimal(9,2)"}]}}]})json");
}

std::vector<std::string> NamesOf(const Schema& schema) {
  std::vector<std::string> names;
  for (const Field& field : schema.fields()) names.push_back(field.full_name);
  return names;
}

TEST(SchemaParse, ListsFieldsOfEveryDepthWithAParentBeforeItsChildren) {
  Result<Schema> schema = Schema::Parse(NestedSchema());
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->id(), 7);
  EXPECT_EQ(schema->highest_field_id(), 51);
  EXPECT_THAT(schema->identifier_field_ids(), ElementsAre(10));
  EXPECT_THAT(NamesOf(*schema),
              ElementsAre("id", "data", "points", "points.element", "points.element.x", "tags",
                          "tags.key", "tags.value", "tags.value.n", "inner", "inner.v"));
  const Field* leaf = schema->FindField("points.element.x");
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf, schema->FindField(32));
  EXPECT_EQ(leaf->type, "double");
  EXPECT_TRUE(leaf->required);
  EXPECT_EQ(schema->fields()[leaf->parent].full_name, "points.element");
  EXPECT_EQ(schema->FindField("id")->parent, Field::kNoParent);
  EXPECT_EQ(schema->FindField("inner.v")->type, "decimal(9, 2)");
  EXPECT_FALSE(schema->FindField("inner")->is_primitive());
  EXPECT_TRUE(schema->FindField("tags.key")->required);
  EXPECT_FALSE(schema->FindField("tags.value")->required);
}

TEST(SchemaParse, FindsMembersOfStructsInListsAndMapsByTheirShortNames) {
  Result<Schema> schema = Schema::Parse(NestedSchema());
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("points.x"), schema->FindField(32));
  EXPECT_EQ(schema->FindField("tags.n"), schema->FindField(43));
  EXPECT_EQ(schema->FindField("nope"), nullptr);
  EXPECT_EQ(schema->FindField(11), nullptr);
}

TEST(SchemaParse, PrefersFullNamesToShortNames) {
  Result<Schema> schema = Schema::Parse(SchemaOf(R"(
    {"id":1,"name":"l","required":false,"type":{"type":"list","element-id":2,
      "element-required":false,"element":{"type":"struct","fields":[
        {"id":3,"name":"x","required":false,"type":"int"}]}}},
    {"id":4,"name":"l.x","required":false,"type":"int"})"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("l.x"), schema->FindField(4));
}

TEST(SchemaParse, TakesASchemaWithoutFieldsAndWithoutAnId) {
  Result<Schema> schema = Schema::Parse(Json::parse(R"({"type":"struct","fields":[]})"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->id(), 0);
  EXPECT_EQ(schema->highest_field_id(), 0);
}

// Engines number the columns of a create request from 0.
TEST(SchemaParse, TakesIdsFromZero) {
  Result<Schema> schema = Schema::Parse(SchemaOf(R"(
    {"id":0,"name":"s","required":true,"type":{"type":"struct","fields":[
      {"id":1,"name":"x","required":false,"type":"int"}]}})"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->FindField("s")->id, 0);
  EXPECT_EQ(schema->FindField("s.x")->parent, 0U);
}

TEST(SchemaParse, NamesWhatCannotBeRead) {
  struct Case {
    const char* schema;
    const char* message;
  };
  for (const Case& c : {
           Case{"[]", "Cannot parse schema: expected an object, found an array"},
           Case{R"({"fields":[]})", "Cannot parse missing field: type"},
           Case{R"({"type":"list","fields":[]})", "not a struct type: list"},
           Case{R"({"type":"struct"})", "Cannot parse missing field: fields"},
           Case{R"({"type":"struct","fields":{}})", "fields: expected an array"},
           Case{R"({"type":"struct","fields":[1]})", "Cannot parse missing field: id"},
           Case{R"({"type":"struct","schema-id":"0","fields":[]})", "schema-id: expected"},
           Case{R"({"type":"struct","identifier-field-ids":1,"fields":[]})",
                "identifier-field-ids: expected an array"},
           Case{R"({"type":"struct","identifier-field-ids":[1.0],"fields":[]})",
                "identifier-field-ids: expected a 32-bit integer"},
       }) {
    EXPECT_THAT(Schema::Parse(Json::parse(c.schema)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(c.message)))
        << c.schema;
  }
}

TEST(SchemaParse, NamesTheMemberOfAFieldThatCannotBeRead) {
  struct Case {
    const char* field;
    const char* message;
  };
  for (const Case& c : {
           Case{R"({"id":1.0,"name":"a","required":true,"type":"int"})", "id: expected a 32-bit"},
           Case{R"({"id":"1","name":"a","required":true,"type":"int"})", "id: expected a 32-bit"},
           Case{R"({"id":2147483648,"name":"a","required":true,"type":"int"})",
                "id: expected a 32-bit"},
           Case{R"({"id":1,"required":true,"type":"int"})", "missing field: name"},
           Case{R"({"id":1,"name":null,"required":true,"type":"int"})", "missing field: name"},
           Case{R"({"id":1,"name":"a","type":"int"})", "missing field: required"},
           Case{R"({"id":1,"name":"a","required":"true","type":"int"})", "required: expected"},
           Case{R"({"id":1,"name":"a","required":true})", "missing field: type"},
           Case{R"({"id":1,"name":"a","required":true,"type":7})", "type: expected a string"},
           Case{R"({"id":1,"name":"a","required":true,"type":"int32"})",
                "Cannot parse type string to primitive: int32"},
           Case{R"({"id":1,"name":"a","required":true,"type":{"type":"array"}})",
                "Cannot parse type: expected struct, list or map in an object, found array"},
           Case{R"({"id":1,"name":"a","required":true,"type":{"type":"struct"}})",
                "missing field: fields"},
           Case{R"({"id":1,"name":"a","required":true,"type":"int","doc":3})", "doc: expected"},
       }) {
    EXPECT_THAT(Schema::Parse(SchemaOf(c.field)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(c.message)))
        << c.field;
  }
}

TEST(SchemaParse, NamesTheMemberOfAListOrMapThatIsMissing) {
  const Json kList =
      Json::parse(R"({"type":"list","element-id":2,"element":"int","element-required":true})");
  const Json kMap = Json::parse(R"({"type":"map","key-id":2,"key":"string","value-id":3,
                                    "value":"int","value-required":true})");
  for (const Json& type : {kList, kMap}) {
    EXPECT_THAT(Schema::Parse(ColumnOfType(type.dump())), IsOk());
    for (const auto& [key, value] : type.items()) {
      if (key == "type") continue;
      Json without = type;
      without.erase(key);
      EXPECT_THAT(Schema::Parse(ColumnOfType(without.dump())),
                  IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: " + key));
    }
  }
}

TEST(SchemaParse, RefusesDuplicateIdsAtAnyDepth) {
  EXPECT_THAT(Schema::Parse(SchemaOf(R"({"id":1,"name":"a","required":true,"type":"int"},
                                        {"id":1,"name":"b","required":true,"type":"int"})")),
              IsError(ErrorKind::kValidation, "Invalid schema: multiple fields for ID 1: a and b"));
  EXPECT_THAT(
      Schema::Parse(ColumnOfType(R"({"type":"list","element-id":1,"element":"int",
                                             "element-required":true})")),
      IsError(ErrorKind::kValidation, "Invalid schema: multiple fields for ID 1: c and c.element"));
}

TEST(SchemaParse, RefusesDuplicateNames) {
  EXPECT_THAT(
      Schema::Parse(SchemaOf(R"({"id":1,"name":"a","required":true,"type":"int"},
                                {"id":3,"name":"a","required":true,"type":"int"})")),
      IsError(ErrorKind::kValidation, "Invalid schema: multiple fields for name a: 1 and 3"));
  EXPECT_THAT(
      Schema::Parse(SchemaOf(R"({"id":1,"name":"a.b","required":true,"type":"int"},
                                {"id":2,"name":"a","required":true,"type":{"type":"struct",
                                  "fields":[{"id":3,"name":"b","required":true,"type":"int"}]}})")),
      IsError(ErrorKind::kValidation, "Invalid schema: multiple fields for name a.b: 1 and 3"));
  EXPECT_THAT(Schema::Parse(SchemaOf(R"({"id":1,"name":"a","required":true,"type":"int"},
                                        {"id":2,"name":"A","required":true,"type":"int"})")),
              IsOk());
}

TEST(SchemaParse, RefusesReservedIds) {
  Json schema = ColumnOfType(R"("int")");
  schema["fields"][0]["id"] = 2147483447;
  EXPECT_THAT(Schema::Parse(schema), IsOk());
  schema["fields"][0]["id"] = 2147483448;
  EXPECT_THAT(Schema::Parse(schema),
              IsError(ErrorKind::kValidation,
                      "Invalid schema: field ID 2147483448 of c is reserved, IDs end at "
                      "2147483447"));
}

TEST(SchemaParse, RefusesRequiredFieldsOfUnknownType) {
  EXPECT_THAT(Schema::Parse(ColumnOfType(R"("unknown")")), IsOk());
  EXPECT_THAT(Schema::Parse(ColumnOfType(R"("unknown")", true)),
              IsError(ErrorKind::kValidation, "Cannot create required field with unknown type: c"));
  EXPECT_THAT(
      Schema::Parse(ColumnOfType(R"({"type":"map","key-id":2,"key":"unknown","value-id":3,
                                     "value":"int","value-required":true})")),
      IsError(ErrorKind::kValidation, "Cannot create required field with unknown type: c.key"));
}

TEST(SchemaParse, ChecksDefaultsAtEveryDepth) {
  Json schema = NestedSchema();
  Json& leaf = schema["fields"][4]["type"]["fields"][0];
  leaf["initial-default"] = nullptr;
  leaf["write-default"] = "1.50";
  EXPECT_THAT(Schema::Parse(schema), IsOk());
  leaf["write-default"] = 1.5;
  EXPECT_THAT(Schema::Parse(schema),
              IsError(ErrorKind::kValidation,
                      "Invalid write-default for inner.v: expected a value of type decimal(9,2), "
                      "found 1.5"));
}

TEST(SchemaParse, RefusesIdentifierFieldsThatMayNotBe) {
  struct Case {
    int id;
    const char* message;
  };
  Json schema = NestedSchema();
  schema["fields"].push_back(Json::parse(R"({"id":60,"name":"f","required":true,"type":"float"})"));
  schema["fields"].push_back(
      Json::parse(R"({"id":61,"name":"o","required":false,"type":{"type":"struct","fields":[
        {"id":62,"name":"v","required":true,"type":"int"}]}})"));
  schema["fields"].push_back(
      Json::parse(R"({"id":63,"name":"any","required":true,"type":"variant"})"));
  for (const Case& c : {
           Case{99, "Cannot add fieldId 99 as an identifier field: field does not exist"},
           Case{20, "Cannot add field data as an identifier field: not a required field"},
           Case{50, "Cannot add field inner as an identifier field: not a primitive type field"},
           Case{63, "Cannot add field any as an identifier field: not a primitive type field"},
           Case{60, "Cannot add field f as an identifier field: must not be float or double field"},
           Case{43,
                "Cannot add field tags.value.n as an identifier field: must not be nested in "
                "an optional field tags.value"},
           Case{41, "Cannot add field tags.key as an identifier field: must not be nested in map"},
           Case{62,
                "Cannot add field o.v as an identifier field: must not be nested in an "
                "optional field o"},
       }) {
    schema["identifier-field-ids"] = {c.id};
    EXPECT_THAT(Schema::Parse(schema), IsError(ErrorKind::kValidation, c.message));
  }
  schema["identifier-field-ids"] = {10, 51};
  EXPECT_THAT(Schema::Parse(schema), IsOk());
}

TEST(CheckFormatVersion, ListsEveryProblemByFieldId) {
  Result<Schema> schema = Schema::Parse(SchemaOf(R"json(
    {"id":5,"name":"late","required":false,"type":"int","initial-default":34,"write-default":1},
    {"id":1,"name":"x","required":false,"type":"variant"},
    {"id":2,"name":"l","required":false,"type":{"type":"list","element-id":3,
      "element-required":false,"element":"geography(OGC:CRS84,karney)"}},
    {"id":4,"name":"s","required":false,"type":"string","initial-default":"a b"},
    {"id":6,"name":"w","required":false,"type":"int","write-default":1})json"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_THAT(
      schema->CheckFormatVersion(2),
      IsError(ErrorKind::kValidation,
              "Invalid schema for v2:\n"
              "- Invalid type for x: variant is not supported until v3\n"
              "- Invalid type for l.element: geography(OGC:CRS84, karney) is not supported until "
              "v3\n"
              "- Invalid initial default for s: non-null default (a b) is not supported until v3\n"
              "- Invalid initial default for late: non-null default (34) is not supported until "
              "v3"));
  EXPECT_THAT(schema->CheckFormatVersion(1),
              IsError(ErrorKind::kValidation, HasSubstr("Invalid schema for v1:\n- ")));
  EXPECT_THAT(schema->CheckFormatVersion(3), IsOk());
}

TEST(CheckFormatVersion, IsFineForOldTypesAndWriteDefaultsInVersionOne) {
  Result<Schema> schema = Schema::Parse(
      SchemaOf(R"({"id":6,"name":"w","required":false,"type":"fixed[2]","write-default":"0000"})"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_THAT(schema->CheckFormatVersion(1), IsOk());
}

TEST(SameSchema, IgnoresTheSchemaIdSpellingsAndOrderOfIdentifiers) {
  Json a = NestedSchema();
  a["identifier-field-ids"] = {10, 51};
  Json b = a;
  b["schema-id"] = 12;
  b["identifier-field-ids"] = {51, 10};
  b["fields"][0]["initial-default"] = nullptr;
  b["fields"][1]["doc"] = nullptr;
  b["fields"][4]["type"]["fields"][0]["type"] = "decimal( 9, 2 )";
  EXPECT_TRUE(SameSchema(a, b));
  a.erase("identifier-field-ids");
  b["identifier-field-ids"] = Json::array();
  EXPECT_TRUE(SameSchema(a, b));
}

TEST(SameSchema, TellsEveryDifferenceApart) {
  struct Change {
    const char* pointer;
    Json value;
  };
  for (const Change& change : {
           Change{"/fields/0/id", 11},
           Change{"/fields/0/name", "ID"},
           Change{"/fields/0/required", false},
           Change{"/fields/0/doc", "another"},
           Change{"/fields/0/type", "int"},
           Change{"/fields/0/initial-default", 1},
           Change{"/fields/0/write-default", 1},
           Change{"/fields/2/type/element-id", 39},
           Change{"/fields/2/type/element-required", false},
           Change{"/fields/2/type/element", "int"},
           Change{"/fields/2/type/element/fields/0/name", "y"},
           Change{"/fields/3/type/key-id", 49},
           Change{"/fields/3/type/key", "int"},
           Change{"/fields/3/type/value-id", 49},
           Change{"/fields/3/type/value-required", true},
           Change{"/fields/3/type/value/fields/0/type", "long"},
           Change{"/fields/4/type/fields/0/type", "decimal(9, 3)"},
           Change{"/fields/4/type", "int"},
           Change{"/fields/5", Json::parse(R"({"id":99,"name":"z","required":false,
                                               "type":"int"})")},
           Change{"/identifier-field-ids", Json::array()},
       }) {
    Json changed = NestedSchema();
    changed[Json::json_pointer(change.pointer)] = change.value;
    EXPECT_FALSE(SameSchema(NestedSchema(), changed)) << change.pointer;
    EXPECT_FALSE(SameSchema(changed, NestedSchema())) << change.pointer;
  }
  Json swapped = NestedSchema();
  std::swap(swapped["fields"][0], swapped["fields"][1]);
  EXPECT_FALSE(SameSchema(NestedSchema(), swapped));
}

TEST(AssignFreshIds, NumbersTheFieldsOfAStructBeforeItDescends) {
  FreshSchema fresh = AssignFreshIds(NestedSchema());
  EXPECT_EQ(fresh.last_column_id, 11);
  EXPECT_EQ(fresh.json["schema-id"], 0);
  Result<Schema> schema = Schema::Parse(fresh.json);
  ASSERT_THAT(schema, IsOk());
  std::vector<int32_t> ids;
  for (const Field& field : schema->fields()) ids.push_back(field.id);
  // id, data, points, its element and x, tags, its key, value and n, inner and v.
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 6, 7, 4, 8, 9, 10, 5, 11));
  EXPECT_EQ(schema->highest_field_id(), fresh.last_column_id);
}

TEST(AssignFreshIds, TakesKeyAndValueIdsBeforeItDescendsIntoEither) {
  FreshSchema fresh =
      AssignFreshIds(ColumnOfType(R"({"type":"map","key-id":5,"value-id":6,"value-required":true,
    "key":{"type":"struct","fields":[{"id":7,"name":"k","required":true,"type":"int"}]},
    "value":{"type":"list","element-id":8,"element-required":true,"element":"int"}})"));
  const Json& type = fresh.json["fields"][0]["type"];
  EXPECT_EQ(type["key-id"], 2);
  EXPECT_EQ(type["value-id"], 3);
  EXPECT_EQ(type["key"]["fields"][0]["id"], 4);
  EXPECT_EQ(type["value"]["element-id"], 5);
}

TEST(AssignFreshIds, MovesIdentifiersWithTheirColumnsAndKeepsTheRest) {
  Json schema = NestedSchema();
  schema["identifier-field-ids"] = {51, 10};
  schema["x-note"] = "kept";
  schema["fields"][1]["x-column"] = 5;
  schema["fields"][1]["write-default"] = "d";
  FreshSchema fresh = AssignFreshIds(schema);
  EXPECT_EQ(fresh.json["identifier-field-ids"], Json({11, 1}));
  EXPECT_EQ(fresh.json["x-note"], "kept");
  EXPECT_EQ(fresh.json["fields"][0]["doc"], "the key");
  EXPECT_EQ(fresh.json["fields"][1]["x-column"], 5);
  EXPECT_EQ(fresh.json["fields"][1]["write-default"], "d");
  EXPECT_EQ(fresh.json["fields"][4]["type"]["fields"][0]["type"], "decimal(9, 2)");
}

TEST(AssignFreshIds, IsStable) {
  FreshSchema once = AssignFreshIds(NestedSchema());
  FreshSchema twice = AssignFreshIds(once.json);
  EXPECT_EQ(once.json, twice.json);
  EXPECT_EQ(once.last_column_id, twice.last_column_id);
}

}  // namespace
}  // namespace berglite::metadata
