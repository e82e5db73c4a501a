// Several catalogs in one file.
#include "berglite/warehouses.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WarehousesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Warehouses> Open(const CatalogOptions& options = {}) {
    auto opened = Warehouses::Open(directory_ / "lake.db", options);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      return nullptr;
    }
    return *std::move(opened);
  }
  std::string Uri(const std::string& path) { return "file://" + (directory_ / path); }
  // The default location of a new table in the catalog.
  static std::string NewTableLocation(Catalog& catalog) {
    (void)catalog.CreateNamespace(Doc(R"({"namespace":["ns"]})")).has_value();
    auto created = catalog.CreateTable({"ns"}, Doc(TableRequest("t")));
    EXPECT_THAT(created, IsOk());
    return created ? Dom(*created)["metadata"]["location"].get<std::string>() : "";
  }

  TempDir directory_;
};

TEST_F(WarehousesTest, OfANewFileAreTheDefaultOne) {
  auto warehouses = Open();
  EXPECT_THAT(warehouses->Names(), IsOkAndHolds(ElementsAre("default")));
  EXPECT_EQ(warehouses->default_catalog().warehouse(), Uri("warehouse"));
  EXPECT_THAT(warehouses->Find("default"), IsOkAndHolds(&warehouses->default_catalog()));
  EXPECT_THAT(warehouses->Find("other"),
              IsError(ErrorKind::kNoSuchWarehouse, "Warehouse does not exist: other"));
}

TEST_F(WarehousesTest, AreAddedEachWithItsDirectory) {
  auto warehouses = Open();
  ASSERT_THAT(warehouses->Add("analytics", ""), IsOk());
  ASSERT_THAT(warehouses->Add("b", directory_ / "elsewhere"), IsOk());
  EXPECT_THAT(warehouses->Names(), IsOkAndHolds(ElementsAre("default", "analytics", "b")));
  auto analytics = warehouses->Find("analytics");
  ASSERT_THAT(analytics, IsOk());
  EXPECT_EQ((*analytics)->name(), "analytics");
  EXPECT_EQ(NewTableLocation(**analytics), Uri("warehouse/analytics/ns/t"));
  auto b = warehouses->Find("b");
  ASSERT_THAT(b, IsOk());
  EXPECT_EQ(NewTableLocation(**b), Uri("elsewhere/ns/t"));
  EXPECT_THAT(warehouses->default_catalog().NamespaceExists({"ns"}), IsOkAndHolds(false));
}

TEST_F(WarehousesTest, StayAsTheyWereWhenTheFileIsOpenedAgain) {
  ASSERT_THAT(Open()->Add("analytics", directory_ / "elsewhere"), IsOk());
  auto warehouses = Open();
  EXPECT_THAT(warehouses->Names(), IsOkAndHolds(ElementsAre("default", "analytics")));
  EXPECT_EQ((*warehouses->Find("analytics"))->warehouse(), Uri("elsewhere"));
  auto chosen = Open({.name = "analytics"});
  EXPECT_THAT(chosen->Names(), IsOkAndHolds(ElementsAre("analytics", "default")));
  EXPECT_EQ(chosen->default_catalog().warehouse(), Uri("elsewhere"));
  auto single = Catalog::Open(directory_ / "lake.db", {.name = "analytics"});
  ASSERT_THAT(single, IsOk());
  EXPECT_EQ((*single)->warehouse(), Uri("elsewhere"));
}

TEST_F(WarehousesTest, ThatAnotherHandleAddsAreSeen) {
  auto warehouses = Open();
  ASSERT_THAT(Open()->Add("late", ""), IsOk());
  EXPECT_THAT(warehouses->Names(), IsOkAndHolds(ElementsAre("default", "late")));
  EXPECT_THAT(warehouses->Find("late"), IsOk());
}

TEST_F(WarehousesTest, OfOtherProgramsAreServedToo) {
  for (const char* name : {"py", "java"}) {
    auto catalog = Catalog::Open(directory_ / "lake.db", {.name = name});
    ASSERT_THAT(catalog, IsOk());
    ASSERT_THAT((*catalog)->CreateNamespace(Doc(R"({"namespace":["of"]})")), IsOk());
  }
  auto warehouses = Open();
  EXPECT_THAT(warehouses->Names(), IsOkAndHolds(ElementsAre("java", "py")));
  auto py = warehouses->Find("py");
  ASSERT_THAT(py, IsOk());
  EXPECT_THAT((*py)->NamespaceExists({"of"}), IsOkAndHolds(true));
  EXPECT_EQ((*py)->warehouse(), Uri("warehouse/py"));
}

TEST_F(WarehousesTest, HaveNamesThatCanStandInAUrl) {
  auto warehouses = Open();
  for (const char* name : {"", "a b", "a/b", ".a", "namespaces", "\xC3\xA4"}) {
    EXPECT_THAT(warehouses->Add(name, ""),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("Invalid warehouse name")));
  }
  ASSERT_THAT(warehouses->Add("a", ""), IsOk());
  for (const char* name : {"a", "default"}) {
    EXPECT_THAT(warehouses->Add(name, ""),
                IsError(ErrorKind::kAlreadyExists, HasSubstr("Warehouse already exists")));
  }
  EXPECT_THAT(warehouses->Add("b", "s3://bucket/b"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("s3")));
}

// All writes of the file go through one queue, so none waits for another's lock in vain.
TEST_F(WarehousesTest, CommitAtTheSameTime) {
  auto warehouses = Open({.busy_timeout_ms = 0});
  std::vector<Catalog*> catalogs{&warehouses->default_catalog()};
  for (const char* name : {"a", "b"}) {
    ASSERT_THAT(warehouses->Add(name, ""), IsOk());
    catalogs.push_back(*warehouses->Find(name));
  }
  constexpr int kCommits = 10;
  for (Catalog* catalog : catalogs) NewTableLocation(*catalog);
  std::vector<std::thread> threads;
  for (Catalog* catalog : catalogs) {
    threads.emplace_back([catalog] {
      for (int i = 0; i < kCommits; ++i) {
        EXPECT_THAT(catalog->UpdateTable({{"ns"}, "t"}, Doc(SetProperty(std::to_string(i), "v"))),
                    IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace berglite::testing
