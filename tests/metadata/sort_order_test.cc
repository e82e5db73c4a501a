#include "lib/metadata/sort_order.h"

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

Json PlacesJson() {
  return Json::parse(R"({"type":"struct","schema-id":0,"fields":[
    {"id":10,"name":"id","required":true,"type":"long"},
    {"id":30,"name":"place","required":false,"type":{"type":"struct","fields":[
      {"id":31,"name":"city","required":false,"type":"string"}]}}]})");
}

Schema ParseSchema(const Json& json) {
  Result<Schema> schema = Schema::Parse(json);
  EXPECT_THAT(schema, IsOk());
  return *std::move(schema);
}

Schema Places() { return ParseSchema(PlacesJson()); }

Json TwoFields() {
  return Json::parse(R"({"order-id":5,"fields":[
    {"source-id":31,"transform":"identity","direction":"asc","null-order":"nulls-first"},
    {"source-id":10,"transform":"bucket[4]","direction":"desc","null-order":"nulls-last"}]})");
}

TEST(CheckSortOrder, TakesOrdersWithAndWithoutAnId) {
  EXPECT_THAT(CheckSortOrder(TwoFields(), Places()), IsOk());
  Json order = TwoFields();
  order.erase("order-id");
  EXPECT_THAT(CheckSortOrder(order, Places()), IsOk());
  EXPECT_THAT(CheckSortOrder(Json::parse(R"({"order-id":0,"fields":[]})"), Places()), IsOk());
  EXPECT_THAT(CheckSortOrder(Json::parse(R"({"fields":[]})"), Places()), IsOk());
}

TEST(CheckSortOrder, KeepsIdZeroForNoFields) {
  EXPECT_THAT(CheckSortOrder(Json::parse(R"({"order-id":1,"fields":[]})"), Places()),
              IsError(ErrorKind::kValidation, "Unsorted order ID must be 0"));
  Json order = TwoFields();
  order["order-id"] = 0;
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kValidation, "Sort order ID 0 is reserved for unsorted order"));
}

TEST(CheckSortOrder, RefusesSourcesThatCannotBeSortedBy) {
  Json order = TwoFields();
  order["fields"][1]["source-id"] = 99;
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kValidation,
                      "Cannot find source column for sort field: bucket[4](99) desc nulls-last"));
  order["fields"][1]["source-id"] = 30;
  EXPECT_THAT(
      CheckSortOrder(order, Places()),
      IsError(ErrorKind::kValidation, "Cannot sort by non-primitive source field: place (struct)"));
  order["fields"][1] = TwoFields()["fields"][1];
  order["fields"][1]["transform"] = "day";
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kValidation, StartsWith("Invalid source type long")));
}

TEST(CheckSortOrder, NamesWhatCannotBeRead) {
  for (const char* key : {"source-id", "transform", "direction", "null-order"}) {
    Json order = TwoFields();
    order["fields"][0].erase(key);
    EXPECT_THAT(
        CheckSortOrder(order, Places()),
        IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: " + std::string(key)));
  }
  Json order = TwoFields();
  order["fields"][0]["direction"] = "up";
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse direction: expected asc or desc, found up"));
  order = TwoFields();
  order["fields"][0]["null-order"] = "first";
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse null-order: expected nulls-first or nulls-last, found first"));
  order = TwoFields();
  order["order-id"] = "5";
  EXPECT_THAT(CheckSortOrder(order, Places()),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("order-id: expected")));
  EXPECT_THAT(CheckSortOrder(Json::object(), Places()),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: fields"));
}

TEST(RebuildSortOrder, FollowsColumnNamesAndIsTheFirstOrder) {
  Schema fresh = ParseSchema(AssignFreshIds(PlacesJson()).json);
  Json order = TwoFields();
  order["fields"][0]["x-note"] = "kept";
  Result<Json> rebuilt = RebuildSortOrder(order, Places(), fresh);
  ASSERT_THAT(rebuilt, IsOk());
  EXPECT_EQ(*rebuilt, Json::parse(R"({"order-id":1,"fields":[
    {"source-id":3,"transform":"identity","direction":"asc","null-order":"nulls-first",
     "x-note":"kept"},
    {"source-id":1,"transform":"bucket[4]","direction":"desc","null-order":"nulls-last"}]})"));
}

TEST(RebuildSortOrder, IsOrderZeroWithoutFields) {
  Schema fresh = ParseSchema(AssignFreshIds(PlacesJson()).json);
  Result<Json> rebuilt = RebuildSortOrder(Json::parse(R"({"fields":[]})"), Places(), fresh);
  ASSERT_THAT(rebuilt, IsOk());
  EXPECT_EQ(*rebuilt, Json::parse(R"({"order-id":0,"fields":[]})"));
}

TEST(RebuildSortOrder, RefusesSourcesThatTheRequestDoesNotHave) {
  Schema fresh = ParseSchema(AssignFreshIds(PlacesJson()).json);
  Json order = TwoFields();
  order["fields"][0]["source-id"] = 1;
  EXPECT_THAT(RebuildSortOrder(order, Places(), fresh),
              IsError(ErrorKind::kValidation,
                      StartsWith("Cannot find source column for sort field: identity(1)")));
}

TEST(SameSortOrder, ComparesFieldsInOrder) {
  Json other = TwoFields();
  other["order-id"] = 8;
  other["fields"][1]["transform"] = "BUCKET[4]";
  EXPECT_TRUE(SameSortOrder(TwoFields(), other));
  for (const char* change : {R"({"source-id":10})", R"({"transform":"void"})",
                             R"({"direction":"desc"})", R"({"null-order":"nulls-last"})"}) {
    Json changed = TwoFields();
    changed["fields"][0].update(Json::parse(change));
    EXPECT_FALSE(SameSortOrder(TwoFields(), changed)) << change;
  }
  Json swapped = TwoFields();
  std::swap(swapped["fields"][0], swapped["fields"][1]);
  EXPECT_FALSE(SameSortOrder(TwoFields(), swapped));
  EXPECT_FALSE(SameSortOrder(TwoFields(), Json::parse(R"({"fields":[]})")));
}

}  // namespace
}  // namespace berglite::metadata
