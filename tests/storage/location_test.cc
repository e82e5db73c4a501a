#include "lib/storage/location.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOkAndHolds;

// Moves the process into a directory for the length of a test.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& path)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  std::filesystem::path before_;
};

TEST(LocalPathOf, TakesEveryFormOfALocalPath) {
  for (const char* location : {"/w/x", "file:/w/x", "file:///w/x", "file://localhost/w/x", "/w/x/",
                               "file:///w/x/", "//w///x", "/./w/./x/.", "file:////w/x"}) {
    EXPECT_THAT(LocalPathOf(location), IsOkAndHolds("/w/x")) << location;
  }
  EXPECT_THAT(LocalPathOf("/"), IsOkAndHolds("/"));
  EXPECT_THAT(LocalPathOf("file:///"), IsOkAndHolds("/"));
}

TEST(LocalPathOf, KeepsEveryCharacterOfAName) {
  const std::string name = "a b%20c%2F+#?*\\:\xE6\x95\xB0\xF0\x9F\xA7\x8A..b";
  EXPECT_THAT(LocalPathOf("file:///w/" + name), IsOkAndHolds("/w/" + name));
}

TEST(LocalPathOf, RefusesAHostAndSaysWhatToWrite) {
  EXPECT_THAT(LocalPathOf("file://w/x"),
              IsError(ErrorKind::kInvalidArgument,
                      "Invalid location file://w/x: `w` stands where a host name does; for a local "
                      "path write file:/// with three slashes"));
  EXPECT_THAT(LocalPathOf("file://localhost.example/x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("`localhost.example`")));
}

TEST(LocalPathOf, RefusesOtherSchemesByName) {
  EXPECT_THAT(LocalPathOf("s3://bucket/x"),
              IsError(ErrorKind::kInvalidArgument,
                      "Invalid location s3://bucket/x: the scheme `s3` is not served; expected "
                      "`file` or an absolute path"));
  for (const char* location : {"memory:x", "abfss://a@b/c", "x-y.z+1:/a", "files:///a"}) {
    EXPECT_THAT(LocalPathOf(location),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("is not served")))
        << location;
  }
}

TEST(LocalPathOf, RefusesARelativePath) {
  for (const char* location : {"", "w/x", "./x", "file:", "file:w/x", "file://", "file://localhost",
                               "1:/x", "w/x:y", ":/x"}) {
    EXPECT_THAT(LocalPathOf(location),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("expected an absolute path")))
        << location;
  }
}

TEST(LocalPathOf, RefusesParentSegments) {
  for (const char* location : {"/..", "/w/../x", "/w/x/..", "file:///w/../../etc"}) {
    EXPECT_THAT(LocalPathOf(location),
                IsError(ErrorKind::kInvalidArgument,
                        AllOf(HasSubstr(location), HasSubstr("`..` segments are not allowed"))))
        << location;
  }
  EXPECT_THAT(LocalPathOf("/w/...x/..y/z.."), IsOkAndHolds("/w/...x/..y/z.."));
}

TEST(LocalPathOf, RefusesANul) {
  EXPECT_THAT(LocalPathOf(std::string("/w/x\0y", 6)),
              IsError(ErrorKind::kInvalidArgument, "Invalid location /w/x: a NUL follows"));
}

TEST(UriOf, IsUndoneByLocalPathOf) {
  EXPECT_EQ(UriOf("/w/x"), "file:///w/x");
  EXPECT_THAT(LocalPathOf(UriOf("/w/x y")), IsOkAndHolds("/w/x y"));
}

TEST(ResolveConfiguredPath, TakesARelativePathFromTheCurrentDirectory) {
  const testing::TempDir directory;
  const WorkingDirectory there(directory.path());
  EXPECT_THAT(ResolveConfiguredPath("lake/x/"), IsOkAndHolds(directory / "lake/x"));
  EXPECT_THAT(ResolveConfiguredPath("./lake"), IsOkAndHolds(directory / "lake"));
  EXPECT_THAT(ResolveConfiguredPath("."), IsOkAndHolds(directory.path().string()));
  EXPECT_THAT(ResolveConfiguredPath("/w//x"), IsOkAndHolds("/w/x"));
  EXPECT_THAT(ResolveConfiguredPath("file:///w/x"), IsOkAndHolds("/w/x"));
}

TEST(ResolveConfiguredPath, TakesParentSegmentsAsTheShellDoes) {
  const testing::TempDir directory;
  std::filesystem::create_directories(directory / "a/b");
  std::filesystem::create_directory_symlink(directory / "a/b", directory / "link");
  const WorkingDirectory there(directory / "a");
  EXPECT_THAT(ResolveConfiguredPath("../lake"), IsOkAndHolds(directory / "lake"));
  EXPECT_THAT(ResolveConfiguredPath("../link/../lake"), IsOkAndHolds(directory / "a/lake"));
}

TEST(ResolveConfiguredPath, RefusesWhatIsNoLocalPath) {
  EXPECT_THAT(ResolveConfiguredPath(""), IsError(ErrorKind::kInvalidArgument, HasSubstr("empty")));
  EXPECT_THAT(ResolveConfiguredPath("s3://b/x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("`s3` is not served")));
  EXPECT_THAT(ResolveConfiguredPath("file:x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("expected an absolute path")));
  EXPECT_THAT(ResolveConfiguredPath(std::string("x\0y", 3)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("a NUL follows")));
}

TEST(RealPathOfLocation, IsOneForAllWaysToAFile) {
  testing::TempDir directory;
  namespace fs = std::filesystem;
  const std::string root = directory.path().string();
  fs::create_directories(root + "/a/b");
  fs::create_directory_symlink(root + "/a", root + "/link");
  fs::create_symlink(root + "/a/none", root + "/dangling");
  const std::string file = root + "/a/b/f";
  // Whether it is there or not.
  for (int i = 0; i < 2; ++i) {
    for (const char* way : {"/a/b/f", "//a/./b/f", "/a/b/../b/f", "/link/b/f"}) {
      for (const char* scheme : {"", "file:", "file://", "file://localhost", "FILE://host"}) {
        EXPECT_EQ(RealPathOfLocation(scheme + root + way), file) << scheme << way;
      }
    }
    std::ofstream(file) << "x";
  }
  fs::create_symlink(file, root + "/f");
  EXPECT_EQ(RealPathOfLocation(root + "/f"), file);
  EXPECT_EQ(RealPathOfLocation(root + "/a/"), root + "/a");
  EXPECT_EQ(RealPathOfLocation(root + "/dangling"), root + "/dangling");
  EXPECT_EQ(RealPathOfLocation(root + "/no/b%20c?d/f"), root + "/no/b%20c?d/f");
  EXPECT_EQ(RealPathOfLocation("/"), "/");
  EXPECT_EQ(RealPathOfLocation("//"), "/");
  EXPECT_EQ(RealPathOfLocation("/no-such-directory/f"), "/no-such-directory/f");
  EXPECT_EQ(RealPathOfLocation("s3://bucket/f"), "s3://bucket/f");
  EXPECT_EQ(RealPathOfLocation("no-such-file"), "no-such-file");
  const std::string too_long = "/" + std::string(5000, 'x');
  EXPECT_EQ(RealPathOfLocation(too_long), too_long);
}

}  // namespace
}  // namespace berglite::storage
