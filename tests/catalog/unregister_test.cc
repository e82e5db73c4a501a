// unregisterTable and loadCredentials.
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::SizeIs;

using UnregisterTest = CatalogTest;

TEST_F(UnregisterTest, GivesTheLastMetadataAndKeepsTheFiles) {
  CreateTable("t");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  Json loaded = Load("t");
  auto unregistered = catalog_->UnregisterTable({{"ns"}, "t"});
  ASSERT_THAT(unregistered, IsOk());
  EXPECT_THAT(Dom(*unregistered), SizeIs(2));
  EXPECT_EQ(Dom(*unregistered)["metadata-location"], loaded["metadata-location"]);
  EXPECT_EQ(Dom(*unregistered)["metadata"], loaded["metadata"]);
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
  EXPECT_TRUE(std::filesystem::exists(PathOf(loaded["metadata-location"])));
}

TEST_F(UnregisterTest, LetsTheTableBeRegisteredAgain) {
  CreateTable("t");
  auto unregistered = catalog_->UnregisterTable({{"ns"}, "t"});
  ASSERT_THAT(unregistered, IsOk());
  Json request{{"name", "u"}, {"metadata-location", Dom(*unregistered)["metadata-location"]}};
  ASSERT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)), IsOk());
  EXPECT_EQ(Load("u")["metadata"], Dom(*unregistered)["metadata"]);
}

TEST_F(UnregisterTest, LeavesNothingToCommitTo) {
  CreateTable("t");
  ASSERT_THAT(catalog_->UnregisterTable({{"ns"}, "t"}), IsOk());
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
  EXPECT_THAT(catalog_->UnregisterTable({{"ns"}, "t"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
  EXPECT_THAT(catalog_->UnregisterTable({{"none"}, "t"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: none.t"));
}

TEST_F(UnregisterTest, LeavesATableWhoseMetadataIsGone) {
  Json created = CreateTable("t");
  std::string location = created["metadata-location"];
  std::filesystem::remove(PathOf(location));
  EXPECT_THAT(catalog_->UnregisterTable({{"ns"}, "t"}),
              IsError(ErrorKind::kNotFound, "Failed to open input stream for file: " + location));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(true));
}

// Commits go on from another handle, as from another process, until they find no table. What was
// answered must hold every one that succeeded.
TEST_F(UnregisterTest, MissesNoCommitThatSucceeded) {
  CreateTable("t");
  std::unique_ptr<Catalog> other = Open();
  size_t commits = 0;
  Error last;
  std::thread committer([&] {
    for (;;) {
      auto committed =
          other->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("n" + std::to_string(commits), "v")));
      if (!committed) {
        last = committed.error();
        return;
      }
      ++commits;
    }
  });
  Result<Document> unregistered = catalog_->UnregisterTable({{"ns"}, "t"});
  while (!unregistered && unregistered.error().kind == ErrorKind::kUnavailable) {
    unregistered = catalog_->UnregisterTable({{"ns"}, "t"});
  }
  committer.join();
  ASSERT_THAT(unregistered, IsOk());
  EXPECT_EQ(last.kind, ErrorKind::kNoSuchTable) << last.message;
  size_t found = 0;
  for (const auto& [key, value] : Dom(*unregistered)["metadata"]["properties"].items()) {
    if (key.starts_with('n')) ++found;
  }
  EXPECT_EQ(found, commits);
}

TEST_F(UnregisterTest, CredentialsOfATableInLocalFilesAreNone) {
  CreateTable("t");
  auto credentials = catalog_->LoadCredentials({{"ns"}, "t"});
  ASSERT_THAT(credentials, IsOk());
  EXPECT_EQ(Dom(*credentials), Json({{"storage-credentials", Json::array()}}));
  EXPECT_THAT(catalog_->LoadCredentials({{"ns"}, "u"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.u"));
}

}  // namespace
}  // namespace berglite::testing
