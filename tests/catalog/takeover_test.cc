// Files that another SQL catalog has made, opened for the first time.
#include "lib/catalog/takeover.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/warehouses.h"
#include "tests/catalog/fixture.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

store::EntryRow Row(const Namespace& name_space, const std::string& text,
                    const std::string& metadata_location) {
  return {text, name_space, "t", "TABLE", metadata_location};
}

std::string WarehouseOf(const Namespace& name_space, const std::string& text,
                        const std::string& metadata_location) {
  return catalog::WarehouseOfTables({Row(name_space, text, metadata_location)});
}

TEST(WarehouseOfTables, IsFoundInTheLayoutOfEachCatalog) {
  for (const char* location :
       {"file:///w/x/a/b/t/metadata/00000-1.metadata.json", "/w/x/a.b/t/metadata/1.metadata.json",
        "file:/w/x/a.b.db/t/metadata/1.metadata.json",
        "file:///w/x/a/b/t-77aa/metadata/1.metadata.json"}) {
    EXPECT_EQ(WarehouseOf({"a", "b"}, "a.b", location), "/w/x") << location;
  }
}

TEST(WarehouseOfTables, IsNoneWhereTablesLieOtherwise) {
  for (const char* location :
       {"s3://bucket/a/t/metadata/1.metadata.json", "/a/t/metadata/1.metadata.json",
        "/w/b/t/metadata/1.metadata.json", "/w/a/u/metadata/1.metadata.json",
        "/w/a/t/1.metadata.json", "a/t/metadata/1.metadata.json", ""}) {
    EXPECT_EQ(WarehouseOf({"a"}, "a", location), "") << location;
  }
}

TEST(WarehouseOfTables, IsTheOneOfMost) {
  EXPECT_EQ(catalog::WarehouseOfTables({Row({"a"}, "a", "/1/a/t/metadata/1.json"),
                                        Row({"b"}, "b", "/2/b/t/metadata/1.json"),
                                        Row({"c"}, "c", "/elsewhere/metadata/1.json"),
                                        Row({"d"}, "d", "/2/d/t/metadata/1.json")}),
            "/2");
}

class TakeOverTest : public ::testing::Test {
 protected:
  // A file as other programs make it, with a table of each catalog in `catalogs/<name>`.
  void MakeForeignFile(const std::vector<std::string>& catalogs) {
    store::RawDatabase file(directory_ / "lake.db");
    file.Run(
        "CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, "
        "metadata_location, previous_metadata_location)");
    for (const std::string& name : catalogs) {
      const std::string warehouse = directory_ / ("catalogs/" + name);
      std::filesystem::create_directories(warehouse);
      file.Run("INSERT INTO iceberg_tables VALUES ('" + name + "', 'ns', 't', 'file://" +
               warehouse + "/ns/t/metadata/1.metadata.json', NULL)");
    }
  }
  std::string Uri(const std::string& name) { return "file://" + (directory_ / name); }

  TempDir directory_;
};

TEST_F(TakeOverTest, FindsTheWarehouseAndKeepsIt) {
  MakeForeignFile({"py"});
  for (int i = 0; i < 2; ++i) {
    auto catalog = Catalog::Open(directory_ / "lake.db");
    ASSERT_THAT(catalog, IsOk());
    EXPECT_EQ((*catalog)->warehouse(), Uri("catalogs/py"));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "warehouse"));
    store::RawDatabase(directory_ / "lake.db").Run("DELETE FROM iceberg_tables");
  }
}

TEST_F(TakeOverTest, GivesEachCatalogItsOwnAndKeepsTheFirst) {
  MakeForeignFile({"a", "b"});
  auto warehouses = Warehouses::Open(directory_ / "lake.db", {.name = "b"});
  ASSERT_THAT(warehouses, IsOk());
  EXPECT_EQ((*warehouses)->default_catalog().warehouse(), Uri("catalogs/b"));
  auto again = Warehouses::Open(directory_ / "lake.db");
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ((*again)->default_catalog().name(), "a");
  EXPECT_EQ((*again)->default_catalog().warehouse(), Uri("catalogs/a"));
}

TEST_F(TakeOverTest, LeavesTheChoiceToTheOperator) {
  MakeForeignFile({"py"});
  auto catalog = Catalog::Open(directory_ / "lake.db", {.warehouse = directory_ / "mine"});
  ASSERT_THAT(catalog, IsOk());
  EXPECT_EQ((*catalog)->warehouse(), Uri("mine"));
}

TEST_F(TakeOverTest, IgnoresADirectoryThatIsGone) {
  MakeForeignFile({"py"});
  std::filesystem::remove_all(directory_ / "catalogs");
  auto catalog = Catalog::Open(directory_ / "lake.db");
  ASSERT_THAT(catalog, IsOk());
  EXPECT_EQ((*catalog)->warehouse(), Uri("warehouse"));
}

// A client must not widen its confinement by names that it makes up.
TEST_F(TakeOverTest, IsForTheFirstTimeOnly) {
  {
    auto catalog = Catalog::Open(directory_ / "lake.db");
    ASSERT_THAT(catalog, IsOk());
    ASSERT_THAT((*catalog)->CreateNamespace(Doc(R"({"namespace":["warehouse"]})")), IsOk());
    Json request = TableRequest("t");
    request["location"] = Uri("warehouse/t");
    ASSERT_THAT((*catalog)->CreateTable({"warehouse"}, Doc(request)), IsOk());
  }
  auto catalog = Catalog::Open(directory_ / "lake.db");
  ASSERT_THAT(catalog, IsOk());
  EXPECT_EQ((*catalog)->warehouse(), Uri("warehouse"));
  Json outside = TableRequest("u");
  outside["location"] = Uri("u");
  EXPECT_THAT((*catalog)->CreateTable({"warehouse"}, Doc(outside)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr(Uri("u"))));
}

}  // namespace
}  // namespace berglite::testing
