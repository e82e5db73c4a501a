#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using testing::IsOkAndHolds;
using testing::TempDir;
using ::testing::UnorderedElementsAre;

constexpr size_t kSizeMax = 1 << 20;

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Spill(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// A FileIO whose only root is `warehouse` in a fresh directory; beside it is `outside`.
class LocalFileIO : public ::testing::Test {
 protected:
  LocalFileIO() {
    fs::create_directory(directory_ / "warehouse");
    fs::create_directory(directory_ / "outside");
    io_ = *MakeLocalFileIO({Path("")});
  }

  // The path of `name` in the warehouse.
  std::string Path(const std::string& name) const { return directory_ / ("warehouse/" + name); }
  std::string Outside(const std::string& name) const { return directory_ / ("outside/" + name); }

  TempDir directory_;
  std::shared_ptr<FileIO> io_;
};

TEST_F(LocalFileIO, ReadsWhatItWrote) {
  const std::string content("a\0b\n\xFF", 5);
  ASSERT_THAT(io_->WriteNew(Path("f"), content), IsOk());
  EXPECT_THAT(io_->Read(Path("f"), kSizeMax), IsOkAndHolds(content));
  for (const char* prefix : {"file:", "file://", "file://localhost"}) {
    EXPECT_THAT(io_->Read(prefix + Path("f"), kSizeMax), IsOkAndHolds(content)) << prefix;
  }
}

TEST_F(LocalFileIO, WritesAnEmptyAndALargeFile) {
  ASSERT_THAT(io_->WriteNew(Path("empty"), ""), IsOk());
  EXPECT_THAT(io_->Read(Path("empty"), 0), IsOkAndHolds(""));
  const std::string large(3'000'001, 'x');
  ASSERT_THAT(io_->WriteNew(Path("large"), large), IsOk());
  EXPECT_THAT(io_->Read(Path("large"), large.size()), IsOkAndHolds(large));
}

TEST_F(LocalFileIO, ListsADirectory) {
  ASSERT_THAT(io_->WriteNew(Path("d/f"), "x"), IsOk());
  ASSERT_THAT(io_->WriteNew(Path("d/sub/g"), "x"), IsOk());
  fs::create_symlink("f", Path("d/link"));
  fs::last_write_time(Path("d/f"), fs::file_time_type::clock::now() - std::chrono::hours(48));
  const auto entries = io_->List("file://" + Path("d"));
  ASSERT_THAT(entries, IsOk());
  std::map<std::string, DirectoryEntry> by_name;
  for (const DirectoryEntry& entry : *entries) by_name[entry.name] = entry;
  ASSERT_EQ(by_name.size(), 3U);
  EXPECT_EQ(by_name["f"].type, DirectoryEntry::Type::kFile);
  EXPECT_EQ(by_name["f"].bytes, 1);
  EXPECT_EQ(by_name["sub"].type, DirectoryEntry::Type::kDirectory);
  EXPECT_EQ(by_name["link"].type, DirectoryEntry::Type::kOther);
  const int64_t days_ms = by_name["sub"].modified_ms - by_name["f"].modified_ms;
  EXPECT_NEAR(static_cast<double>(days_ms), 48.0 * 3'600'000, 600'000);
  EXPECT_THAT(io_->List(Path("none")), IsError(ErrorKind::kNotFound, HasSubstr("none")));
  EXPECT_THAT(io_->List(Path("d/f")), IsError(ErrorKind::kNotFound, HasSubstr("d/f")));
  EXPECT_THAT(io_->List("s3://b"), IsError(ErrorKind::kInvalidArgument, HasSubstr("s3://b")));
}

TEST_F(LocalFileIO, MakesMissingDirectories) {
  ASSERT_THAT(io_->WriteNew("file://" + Path("a/b/c/f"), "x"), IsOk());
  EXPECT_EQ(Slurp(Path("a/b/c/f")), "x");
  ASSERT_THAT(io_->WriteNew(Path("a/b/d/f"), "y"), IsOk());
  EXPECT_EQ(Slurp(Path("a/b/d/f")), "y");
}

TEST_F(LocalFileIO, LeavesModesToTheUmask) {
  const mode_t before = umask(027);
  const Status written = io_->WriteNew(Path("a/f"), "x");
  umask(before);
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(fs::status(Path("a")).permissions(), static_cast<fs::perms>(0750));
  EXPECT_EQ(fs::status(Path("a/f")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(LocalFileIO, NeverWritesOverWhatExists) {
  ASSERT_THAT(io_->WriteNew(Path("f"), "first"), IsOk());
  EXPECT_THAT(io_->WriteNew(Path("f"), "second"),
              IsError(ErrorKind::kAlreadyExists, "File already exists: " + Path("f")));
  EXPECT_EQ(Slurp(Path("f")), "first");
  fs::create_directory(Path("d"));
  EXPECT_THAT(io_->WriteNew(Path("d"), "x"),
              IsError(ErrorKind::kAlreadyExists, HasSubstr(Path("d"))));
}

TEST_F(LocalFileIO, NeverWritesThroughALinkUnderTheNameOfTheFile) {
  Spill(Outside("victim"), "precious");
  fs::create_symlink(Outside("victim"), Path("to-file"));
  fs::create_symlink(Outside("new"), Path("to-nothing"));
  for (const char* name : {"to-file", "to-nothing"}) {
    EXPECT_THAT(io_->WriteNew(Path(name), "x"),
                IsError(ErrorKind::kAlreadyExists, HasSubstr(name)));
  }
  EXPECT_EQ(Slurp(Outside("victim")), "precious");
  EXPECT_FALSE(fs::exists(Outside("new")));
}

TEST_F(LocalFileIO, RefusesToWriteOutsideOfItsRoots) {
  const auto refused =
      IsError(ErrorKind::kInvalidArgument, HasSubstr("is outside of the allowed locations"));
  // Beside the root, above it, a sibling whose name begins as the root's does, and elsewhere.
  for (const std::string& path :
       {Outside("f"), directory_ / "f", directory_ / "warehouse2/f", std::string("/f"),
        std::string("/nonexistent/f"), std::string("/etc/passwd/f"), directory_ / "warehouse"}) {
    EXPECT_THAT(io_->WriteNew(path, "x"), refused) << path;
    EXPECT_THAT(io_->Delete(path), refused) << path;
  }
  EXPECT_THAT(io_->CreateDirectory(Outside("d")),
              IsError(ErrorKind::kInvalidArgument,
                      "Location " + Outside("d") + " is outside of the allowed locations: file://" +
                          directory_.path().string() + "/warehouse"));
  EXPECT_THAT(io_->CheckWritable(Outside("d")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("is outside of the allowed")));
  EXPECT_TRUE(fs::is_empty(directory_ / "outside"));
}

TEST_F(LocalFileIO, RefusesALinkThatLeadsOut) {
  fs::create_directory_symlink(directory_ / "outside", Path("link"));
  Spill(Outside("victim"), "precious");
  fs::create_directory(Outside("d"));
  const auto refused = [](const std::string& path) {
    return IsError(ErrorKind::kInvalidArgument,
                   HasSubstr("Location " + path + " is outside of the allowed locations"));
  };
  for (const char* name : {"link/f", "link/d/f", "link/missing/f", "link/victim"}) {
    EXPECT_THAT(io_->WriteNew(Path(name), "x"), refused(Path(name)));
    EXPECT_THAT(io_->Delete(Path(name)), refused(Path(name)));
  }
  EXPECT_THAT(io_->CreateDirectory(Path("link/new")), refused(Path("link/new")));
  EXPECT_THAT(io_->CheckWritable(Path("link")), refused(Path("link")));
  EXPECT_THAT(io_->CheckWritable(Path("link/missing")), refused(Path("link/missing")));
  EXPECT_EQ(Slurp(Outside("victim")), "precious");
  EXPECT_FALSE(fs::exists(Outside("new")));
}

TEST_F(LocalFileIO, FollowsALinkThatStaysInside) {
  fs::create_directory(Path("real"));
  fs::create_directory_symlink(Path("real"), Path("link"));
  ASSERT_THAT(io_->WriteNew(Path("link/a/f"), "x"), IsOk());
  EXPECT_EQ(Slurp(Path("real/a/f")), "x");
  EXPECT_THAT(io_->CheckWritable(Path("link")), IsOk());
}

TEST_F(LocalFileIO, RefusesALinkThatLeadsNowhere) {
  fs::create_directory_symlink(Outside("missing"), Path("link"));
  const auto refused = IsError(ErrorKind::kInvalidArgument,
                               EndsWith(" passes through a link that leads nowhere: link"));
  EXPECT_THAT(io_->WriteNew(Path("link/f"), "x"), refused);
  EXPECT_THAT(io_->CreateDirectory(Path("link")), refused);
  EXPECT_THAT(io_->CheckWritable(Path("link/t")), refused);
  EXPECT_FALSE(fs::exists(Outside("missing")));
}

TEST_F(LocalFileIO, RefusesParentSegmentsSchemesAndHosts) {
  for (const std::string& location :
       {Path("../warehouse/f"), "s3:/" + Path("f"), "file://host" + Path("f"), std::string("f"),
        Path("f") + std::string(1, '\0')}) {
    const auto invalid = IsError(ErrorKind::kInvalidArgument, HasSubstr("Invalid location"));
    EXPECT_THAT(io_->WriteNew(location, "x"), invalid);
    EXPECT_THAT(io_->Delete(location), invalid);
    EXPECT_THAT(io_->CreateDirectory(location), invalid);
    EXPECT_THAT(io_->CheckWritable(location), invalid);
    EXPECT_THAT(io_->Read(location, kSizeMax), invalid);
    EXPECT_THAT(io_->Exists(location), invalid);
  }
  EXPECT_TRUE(fs::is_empty(Path("")));
}

TEST_F(LocalFileIO, RefusesANameThatIsTooLongAndLeavesNothing) {
  const std::string name(300, 'n');
  const auto too_long = IsError(ErrorKind::kInvalidArgument, EndsWith("File name too long"));
  EXPECT_THAT(io_->WriteNew(Path(name), "x"), too_long);
  EXPECT_THAT(io_->WriteNew(Path("a/b/" + name), "x"), too_long);
  EXPECT_THAT(io_->WriteNew(Path("a/" + name + "/f"), "x"), too_long);
  EXPECT_THAT(io_->CreateDirectory(Path("a/" + name)), too_long);
  EXPECT_THAT(io_->CheckWritable(Path(name)), too_long);
  EXPECT_THAT(io_->Delete(Path(name)), too_long);
  EXPECT_THAT(io_->Read(Path(name), kSizeMax), too_long);
  EXPECT_THAT(io_->Exists(Path(name)), too_long);
  EXPECT_TRUE(fs::is_empty(Path("")));
}

TEST_F(LocalFileIO, RefusesAFileInPlaceOfADirectory) {
  Spill(Path("f"), "x");
  const auto refused = IsError(ErrorKind::kInvalidArgument, EndsWith("Not a directory"));
  EXPECT_THAT(io_->WriteNew(Path("f/g"), "x"), refused);
  EXPECT_THAT(io_->WriteNew(Path("f/a/g"), "x"), refused);
  EXPECT_THAT(io_->CreateDirectory(Path("f")), refused);
  EXPECT_THAT(io_->CheckWritable(Path("f")), refused);
  EXPECT_EQ(Slurp(Path("f")), "x");
}

// Runs `body` in a child that may write no file longer than `bytes`, as on a full disk: writes go
// in up to there and fail after. Returns whether the body held.
bool HoldsWithFileSizeLimit(rlim_t bytes, const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, bytes};
    const bool held = setrlimit(RLIMIT_FSIZE, &limit) == 0 && body();
    _exit(held ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(LocalFileIO, LeavesNothingOfAFileThatDoesNotFit) {
  const std::string content(100'000, 'x');
  EXPECT_TRUE(HoldsWithFileSizeLimit(50'000, [&] {
    const Status failed = io_->WriteNew(Path("a/b/f"), content);
    return !failed && failed.error().kind == ErrorKind::kUnavailable &&
           failed.error().message == "Cannot write " + Path("a/b/f") + ": File too large";
  }));
  EXPECT_TRUE(fs::is_empty(Path("")));
  EXPECT_TRUE(HoldsWithFileSizeLimit(
      100'000, [&] { return io_->WriteNew(Path("a/b/f"), content).has_value(); }));
  EXPECT_EQ(Slurp(Path("a/b/f")), content);
}

TEST_F(LocalFileIO, IsUnavailableWhereTheMachineRefuses) {
  auto io = *MakeLocalFileIO({"/proc"});
  EXPECT_THAT(io->WriteNew("/proc/berglite", "x"),
              IsError(ErrorKind::kUnavailable, HasSubstr("Cannot write /proc/berglite: ")));
  EXPECT_THAT(io->CreateDirectory("/proc/berglite"),
              IsError(ErrorKind::kUnavailable, HasSubstr("Cannot create directory ")));
}

TEST_F(LocalFileIO, MakesOneOfManyWritersOfANameWin) {
  constexpr int kWriters = 8;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  std::atomic<int> written = 0;
  std::atomic<int> refused = 0;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      const Status status = io_->WriteNew(Path("a/b/c/f"), "x");
      if (status) ++written;
      if (!status && status.error().kind == ErrorKind::kAlreadyExists) ++refused;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(written, 1);
  EXPECT_EQ(refused, kWriters - 1);
}

TEST_F(LocalFileIO, MissesAFileInTheWordsOfIceberg) {
  for (const std::string& location : {"file://" + Path("f"), Path("missing/f")}) {
    EXPECT_THAT(io_->Read(location, kSizeMax),
                IsError(ErrorKind::kNotFound, "Failed to open input stream for file: " + location));
  }
  Spill(Path("f"), "x");
  EXPECT_THAT(io_->Read(Path("f/g"), kSizeMax),
              IsError(ErrorKind::kNotFound, HasSubstr(Path("f/g"))));
}

TEST_F(LocalFileIO, ReadsOutsideOfItsRoots) {
  Spill(Outside("f"), "x");
  EXPECT_THAT(io_->Read(Outside("f"), kSizeMax), IsOkAndHolds("x"));
  EXPECT_THAT(io_->Exists(Outside("f")), IsOkAndHolds(true));
}

TEST_F(LocalFileIO, ReadsNothingLongerThanAllowed) {
  Spill(Path("f"), "12345");
  EXPECT_THAT(io_->Read(Path("f"), 5), IsOkAndHolds("12345"));
  EXPECT_THAT(io_->Read(Path("f"), 4),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot read " + Path("f") + ": expected at most 4 bytes, found 5"));
}

TEST_F(LocalFileIO, ReadsOnlyRegularFiles) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(io_->Read(Path("pipe"), kSizeMax),
              IsError(ErrorKind::kInvalidArgument,
                      EndsWith("expected a regular file, found a special file")));
  EXPECT_THAT(
      io_->Read(Path(""), kSizeMax),
      IsError(ErrorKind::kInvalidArgument, EndsWith("expected a regular file, found a directory")));
  fs::create_symlink(Path("loop"), Path("loop"));
  EXPECT_THAT(io_->Read(Path("loop"), kSizeMax),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("Cannot read " + Path("loop"))));
}

TEST_F(LocalFileIO, KnowsWhatExists) {
  Spill(Path("f"), "x");
  EXPECT_THAT(io_->Exists(Path("f")), IsOkAndHolds(true));
  EXPECT_THAT(io_->Exists(Path("g")), IsOkAndHolds(false));
  EXPECT_THAT(io_->Exists(Path("missing/g")), IsOkAndHolds(false));
  EXPECT_THAT(io_->Exists(Path("f/g")), IsOkAndHolds(false));
  EXPECT_THAT(io_->Exists(Path("")), IsOkAndHolds(true));
}

TEST_F(LocalFileIO, DeletesAFileOnce) {
  Spill(Path("f"), "x");
  EXPECT_THAT(io_->Delete("file://" + Path("f")), IsOk());
  EXPECT_FALSE(fs::exists(Path("f")));
  EXPECT_THAT(io_->Delete(Path("f")), IsOk());
  EXPECT_THAT(io_->Delete(Path("missing/f")), IsOk());
}

TEST_F(LocalFileIO, DeletesALinkAndNotWhatItLeadsTo) {
  Spill(Outside("victim"), "precious");
  fs::create_symlink(Outside("victim"), Path("link"));
  EXPECT_THAT(io_->Delete(Path("link")), IsOk());
  EXPECT_FALSE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Slurp(Outside("victim")), "precious");
}

TEST_F(LocalFileIO, DeletesNoDirectory) {
  fs::create_directory(Path("d"));
  EXPECT_THAT(io_->Delete(Path("d")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("Cannot delete " + Path("d"))));
  EXPECT_THAT(io_->Delete("/"), IsError(ErrorKind::kInvalidArgument, "Location / names no file"));
  EXPECT_TRUE(fs::exists(Path("d")));
}

TEST_F(LocalFileIO, ReadsParts) {
  Spill(Path("f"), "0123456789");
  EXPECT_THAT(io_->ReadPart(Path("f"), 0, 4), IsOkAndHolds("0123"));
  EXPECT_THAT(io_->ReadPart(Path("f"), 8, 4), IsOkAndHolds("89"));
  EXPECT_THAT(io_->ReadPart(Path("f"), 10, 4), IsOkAndHolds(""));
  EXPECT_THAT(io_->ReadPart(Path("f"), uint64_t{1} << 62, size_t{1} << 62), IsOkAndHolds(""));
  EXPECT_THAT(io_->ReadPart(Path("f"), 2, size_t{1} << 62), IsOkAndHolds("23456789"));
  EXPECT_THAT(io_->ReadPart(Path("none"), 0, 1),
              IsError(ErrorKind::kNotFound, HasSubstr("Failed to open input stream")));
  EXPECT_THAT(io_->ReadPart(Path(""), 0, 1),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("found a directory")));
}

TEST_F(LocalFileIO, RemovesADirectoryOnceItIsEmpty) {
  fs::create_directories(Path("t/data"));
  Spill(Path("t/data/f"), "x");
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("t/data")), IsOkAndHolds(false));
  fs::remove(Path("t/data/f"));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("t/data/")), IsOkAndHolds(true));
  EXPECT_FALSE(fs::exists(Path("t/data")));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("t/data")), IsOkAndHolds(true));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("none/data")), IsOkAndHolds(true));
  Spill(Path("t/file"), "x");
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("t/file")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("Not a directory")));
}

TEST_F(LocalFileIO, RemovesNoRootAndNothingOutside) {
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Outside("")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
  fs::create_directory(Outside("empty"));
  fs::create_directory_symlink(Outside(""), Path("link"));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("link/empty")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
  EXPECT_THAT(io_->RemoveEmptyDirectory(Path("link")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("Not a directory")));
  EXPECT_THAT(io_->RemoveEmptyDirectory("/"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("names no file")));
  fs::create_directory(Path("inner"));
  std::shared_ptr<FileIO> nested = *MakeLocalFileIO({Path(""), Path("inner")});
  EXPECT_THAT(nested->RemoveEmptyDirectory(Path("inner")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("one of the allowed locations")));
  EXPECT_TRUE(fs::exists(Outside("empty")));
  EXPECT_TRUE(fs::exists(Path("inner")));
}

TEST_F(LocalFileIO, SyncsDirectoriesWhereItMayChangeThem) {
  fs::create_directory(Path("t"));
  Spill(Path("t/file"), "x");
  EXPECT_THAT(io_->SyncDirectory(Path("t")), IsOk());
  EXPECT_THAT(io_->SyncDirectory("file://" + Path("t/")), IsOk());
  EXPECT_THAT(io_->SyncDirectory(Path("none/data")), IsOk());
  EXPECT_FALSE(fs::exists(Path("none")));
  EXPECT_THAT(io_->SyncDirectory(Path("t/file")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("Not a directory")));
  EXPECT_THAT(io_->SyncDirectory(Outside("")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
}

TEST_F(LocalFileIO, CreatesDirectories) {
  EXPECT_THAT(io_->CreateDirectory("file://" + Path("a/b")), IsOk());
  EXPECT_TRUE(fs::is_directory(Path("a/b")));
  EXPECT_THAT(io_->CreateDirectory(Path("a/b")), IsOk());
  EXPECT_THAT(io_->CreateDirectory(Path("")), IsOk());
}

TEST_F(LocalFileIO, ChecksALocationWithoutTouchingIt) {
  EXPECT_THAT(io_->CheckWritable(Path("")), IsOk());
  EXPECT_THAT(io_->CheckWritable("file://" + Path("a/b")), IsOk());
  EXPECT_TRUE(fs::is_empty(Path("")));
}

TEST(MakeLocalFileIO, TakesARootThatDoesNotExistYet) {
  const TempDir directory;
  auto io = MakeLocalFileIO({"file://" + (directory / "a/lake")});
  ASSERT_THAT(io, IsOk());
  EXPECT_THAT((*io)->CheckWritable(directory / "a/lake/t"), IsOk());
  EXPECT_THAT((*io)->WriteNew(directory / "a/f", "x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("is outside of the allowed")));
  EXPECT_THAT((*io)->WriteNew(directory / "a/lake/t/f", "x"), IsOk());
  EXPECT_EQ(Slurp(directory / "a/lake/t/f"), "x");
}

TEST(MakeLocalFileIO, TakesARootThatIsALink) {
  const TempDir directory;
  fs::create_directory(directory / "real");
  fs::create_directory_symlink(directory / "real", directory / "link");
  auto io = *MakeLocalFileIO({directory / "link"});
  EXPECT_THAT(io->WriteNew(directory / "link/t/f", "x"), IsOk());
  EXPECT_THAT(io->WriteNew(directory / "real/t/g", "x"), IsOk());
  // Named as the operator named it, a failure inside is not mistaken for a place outside.
  EXPECT_THAT(io->WriteNew(directory / "link/t/f/g", "x"),
              IsError(ErrorKind::kInvalidArgument, EndsWith("Not a directory")));
}

TEST(MakeLocalFileIO, TakesSeveralRoots) {
  const TempDir directory;
  auto io = *MakeLocalFileIO({directory / "a", directory / "b"});
  EXPECT_THAT(io->WriteNew(directory / "a/f", "x"), IsOk());
  EXPECT_THAT(io->WriteNew(directory / "b/f", "x"), IsOk());
  EXPECT_THAT(io->WriteNew(directory / "c/f", "x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("is outside of the allowed")));
}

TEST(MakeLocalFileIO, WritesNowhereWithoutRoots) {
  auto io = *MakeLocalFileIO({});
  EXPECT_THAT(io->CheckWritable("/tmp"),
              IsError(ErrorKind::kInvalidArgument,
                      "Location /tmp is outside of the allowed locations: there are none"));
}

TEST(MakeLocalFileIO, RefusesARootThatIsNoLocalPath) {
  for (const char* root : {"lake", "s3://bucket", "file://host/lake", "/a/../b"}) {
    EXPECT_THAT(MakeLocalFileIO({root}),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("Invalid location")))
        << root;
  }
}

}  // namespace
}  // namespace berglite
