#include "shim/cli/ephemeral.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::cli {
namespace {

namespace fs = std::filesystem;
using ::berglite::testing::IsOk;

TEST(TemporaryDirectory, IsGoneWithItsOwnerAndAllThatIsInIt) {
  auto made = TemporaryDirectory::Make();
  ASSERT_THAT(made, IsOk());
  const fs::path path = (*made)->path();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  fs::create_directories(path / "a/b");
  std::ofstream(path / "a/b/file") << "x";
  made->reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryDirectory, LeavesWhatALinkInItLeadsTo) {
  auto outside = TemporaryDirectory::Make();
  auto made = TemporaryDirectory::Make();
  ASSERT_THAT(outside, IsOk());
  ASSERT_THAT(made, IsOk());
  std::ofstream((*outside)->path() / "file") << "x";
  fs::create_directory_symlink((*outside)->path(), (*made)->path() / "link");
  made->reset();
  EXPECT_TRUE(fs::exists((*outside)->path() / "file"));
}

TEST(PrepareEphemeral, ReplacesFileAndWarehouse) {
  ServeOptions options;
  options.file = "keep.db";
  options.warehouse = "keep";
  auto nothing = PrepareEphemeral(options);
  ASSERT_THAT(nothing, IsOk());
  EXPECT_EQ(*nothing, nullptr);
  EXPECT_EQ(options.file, "keep.db");
  options.ephemeral = true;
  auto directory = PrepareEphemeral(options);
  ASSERT_THAT(directory, IsOk());
  EXPECT_EQ(options.file, ":memory:");
  EXPECT_EQ(options.warehouse, (*directory)->path() / "warehouse");
}

}  // namespace
}  // namespace berglite::cli
