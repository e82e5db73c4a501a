#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class TransactionTest : public CatalogTest {
 protected:
  static Json Change(const std::string& name, Json change) {
    change["identifier"] = {{"namespace", {"ns"}}, {"name", name}};
    return change;
  }
  static Document Transaction(const Json& changes) { return Doc(Json{{"table-changes", changes}}); }

  static Json Create(const Json& metadata) {
    return {
        {"requirements", {{{"type", "assert-create"}}}},
        {"updates",
         {{{"action", "assign-uuid"}, {"uuid", "9c12d441-03fe-4693-9a96-a0705ddf69c1"}},
          {{"action", "upgrade-format-version"}, {"format-version", 2}},
          {{"action", "add-schema"}, {"schema", metadata["schemas"][0]}},
          {{"action", "set-current-schema"}, {"schema-id", -1}},
          {{"action", "add-spec"}, {"spec", metadata["partition-specs"][0]}},
          {{"action", "set-default-spec"}, {"spec-id", -1}},
          {{"action", "add-sort-order"}, {"sort-order", metadata["sort-orders"][0]}},
          {{"action", "set-default-sort-order"}, {"sort-order-id", -1}},
          {{"action", "set-location"}, {"location", std::string(metadata["location"]) + "-new"}}}}};
  }

  size_t WarehouseFiles() {
    size_t count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(PathOf(catalog_->warehouse()))) {
      if (entry.is_regular_file()) ++count;
    }
    return count;
  }
};

TEST_F(TransactionTest, ChangesAllItsTables) {
  CreateTable("a");
  CreateTable("b");
  ASSERT_THAT(catalog_->CommitTransaction(Transaction(
                  {Change("a", SetProperty("k", "1")), Change("b", SetProperty("k", "2"))})),
              IsOk());
  EXPECT_EQ(Load("a")["metadata"]["properties"]["k"], "1");
  EXPECT_EQ(Load("b")["metadata"]["properties"]["k"], "2");
}

TEST_F(TransactionTest, ChangesNothingWhenOneRequirementDoesNotHold) {
  Json a = CreateTable("a");
  Json b = CreateTable("b");
  Json stale = SetProperty("k", "2");
  stale["requirements"] = {{{"type", "assert-current-schema-id"}, {"current-schema-id", 1}}};
  EXPECT_THAT(catalog_->CommitTransaction(
                  Transaction({Change("a", SetProperty("k", "1")), Change("b", stale)})),
              IsError(ErrorKind::kCommitFailed,
                      HasSubstr("Requirement failed: current schema changed: expected id 1 != 0")));
  EXPECT_EQ(Load("a"), a);
  EXPECT_EQ(Load("b"), b);
  EXPECT_EQ(WarehouseFiles(), 2u);
}

TEST_F(TransactionTest, CreatesAndUpdatesTogether) {
  Json a = CreateTable("a");
  ASSERT_THAT(catalog_->CommitTransaction(Transaction(
                  {Change("a", SetProperty("k", "1")), Change("new", Create(a["metadata"]))})),
              IsOk());
  EXPECT_EQ(Load("a")["metadata"]["properties"]["k"], "1");
  EXPECT_EQ(Load("new")["metadata"]["table-uuid"], "9c12d441-03fe-4693-9a96-a0705ddf69c1");
}

TEST_F(TransactionTest, UpdatesNothingWhenItsCreateIsRefused) {
  Json a = CreateTable("a");
  CreateTable("b");
  EXPECT_THAT(catalog_->CommitTransaction(Transaction(
                  {Change("a", SetProperty("k", "1")), Change("b", Create(a["metadata"]))})),
              IsError(ErrorKind::kCommitFailed, "Requirement failed: table already exists"));
  EXPECT_EQ(Load("a"), a);
  EXPECT_EQ(WarehouseFiles(), 2u);
}

TEST_F(TransactionTest, NeedsEachTableOnceByName) {
  CreateTable("a");
  for (auto [request, message] : {
           std::pair("{}", "missing field: table-changes"),
           std::pair(R"({"table-changes":[]})", "Invalid table changes: empty"),
           std::pair(R"({"table-changes":[{"updates":[]}]})", "table identifier is required"),
           std::pair(R"({"table-changes":[1]})", "table identifier is required"),
           std::pair(R"({"table-changes":[{"identifier":{"namespace":["ns"],"name":"a"}},
                                          {"identifier":{"namespace":["ns"],"name":"a"}}]})",
                     "changed twice: ns.a"),
       }) {
    EXPECT_THAT(catalog_->CommitTransaction(Doc(request)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(message)))
        << request;
  }
}

TEST_F(TransactionTest, OfAMissingTableIsRefusedWhole) {
  Json a = CreateTable("a");
  EXPECT_THAT(catalog_->CommitTransaction(Transaction(
                  {Change("a", SetProperty("k", "1")), Change("none", SetProperty("k", "1"))})),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.none"));
  EXPECT_EQ(Load("a"), a);
}

TEST_F(TransactionTest, TakesTablesUpToTheLimit) {
  Json changes = Json::array();
  for (size_t i = 0; i <= limits::kTablesPerCommitMax; ++i) {
    changes.push_back(Change("t" + std::to_string(i), SetProperty("k", "v")));
  }
  EXPECT_THAT(
      catalog_->CommitTransaction(Transaction(changes)),
      IsError(ErrorKind::kInvalidArgument, HasSubstr("257 are more than the limit of 256")));
  changes.erase(changes.begin());
  EXPECT_THAT(catalog_->CommitTransaction(Transaction(changes)),
              IsError(ErrorKind::kNoSuchTable, HasSubstr("ns.t")));
}

}  // namespace
}  // namespace berglite::testing
