// What an operator gives to a catalog and asks of it: properties of new tables and views, and
// whether it can store a change.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NewPropertiesTest : public CatalogTest {
 protected:
  void SetUp() override {
    const NewProperties properties{.defaults = {{"a", "default"}, {"b", "default"}},
                                   .overrides = {{"c", "forced"}}};
    auto catalog = Catalog::Open(directory_ / "lake.db", {.table_properties = properties,
                                                          .view_properties = properties,
                                                          .environment = &environment_});
    ASSERT_THAT(catalog, IsOk());
    catalog_ = *std::move(catalog);
    CreateNamespace({"ns"});
  }

  static Json ViewRequest(const std::string& name) {
    return Json{
        {"name", name},
        {"schema", {{"type", "struct"}, {"fields", Json::array()}}},
        {"view-version",
         {{"version-id", 1},
          {"timestamp-ms", 0},
          {"schema-id", 0},
          {"summary", Json::object()},
          {"representations", {{{"type", "sql"}, {"sql", "SELECT 1"}, {"dialect", "spark"}}}},
          {"default-namespace", {"ns"}}}},
        {"properties", Json::object()}};
  }
};

TEST_F(NewPropertiesTest, FillAndOverruleTheRequestForATable) {
  Json request = TableRequest("t");
  request["properties"] = {{"b", "asked"}, {"c", "asked"}, {"d", "asked"}};
  for (const char* staged : {"true", "false"}) {
    request["stage-create"] = Json::parse(staged);
    auto table = catalog_->CreateTable({"ns"}, Doc(request));
    ASSERT_THAT(table, IsOk());
    const Json& properties = Dom(*table)["metadata"]["properties"];
    EXPECT_EQ(properties["a"], "default");
    EXPECT_EQ(properties["b"], "asked");
    EXPECT_EQ(properties["c"], "forced");
    EXPECT_EQ(properties["d"], "asked");
  }
}

TEST_F(NewPropertiesTest, StandInATableThatAsksForNone) {
  const Json table = CreateTable("t");
  EXPECT_EQ(table["metadata"]["properties"]["a"], "default");
  EXPECT_EQ(table["metadata"]["properties"]["c"], "forced");
}

TEST_F(NewPropertiesTest, FillAndOverruleTheRequestForAView) {
  Json request = ViewRequest("v");
  request["properties"] = {{"b", "asked"}, {"c", "asked"}};
  auto view = catalog_->CreateView({"ns"}, Doc(request));
  ASSERT_THAT(view, IsOk());
  EXPECT_EQ(Dom(*view)["metadata"]["properties"],
            Json({{"a", "default"}, {"b", "asked"}, {"c", "forced"}}));
}

TEST_F(NewPropertiesTest, LeaveAWrongRequestWrong) {
  Json request = TableRequest("t");
  request["properties"] = "text";
  EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("properties")));
}

TEST_F(NewPropertiesTest, DoNotTouchATableThatIsThere) {
  CreateTable("t");
  auto committed = catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("c", "asked")));
  ASSERT_THAT(committed, IsOk());
  EXPECT_EQ(Load("t")["metadata"]["properties"]["c"], "asked");
}

using WritableTest = CatalogTest;

TEST_F(WritableTest, HoldsForACatalogInGoodOrderAndLeavesNothing) {
  EXPECT_THAT(catalog_->CheckWritable(), IsOk());
  EXPECT_TRUE(fs::is_empty(directory_ / "warehouse"));
}

TEST_F(WritableTest, HoldsInMemory) {
  auto catalog = Catalog::Open(":memory:", {.warehouse = directory_ / "w"});
  ASSERT_THAT(catalog, IsOk());
  EXPECT_THAT((*catalog)->CheckWritable(), IsOk());
}

TEST_F(WritableTest, FailsWhereTheWarehouseTakesNoFile) {
  fs::remove_all(directory_ / "warehouse");
  std::ofstream(directory_ / "warehouse") << "no directory";
  EXPECT_THAT(catalog_->CheckWritable(),
              IsError(ErrorKind::kInvalidArgument, HasSubstr(directory_ / "warehouse")));
}

TEST_F(WritableTest, FailsWhereAnotherProgramKeepsTheFileLocked) {
  auto catalog = Catalog::Open(directory_ / "lake.db", {.busy_timeout_ms = 1});
  ASSERT_THAT(catalog, IsOk());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((directory_ / "lake.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT((*catalog)->CheckWritable(), IsError(ErrorKind::kUnavailable, HasSubstr("lock")));
  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_THAT((*catalog)->CheckWritable(), IsOk());
}

}  // namespace
}  // namespace berglite::testing
