// What a catalog counts of its own work.
#include "berglite/counters.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/warehouses.h"
#include "tests/catalog/fixture.h"

namespace berglite {
namespace {

using ::berglite::testing::Doc;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::SetProperty;
using ::testing::Optional;

using CountersTest = ::berglite::testing::CatalogTest;

TEST_F(CountersTest, StartFromNothing) {
  const Counters counters = catalog_->ReadCounters();
  EXPECT_EQ(counters.commits, 0);
  EXPECT_EQ(counters.write_groups, 0);
  EXPECT_THAT(counters.owed_purges, Optional(0));
}

TEST_F(CountersTest, TellCommitsFromConflictsAndFromWhatChangesNothing) {
  CreateTable("t");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("a", "1"))), IsOk());
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc("{}")), IsOk());
  EXPECT_EQ(catalog_->ReadCounters().commits, 2);
  EXPECT_EQ(catalog_->ReadCounters().commit_conflicts, 0);

  Json stale = SetProperty("a", "2");
  stale["requirements"] = {{{"type", "assert-table-uuid"}, {"uuid", "nobody"}}};
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(stale)),
              IsError(ErrorKind::kCommitFailed, ::testing::_));
  EXPECT_EQ(catalog_->ReadCounters().commits, 2);
  EXPECT_EQ(catalog_->ReadCounters().commit_conflicts, 1);
}

TEST_F(CountersTest, TellMetadataAtHandFromMetadataThatIsRead) {
  CreateTable("t");
  Load("t");
  EXPECT_EQ(catalog_->ReadCounters().metadata_cache_hits, 1);
  EXPECT_EQ(catalog_->ReadCounters().metadata_cache_misses, 0);
  catalog_ = Open();
  Load("t");
  EXPECT_EQ(catalog_->ReadCounters().metadata_cache_hits, 0);
  EXPECT_EQ(catalog_->ReadCounters().metadata_cache_misses, 1);
}

TEST_F(CountersTest, OfSeveralCatalogsAreSummedAndThoseOfTheFileAreNot) {
  auto warehouses = Warehouses::Open(directory_ / "several.db", {.environment = &environment_});
  ASSERT_THAT(warehouses, IsOk());
  ASSERT_THAT((*warehouses)->Add("second", ""), IsOk());
  auto second = (*warehouses)->Find("second");
  ASSERT_THAT(second, IsOk());
  for (Catalog* catalog : {&(*warehouses)->default_catalog(), *second}) {
    ASSERT_THAT(catalog->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
    ASSERT_THAT(catalog->CreateTable({"ns"}, Doc(testing::TableRequest("t"))), IsOk());
  }
  const Counters sum = (*warehouses)->ReadCounters();
  EXPECT_EQ(sum.commits, 2);
  EXPECT_EQ(sum.grouped_writes, (*second)->ReadCounters().grouped_writes);
  EXPECT_EQ(sum.grouped_writes, 5);
}

}  // namespace
}  // namespace berglite
