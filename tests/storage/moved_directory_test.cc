#include "lib/storage/moved_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::storage {
namespace {

using ::berglite::testing::IsError;
using ::testing::HasSubstr;

std::string Map(const std::string& location, const std::string& from = "/old/lake",
                const std::string& to = "/new") {
  Result<MovedDirectory> moved = MovedDirectory::Make(from, to);
  return moved ? moved->Map(location) : moved.error().message;
}

TEST(MovedDirectory, KeepsTheFormOfALocation) {
  EXPECT_EQ(Map("/old/lake/t"), "/new/t");
  EXPECT_EQ(Map("file:/old/lake/t"), "file:/new/t");
  EXPECT_EQ(Map("file:///old/lake/t"), "file:///new/t");
  EXPECT_EQ(Map("file://localhost/old/lake/t"), "file://localhost/new/t");
  EXPECT_EQ(Map("file:///old/lake/t/"), "file:///new/t/");
  EXPECT_EQ(Map("file:///old/lake/a%20b c"), "file:///new/a%20b c");
  EXPECT_EQ(Map("/old//lake/./t"), "/new/t");
  EXPECT_EQ(Map("/old/lake"), "/new");
  EXPECT_EQ(Map("/old/lake/"), "/new/");
}

TEST(MovedDirectory, LeavesWhatIsNotInIt) {
  for (const char* location :
       {"/old/lake2/t", "/old", "/new/old/lake", "s3://old/lake/t", "old/lake/t", "true", "",
        "/old/lake/../t", "file://host/old/lake/t", "file:/old/lakes"}) {
    EXPECT_EQ(Map(location), location);
  }
}

TEST(MovedDirectory, MayBeAboveOrBelowItself) {
  EXPECT_EQ(Map("/lake/t", "/lake", "/lake/sub"), "/lake/sub/t");
  EXPECT_EQ(Map("/lake/sub/t", "/lake/sub", "/lake"), "/lake/t");
  EXPECT_EQ(Map("file:///lake/t", "/lake", "/"), "file:///t");
  EXPECT_EQ(Map("/lake", "/lake", "/"), "/");
  EXPECT_EQ(Map("file:///t", "/", "/mnt"), "file:///mnt/t");
  EXPECT_EQ(Map("/", "/", "/mnt"), "/mnt/");
}

// So that what was relocated once is not again.
TEST(MovedDirectory, LeavesWhatIsInAPlaceBelowItself) {
  EXPECT_EQ(Map("/lake/sub/t", "/lake", "/lake/sub"), "/lake/sub/t");
  EXPECT_EQ(Map("file:///lake/sub", "/lake", "/lake/sub"), "file:///lake/sub");
  EXPECT_EQ(Map("/lake/sub2/t", "/lake", "/lake/sub"), "/lake/sub/sub2/t");
  EXPECT_EQ(Map("/mnt/t", "/", "/mnt"), "/mnt/t");
}

TEST(MovedDirectory, IsOfTwoPlaces) {
  EXPECT_THAT(MovedDirectory::Make("/a", "file:///a/"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/a twice")));
  EXPECT_THAT(MovedDirectory::Make("/a", "s3://b"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("s3")));
}

}  // namespace
}  // namespace berglite::storage
