// Updates of schemas, partition specs and sort orders.
#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

Json Column(int id, const char* name, const char* type) {
  return {{"id", id}, {"name", name}, {"required", false}, {"type", type}};
}

// The schema of the base with more columns.
Json SchemaWith(const std::vector<Json>& columns) {
  Json schema = BaseJson()["schemas"][0];
  for (const Json& column : columns) schema["fields"].push_back(column);
  return schema;
}

Json AddSchema(const Json& schema) { return {{"action", "add-schema"}, {"schema", schema}}; }
Json SetCurrentSchema(int id) { return {{"action", "set-current-schema"}, {"schema-id", id}}; }

Json SpecField(const char* name, const char* transform, int source) {
  return {{"name", name}, {"transform", transform}, {"source-id", source}};
}
Json AddSpec(const std::vector<Json>& fields) {
  return {{"action", "add-spec"}, {"spec", {{"fields", fields}}}};
}
Json SetDefaultSpec(int id) { return {{"action", "set-default-spec"}, {"spec-id", id}}; }

Json SortField(int source, const char* direction = "asc") {
  return {{"transform", "identity"},
          {"source-id", source},
          {"direction", direction},
          {"null-order", "nulls-first"}};
}
Json AddSortOrder(const std::vector<Json>& fields, int id) {
  return {{"action", "add-sort-order"}, {"sort-order", {{"order-id", id}, {"fields", fields}}}};
}
Json SetDefaultSortOrder(int id) {
  return {{"action", "set-default-sort-order"}, {"sort-order-id", id}};
}

// --- Schemas

TEST(AddSchema, GetsTheNextIdWhateverIsSent) {
  Json schema = SchemaWith({Column(5, "c", "int")});
  schema["schema-id"] = 77;
  Json update = AddSchema(schema);
  update["last-column-id"] = 3;
  Json table = Applied(BaseJson(), Json::array({update}));
  ASSERT_EQ(table["schemas"].size(), 2U);
  EXPECT_EQ(table["schemas"][1]["schema-id"], 1);
  EXPECT_EQ(table["schemas"][1]["fields"][2]["id"], 5);
  EXPECT_EQ(table["last-column-id"], 5);
  EXPECT_EQ(table["current-schema-id"], 0);
}

TEST(AddSchema, ReusesAnEqualOne) {
  Json same = BaseJson()["schemas"][0];
  same["schema-id"] = 9;
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({AddSchema(same)})));
  Json other = AddSchema(SchemaWith({Column(3, "c", "int")}));
  Json table = Applied(BaseJson(), Json::array({other, other}));
  EXPECT_EQ(table["schemas"].size(), 2U);
}

TEST(AddSchema, CountsAColumnIdThatGrows) {
  Json base = BaseJson();
  base["schemas"].push_back(SchemaWith({Column(3, "c", "int")}));
  base["schemas"][1]["schema-id"] = 1;
  Json table = Applied(base, Json::array({AddSchema(base["schemas"][1])}));
  EXPECT_EQ(table["schemas"], base["schemas"]);
  EXPECT_EQ(table["last-column-id"], 3);
}

TEST(AddSchema, NeverLowersTheLastColumnId) {
  Json base = BaseJson();
  base["last-column-id"] = 10;
  Json table = Applied(base, Json::array({AddSchema(SchemaWith({Column(3, "c", "int")}))}));
  EXPECT_EQ(table["last-column-id"], 10);
}

TEST(AddSchema, RefusesTypesOfLaterVersions) {
  Json update = AddSchema(SchemaWith({Column(3, "v", "variant")}));
  EXPECT_THAT(Apply(BaseJson(2), Json::array({update})),
              IsError(ErrorKind::kValidation,
                      "Invalid schema for v2:\n- Invalid type for v: variant is not supported "
                      "until v3"));
  EXPECT_THAT(Apply(BaseJson(3), Json::array({update})), IsOk());
}

TEST(AddSchema, SurvivesStoredSchemasThatCannotBeRead) {
  Json base = BaseJson();
  base["schemas"].push_back({{"schema-id", 4}, {"fields", Json::array({5})}});
  Json table = Applied(base, Json::array({AddSchema(SchemaWith({Column(3, "c", "int")}))}));
  EXPECT_EQ(table["schemas"][2]["schema-id"], 5);
  base["schemas"][1]["schema-id"] = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(Apply(base, Json::array({AddSchema(SchemaWith({Column(3, "c", "int")}))})),
              IsError(ErrorKind::kValidation, "Cannot add one more: no schema-id is left"));
}

TEST(SetCurrentSchema, TakesAnIdOrTheLastAdded) {
  Json add = AddSchema(SchemaWith({Column(3, "c", "int")}));
  Json table = Applied(BaseJson(), Json::array({add, SetCurrentSchema(-1)}));
  EXPECT_EQ(table["current-schema-id"], 1);
  EXPECT_EQ(Applied(table, Json::array({SetCurrentSchema(0)}))["current-schema-id"], 0);
  EXPECT_TRUE(ChangesNothing(table, Json::array({SetCurrentSchema(1)})));
  // A reused schema counts as added last.
  Json reused = Json::array({AddSchema(BaseJson()["schemas"][0]), SetCurrentSchema(-1)});
  EXPECT_EQ(Applied(table, reused)["current-schema-id"], 0);
}

TEST(SetCurrentSchema, RefusesUnknownIds) {
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({SetCurrentSchema(-1)})),
      IsError(ErrorKind::kValidation, "Cannot set last added schema: no schema has been added"));
  EXPECT_THAT(Apply(BaseJson(), Json::array({SetCurrentSchema(5)})),
              IsError(ErrorKind::kValidation, "Cannot set current schema to unknown schema: 5"));
}

TEST(RemoveSchemas, RemovesAllButTheCurrentOne) {
  auto remove = [](const Json& ids) -> Json {
    return {{"action", "remove-schemas"}, {"schema-ids", ids}};
  };
  Json add = AddSchema(SchemaWith({Column(3, "c", "int")}));
  Json two = Applied(BaseJson(), Json::array({add}));
  EXPECT_EQ(Applied(two, Json::array({remove({1, 9})}))["schemas"], BaseJson()["schemas"]);
  EXPECT_THAT(Apply(two, Json::array({remove({1, 0})})),
              IsError(ErrorKind::kValidation, "Cannot remove the current schema"));
  EXPECT_TRUE(ChangesNothing(two, Json::array({remove(Json::array())})));
  EXPECT_EQ(Applied(two, Json::array({remove({9})}))["metadata-log"].size(), 2U);
}

// --- Partition specs

TEST(AddSpec, GetsFreshIds) {
  Json update = AddSpec({SpecField("b", "bucket[4]", 1), SpecField("d", "identity", 2)});
  update["spec"]["fields"][1]["name"] = "data";
  update["spec"]["spec-id"] = 50;
  Json table = Applied(BaseJson(), Json::array({update}));
  const Json& spec = table["partition-specs"][1];
  EXPECT_EQ(spec["spec-id"], 1);
  EXPECT_EQ(spec["fields"][0]["field-id"], 1000);
  EXPECT_EQ(spec["fields"][1]["field-id"], 1001);
  EXPECT_EQ(table["last-partition-id"], 1001);
  EXPECT_EQ(table["default-spec-id"], 0);
}

TEST(AddSpec, ReusesFieldIdsOfTheSameTerm) {
  Json base = Applied(BaseJson(), Json::array({AddSpec({SpecField("b", "bucket[4]", 1)})}));
  Json table = Applied(
      base,
      Json::array({AddSpec({SpecField("t", "truncate[2]", 2), SpecField("c", "bucket[4]", 1)})}));
  const Json& spec = table["partition-specs"][2];
  EXPECT_EQ(spec["fields"][0]["field-id"], 1001);
  EXPECT_EQ(spec["fields"][1]["field-id"], 1000);
}

TEST(AddSpec, ReusesAnEqualOne) {
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({AddSpec({})})));
  Json update = AddSpec({SpecField("b", "bucket[4]", 1)});
  Json base = Applied(BaseJson(), Json::array({update, update}));
  EXPECT_EQ(base["partition-specs"].size(), 2U);
  EXPECT_TRUE(ChangesNothing(base, Json::array({update})));
}

TEST(AddSpec, IsBoundToTheCurrentSchema) {
  Json update = AddSpec({SpecField("c_b", "bucket[4]", 3)});
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({update})),
      IsError(ErrorKind::kValidation, HasSubstr("Cannot find source column for partition field")));
  Json add_column = AddSchema(SchemaWith({Column(3, "c", "int")}));
  EXPECT_THAT(Apply(BaseJson(), Json::array({add_column, SetCurrentSchema(-1), update})), IsOk());
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({add_column, update})),
      IsError(ErrorKind::kValidation, HasSubstr("Cannot find source column for partition field")));
}

TEST(AddSpec, NeedsAllFieldIdsOrNone) {
  Json update = AddSpec({SpecField("b", "bucket[4]", 1), SpecField("t", "void", 2)});
  update["spec"]["fields"][0]["field-id"] = 1000;
  EXPECT_THAT(Apply(BaseJson(), Json::array({update})),
              IsError(ErrorKind::kInvalidArgument,
                      HasSubstr("Cannot parse spec with missing field IDs: ")));
}

TEST(SetDefaultSpec, TakesAnIdOrTheLastAdded) {
  Json add = AddSpec({SpecField("b", "bucket[4]", 1)});
  Json table = Applied(BaseJson(), Json::array({add, SetDefaultSpec(-1)}));
  EXPECT_EQ(table["default-spec-id"], 1);
  EXPECT_TRUE(ChangesNothing(table, Json::array({add, SetDefaultSpec(-1)})));
  Json reused = Json::array({AddSpec({}), SetDefaultSpec(-1)});
  EXPECT_EQ(Applied(table, reused)["default-spec-id"], 0);
  EXPECT_EQ(Applied(table, Json::array({SetDefaultSpec(0)}))["default-spec-id"], 0);
}

TEST(SetDefaultSpec, RefusesUnknownIds) {
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({SetDefaultSpec(-1)})),
      IsError(ErrorKind::kValidation, "Cannot set last added spec: no spec has been added"));
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({SetDefaultSpec(5)})),
      IsError(ErrorKind::kValidation, "Cannot set default partition spec to unknown spec: 5"));
}

TEST(RemovePartitionSpecs, RemovesAllButTheDefault) {
  auto remove = [](const Json& ids) -> Json {
    return {{"action", "remove-partition-specs"}, {"spec-ids", ids}};
  };
  Json two = Applied(BaseJson(), Json::array({AddSpec({SpecField("b", "bucket[4]", 1)})}));
  Json table = Applied(two, Json::array({remove({1})}));
  EXPECT_EQ(table["partition-specs"], BaseJson()["partition-specs"]);
  EXPECT_EQ(table["last-partition-id"], 1000);
  EXPECT_THAT(Apply(two, Json::array({remove({0})})),
              IsError(ErrorKind::kValidation, "Cannot remove the default partition spec"));
  EXPECT_EQ(Applied(two, Json::array({remove({9})}))["partition-specs"], two["partition-specs"]);
  EXPECT_TRUE(ChangesNothing(two, Json::array({remove(Json::array())})));
}

// --- Sort orders

TEST(AddSortOrder, GetsTheNextId) {
  Json table = Applied(BaseJson(), Json::array({AddSortOrder({SortField(1)}, 40)}));
  EXPECT_EQ(table["sort-orders"][1]["order-id"], 1);
  table = Applied(table, Json::array({AddSortOrder({SortField(1, "desc")}, 1)}));
  EXPECT_EQ(table["sort-orders"][2]["order-id"], 2);
  EXPECT_EQ(table["default-sort-order-id"], 0);
}

TEST(AddSortOrder, ReusesAnEqualOne) {
  Json add = AddSortOrder({SortField(1)}, 1);
  Json base = Applied(BaseJson(), Json::array({add, add}));
  EXPECT_EQ(base["sort-orders"].size(), 2U);
  EXPECT_TRUE(ChangesNothing(base, Json::array({add})));
  EXPECT_TRUE(ChangesNothing(base, Json::array({AddSortOrder({}, 0)})));
}

TEST(AddSortOrder, HasZeroForTheUnsortedOrderAlone) {
  EXPECT_THAT(Apply(BaseJson(), Json::array({AddSortOrder({}, 1)})),
              IsError(ErrorKind::kValidation, "Unsorted order ID must be 0"));
  EXPECT_THAT(Apply(BaseJson(), Json::array({AddSortOrder({SortField(1)}, 0)})),
              IsError(ErrorKind::kValidation, "Sort order ID 0 is reserved for unsorted order"));
  Json base = BaseJson();
  base["sort-orders"][0] = {{"order-id", 3}, {"fields", Json::array({SortField(1)})}};
  base["default-sort-order-id"] = 3;
  Json updates = Json::array({AddSortOrder({}, 0), SetDefaultSortOrder(-1)});
  Json table = Applied(base, updates);
  EXPECT_EQ(table["sort-orders"][1]["order-id"], 0);
  EXPECT_EQ(table["default-sort-order-id"], 0);
}

TEST(AddSortOrder, IsBoundToTheCurrentSchema) {
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({AddSortOrder({SortField(3)}, 1)})),
      IsError(ErrorKind::kValidation, HasSubstr("Cannot find source column for sort field")));
}

TEST(SetDefaultSortOrder, TakesAnIdOrTheLastAdded) {
  Json add = AddSortOrder({SortField(1)}, 1);
  Json table = Applied(BaseJson(), Json::array({add, SetDefaultSortOrder(-1)}));
  EXPECT_EQ(table["default-sort-order-id"], 1);
  EXPECT_TRUE(ChangesNothing(table, Json::array({add, SetDefaultSortOrder(-1)})));
  EXPECT_EQ(Applied(table, Json::array({SetDefaultSortOrder(0)}))["default-sort-order-id"], 0);
}

TEST(SetDefaultSortOrder, RefusesUnknownIds) {
  EXPECT_THAT(Apply(BaseJson(), Json::array({SetDefaultSortOrder(-1)})),
              IsError(ErrorKind::kValidation,
                      "Cannot set last added sort order: no sort order has been added"));
  EXPECT_THAT(
      Apply(BaseJson(), Json::array({SetDefaultSortOrder(5)})),
      IsError(ErrorKind::kValidation, "Cannot set default sort order to unknown sort order: 5"));
}

// --- All together

TEST(Layout, KeepsTheColumnsOfTheDefaultSpecAndOrder) {
  Json without_data = BaseJson()["schemas"][0];
  without_data["fields"].erase(1);
  Json drop = Json::array({AddSchema(without_data), SetCurrentSchema(-1)});
  EXPECT_THAT(Apply(BaseJson(), drop), IsOk());

  Json partitioned = Applied(
      BaseJson(), Json::array({AddSpec({SpecField("d", "truncate[2]", 2)}), SetDefaultSpec(-1)}));
  EXPECT_THAT(Apply(partitioned, drop),
              IsError(ErrorKind::kValidation,
                      HasSubstr("Cannot find source column for partition field: ")));
  drop.push_back(SetDefaultSpec(0));
  EXPECT_THAT(Apply(partitioned, drop), IsOk());

  Json sorted =
      Applied(BaseJson(), Json::array({AddSortOrder({SortField(2)}, 1), SetDefaultSortOrder(-1)}));
  EXPECT_THAT(
      Apply(sorted, drop),
      IsError(ErrorKind::kValidation, HasSubstr("Cannot find source column for sort field: ")));
}

TEST(Layout, IsNotCheckedByUnrelatedUpdates) {
  Json base = BaseJson();
  base["partition-specs"][0]["fields"] = Json::array({SpecField("x", "identity", 99)});
  EXPECT_THAT(Apply(base, Json::array({SetProperty("a", "b")})), IsOk());
}

}  // namespace
}  // namespace berglite::metadata
