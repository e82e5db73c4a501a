// Where a catalog file cannot be.
#include "lib/store/file_system.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/store/file_store.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Magic = decltype(std::declval<struct statfs>().f_type);

// A system on which everything is on one file system.
StatFileSystem AllOn(Magic magic) {
  return [magic](const char*, struct statfs* found) {
    found->f_type = magic;
    return 0;
  };
}

TEST(CheckFileSystem, RefusesNetworksAndSaysWhatToDo) {
  const std::vector<std::pair<uint32_t, std::string>> networks = {
      {0x6969, "NFS"},     {0x517B, "SMB"},     {0xFE534D42, "SMB"},  {0xFF534D42, "SMB (CIFS)"},
      {0x5346414F, "AFS"}, {0x6B414653, "AFS"}, {0x00C36400, "Ceph"}, {0x0BD00BD0, "Lustre"},
      {0x73757245, "Coda"}};
  for (const auto& [magic, name] : networks) {
    const Status checked = CheckFileSystem("/mnt/lake.db", AllOn(static_cast<Magic>(magic)));
    EXPECT_THAT(checked, IsError(ErrorKind::kUnavailable,
                                 AllOf(HasSubstr("/mnt/lake.db: it is on " + name),
                                       HasSubstr("local disk"), Not(HasSubstr("\n")))));
    // As where the type has 32 bits and a sign.
    EXPECT_THAT(CheckFileSystem("/lake.db", AllOn(static_cast<int32_t>(magic))),
                IsError(ErrorKind::kUnavailable, HasSubstr(name)));
  }
}

TEST(CheckFileSystem, TakesWhatIsLocalOrMayBe) {
  // ext4, xfs, btrfs, overlayfs, tmpfs, zfs, FUSE, 9p.
  for (const uint32_t magic : {0xEF53U, 0x58465342U, 0x9123683EU, 0x794C7630U, 0x01021994U,
                               0x2FC12FC1U, 0x65735546U, 0x01021997U}) {
    EXPECT_THAT(CheckFileSystem("/lake.db", AllOn(static_cast<Magic>(magic))), IsOk()) << magic;
  }
}

TEST(CheckFileSystem, LooksAtTheFolderOfAFileThatIsNotThereYet) {
  std::vector<std::string> asked;
  const StatFileSystem only_folder = [&](const char* path, struct statfs* found) {
    asked.emplace_back(path);
    found->f_type = 0x6969;
    if (asked.size() > 1) return 0;
    errno = ENOENT;
    return -1;
  };
  EXPECT_THAT(CheckFileSystem("/a/b/lake.db", only_folder),
              IsError(ErrorKind::kUnavailable, HasSubstr("NFS")));
  EXPECT_THAT(asked, ElementsAre("/a/b/lake.db", "/a/b"));
}

TEST(CheckFileSystem, LetsSQLiteTellWhereTheSystemDoesNot) {
  const StatFileSystem fails = [](const char*, struct statfs* found) {
    found->f_type = 0x6969;
    errno = EACCES;
    return -1;
  };
  EXPECT_THAT(CheckFileSystem("/lake.db", fails), IsOk());
}

TEST(Open, LeavesNoFileOnANetwork) {
  const TempDir dir;
  const std::string path = dir / "lake.db";
  EXPECT_THAT(FileStore::Open(path, {}, AllOn(0x6969)),
              IsError(ErrorKind::kUnavailable, HasSubstr("it is on NFS")));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(FileStore::Open(path, {}), IsOk());
  EXPECT_THAT(FileStore::Open(path, {}, AllOn(0x6969)),
              IsError(ErrorKind::kUnavailable, HasSubstr("it is on NFS")));
}

}  // namespace
}  // namespace berglite::store
