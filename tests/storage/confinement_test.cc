#include "lib/storage/confinement.h"

#include <fcntl.h>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::TempDir;

constexpr const char* kNoDescriptorLinks = "/nonexistent";

TEST(RealPathOf, FollowsLinksWithAndWithoutDescriptorLinks) {
  const TempDir directory;
  std::filesystem::create_directory(directory / "real");
  std::filesystem::create_directory_symlink(directory / "real", directory / "link");
  const std::string link = directory / "link";
  const UniqueFd opened = OpenDirectoryAt(AT_FDCWD, link.c_str(), 0);
  ASSERT_TRUE(opened.is_open());
  EXPECT_EQ(RealPathOf(opened, link), directory / "real");
  EXPECT_EQ(RealPathOf(opened, link, kNoDescriptorLinks), directory / "real");
}

// A path that was changed after it was opened must not vouch for the opened directory.
TEST(RealPathOf, IsUnknownWithoutDescriptorLinksWhereThePathHasChanged) {
  const TempDir directory;
  const std::string path = directory / "a";
  std::filesystem::create_directory(path);
  const UniqueFd opened = OpenDirectoryAt(AT_FDCWD, path.c_str(), 0);
  ASSERT_TRUE(opened.is_open());
  std::filesystem::rename(path, directory / "moved");
  std::filesystem::create_directory(path);
  EXPECT_EQ(RealPathOf(opened, path, kNoDescriptorLinks), "");
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(RealPathOf(opened, path), directory / "moved");
}

TEST(Confinement, FindsTheDeepestDirectoryAndWhatIsMissing) {
  const TempDir directory;
  std::filesystem::create_directory(directory / "a");
  auto confinement = Confinement::Make({directory.path()});
  ASSERT_THAT(confinement, IsOk());
  auto place = confinement->Find(directory / "a/b/c", "l");
  ASSERT_THAT(place, IsOk());
  EXPECT_THAT(place->missing, ElementsAre("b", "c"));
  EXPECT_EQ(RealPathOf(place->directory, ""), directory / "a");
  auto existing = confinement->Find(directory / "a", "l");
  ASSERT_THAT(existing, IsOk());
  EXPECT_THAT(existing->missing, IsEmpty());
}

TEST(Confinement, HoldsEverythingUnderTheRootOfTheFileSystem) {
  auto confinement = Confinement::Make({"/"});
  ASSERT_THAT(confinement, IsOk());
  auto place = confinement->Find("/nonexistent-berglite/a", "l");
  ASSERT_THAT(place, IsOk());
  EXPECT_THAT(place->missing, ElementsAre("nonexistent-berglite", "a"));
}

}  // namespace
}  // namespace berglite::storage
