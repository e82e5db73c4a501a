// The forms in which an operator and a client may write the same place.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class LocationTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Catalog>> OpenWith(const std::string& warehouse) {
    return Catalog::Open(directory_ / "lake.db", {.warehouse = warehouse});
  }
  TempDir directory_;
};

TEST_F(LocationTest, OfTheWarehouseHasOneFormWhateverItsSpelling) {
  std::string path = directory_ / "w x";
  for (const std::string& spelling :
       {path, "file:" + path, "file://" + path, "file://localhost" + path, path + "/",
        "file://" + path + "//"}) {
    auto catalog = OpenWith(spelling);
    ASSERT_THAT(catalog, IsOk()) << spelling;
    EXPECT_EQ((*catalog)->warehouse(), "file://" + path) << spelling;
  }
}

TEST_F(LocationTest, OfTheWarehouseWithAHostOrAnotherSchemeIsRefused) {
  EXPECT_THAT(OpenWith("file://w/x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("file://w/x")));
  EXPECT_THAT(OpenWith("s3://bucket/x"), IsError(ErrorKind::kInvalidArgument, HasSubstr("s3")));
}

TEST_F(LocationTest, OfTheWarehouseIsTakenFromTheCurrentDirectoryWhereItIsRelative) {
  auto catalog = Catalog::Open(":memory:", {.warehouse = directory_.path().string()});
  ASSERT_THAT(catalog, IsOk());
  std::string current = std::filesystem::current_path();
  auto relative = Catalog::Open(
      ":memory:", {.warehouse = std::filesystem::relative(directory_ / "rel", current).string()});
  // `..` segments that lead from here to there are the operator's own and resolved once.
  ASSERT_THAT(relative, IsOk());
  EXPECT_EQ((*relative)->warehouse(), "file://" + (directory_ / "rel"));
}

TEST_F(LocationTest, DefaultsToAWarehouseBesideTheFile) {
  auto catalog = Catalog::Open(directory_ / "lake.db");
  ASSERT_THAT(catalog, IsOk());
  EXPECT_EQ((*catalog)->warehouse(), "file://" + (directory_ / "warehouse"));
}

TEST_F(LocationTest, ThatTheOperatorAllowsMayBeUsed) {
  std::string outside = directory_ / "outside";
  auto catalog = Catalog::Open(directory_ / "lake.db", {.allowed_locations = {outside}});
  ASSERT_THAT(catalog, IsOk());
  ASSERT_THAT((*catalog)->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
  Json request = TableRequest("t");
  request["location"] = outside + "/t";
  auto created = (*catalog)->CreateTable({"ns"}, Doc(request));
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ(Dom(*created)["metadata"]["location"], outside + "/t");
}

TEST_F(LocationTest, BehindALinkThatLeadsOutIsRefused) {
  std::filesystem::create_directories(directory_ / "warehouse");
  std::filesystem::create_directories(directory_ / "secret");
  std::filesystem::create_directory_symlink(directory_ / "secret", directory_ / "warehouse/link");
  auto catalog = Catalog::Open(directory_ / "lake.db");
  ASSERT_THAT(catalog, IsOk());
  ASSERT_THAT((*catalog)->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
  Json request = TableRequest("t");
  request["location"] = (*catalog)->warehouse() + "/link/t";
  EXPECT_THAT((*catalog)->CreateTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/link/t")));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ / "secret"));
}

}  // namespace
}  // namespace berglite::testing
