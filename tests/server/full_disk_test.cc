// The program where no more can be written: a change is refused as one that did nothing, reads go
// on, and all is well as soon as there is room, without a restart.
//
// The disks are file systems in memory, mounted where this process and its children alone see them;
// that takes root. Root is not held back by permissions, so nothing here rests on them.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/program.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_dir.h"

namespace berglite {
namespace {

namespace fs = std::filesystem;

using ::berglite::testing::Arguments;
using ::berglite::testing::CreateNamespace;
using ::berglite::testing::CreateTable;
using ::berglite::testing::Ended;
using ::berglite::testing::Get;
using ::berglite::testing::IsOneErrorLine;
using ::berglite::testing::Post;
using ::berglite::testing::Program;
using ::berglite::testing::RawClient;
using ::berglite::testing::RawReply;
using ::berglite::testing::RunToEnd;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "0192f1a0-7b3c-7def-8123-456789abcdef";

std::string Delete(const std::string& target) {
  return "DELETE " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

std::string SetProperty(const std::string& value) {
  return Post("/v1/namespaces/ns/tables/t",
              R"({"requirements":[],"updates":[{"action":"set-properties","updates":{"a":")" +
                  value + R"("}}]})");
}

std::string WithKey(std::string request) {
  const size_t end_of_line = request.find("\r\n") + 2;
  return request.insert(end_of_line, std::string("Idempotency-Key: ") + kKey + "\r\n");
}

std::ptrdiff_t FilesIn(const std::string& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

// A refusal that clients repeat, as surely nothing was done.
MATCHER_P(IsRefusedForNow, message_matcher, "is 503 with Retry-After and the given body") {
  if (arg.status != 503 || !RawClient::Header(arg, "Retry-After")) {
    *result_listener << "it is: " << arg.head << arg.body;
    return false;
  }
  return ::testing::ExplainMatchResult(message_matcher, arg.body, result_listener);
}

// Two small disks, one for the catalog file and one for the warehouse.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !Mount(catalog_) ||
        !Mount(warehouse_)) {
      GTEST_SKIP() << "Cannot mount a small file system here: " << std::strerror(errno);
    }
  }
  void TearDown() override {
    for (const std::string& disk : {catalog_, warehouse_}) umount2(disk.c_str(), MNT_DETACH);
  }

  static bool Mount(const std::string& disk) {
    fs::create_directory(disk);
    return mount("none", disk.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  static void SetReadOnly(const std::string& disk, unsigned long flag) {
    ASSERT_EQ(mount("none", disk.c_str(), nullptr, MS_REMOUNT | flag, nullptr), 0)
        << std::strerror(errno);
  }

  static void Fill(const std::string& disk) {
    const int file = open((disk + "/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (write(file, block.data(), block.size()) > 0) {
    }
    EXPECT_EQ(errno, ENOSPC);
    close(file);
  }
  static void MakeRoom(const std::string& disk) { fs::remove(disk + "/filler"); }

  Arguments Serve() const {
    return {"serve", "--port", "0", "--file", catalog_ + "/lake.db", "--warehouse", warehouse_};
  }
  static void MakeTable(RawClient& client) {
    ASSERT_EQ(client.Ask(CreateNamespace("ns")).status, 200);
    ASSERT_EQ(client.Ask(CreateTable("ns", "t")).status, 200);
  }
  static void ExpectReads(RawClient& client) {
    EXPECT_EQ(client.Ask(Get("/v1/namespaces/ns/tables/t")).status, 200);
    EXPECT_THAT(client.Ask(Get("/v1/namespaces/ns/tables")).body, HasSubstr("\"t\""));
    EXPECT_THAT(client.Ask(Get("/v1/namespaces")).body, HasSubstr("\"ns\""));
    EXPECT_EQ(client.Ask(Get("/healthz")).status, 200);
    EXPECT_EQ(client.Ask(Get("/metrics")).status, 200);
  }
  // What was found a moment ago may be told again. Not asked all the time: each refusal is a line
  // in the log, which nobody reads meanwhile.
  static void ExpectReadySoon(RawClient& client) {
    int status = client.Ask(Get("/readyz")).status;
    for (int i = 0; i < 100 && status == 503; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      status = client.Ask(Get("/readyz")).status;
    }
    EXPECT_EQ(status, 200);
  }

  const TempDir directory_;
  const std::string catalog_ = directory_ / "catalog";
  const std::string warehouse_ = directory_ / "warehouse";
};

TEST_F(FullDisk, OfTheCatalogFileRefusesChangesUntilThereIsRoom) {
  Program program(directory_, Serve());
  RawClient client(program.Port());
  MakeTable(client);
  const std::string metadata = warehouse_ + "/ns/t/metadata";
  const std::ptrdiff_t files = FilesIn(metadata);
  Fill(catalog_);

  const auto is_full = AllOf(HasSubstr("lake.db: database or disk is full"),
                             Not(HasSubstr(directory_.path().string())));
  EXPECT_THAT(client.Ask(SetProperty("1")), IsRefusedForNow(is_full));
  EXPECT_THAT(client.Ask(CreateNamespace("other")), IsRefusedForNow(is_full));
  EXPECT_THAT(client.Ask(CreateTable("ns", "u")), IsRefusedForNow(is_full));
  EXPECT_THAT(client.Ask(Delete("/v1/namespaces/ns/tables/t")), IsRefusedForNow(is_full));
  EXPECT_THAT(client.Ask(WithKey(CreateNamespace("keyed"))), IsRefusedForNow(is_full));
  // A refusal for good that cannot be kept under its key is none for good.
  EXPECT_THAT(client.Ask(WithKey(CreateNamespace("ns"))), IsRefusedForNow(is_full));
  EXPECT_THAT(client.Ask(Get("/readyz")),
              IsRefusedForNow(
                  AllOf(HasSubstr("The catalog file takes no writes"), Not(HasSubstr("lake.db")))));
  ExpectReads(client);
  EXPECT_EQ(FilesIn(metadata), files);

  MakeRoom(catalog_);
  EXPECT_EQ(client.Ask(WithKey(CreateNamespace("keyed"))).status, 200);
  EXPECT_EQ(client.Ask(WithKey(CreateNamespace("keyed"))).status, 200);
  EXPECT_EQ(client.Ask(SetProperty("2")).status, 200);
  EXPECT_EQ(client.Ask(Get("/v1/namespaces/other")).status, 404);
  EXPECT_THAT(client.Ask(Get("/v1/namespaces/ns/tables")).body, Not(HasSubstr("\"u\"")));
  ExpectReadySoon(client);
  EXPECT_EQ(program.Stop(), 0);
}

TEST_F(FullDisk, OfTheWarehouseRefusesWhatWritesMetadataAlone) {
  Program program(directory_, Serve());
  RawClient client(program.Port());
  MakeTable(client);
  ASSERT_EQ(client.Ask(CreateTable("ns", "u")).status, 200);
  const std::string metadata = warehouse_ + "/ns/t/metadata";
  const std::ptrdiff_t files = FilesIn(metadata);
  Fill(warehouse_);

  EXPECT_THAT(client.Ask(SetProperty("1")), IsRefusedForNow(HasSubstr("No space left on device")));
  EXPECT_THAT(client.Ask(CreateTable("ns", "v")),
              IsRefusedForNow(HasSubstr("No space left on device")));
  EXPECT_EQ(client.Ask(CreateNamespace("other")).status, 200);
  EXPECT_THAT(client.Ask(Get("/readyz")),
              IsRefusedForNow(AllOf(HasSubstr("The warehouse takes no new files"),
                                    Not(HasSubstr(directory_.path().string())))));
  ExpectReads(client);
  EXPECT_EQ(FilesIn(metadata), files);
  EXPECT_FALSE(fs::exists(warehouse_ + "/ns/v"));

  // A purge makes room.
  EXPECT_EQ(client.Ask(Delete("/v1/namespaces/ns/tables/u?purgeRequested=true")).status, 204);
  EXPECT_FALSE(fs::exists(warehouse_ + "/ns/u"));
  EXPECT_EQ(client.Ask(SetProperty("2")).status, 200);
  MakeRoom(warehouse_);
  ExpectReadySoon(client);
  EXPECT_EQ(program.Stop(), 0);
}

TEST_F(FullDisk, DoesNotKeepTheProgramFromStopping) {
  Program program(directory_, Serve());
  RawClient client(program.Port());
  MakeTable(client);
  Fill(catalog_);
  Fill(warehouse_);
  EXPECT_EQ(client.Ask(SetProperty("1")).status, 503);
  EXPECT_EQ(program.Stop(), 0);
  MakeRoom(catalog_);
  Program next(directory_, Serve());
  RawClient again(next.Port());
  ExpectReads(again);
}

TEST_F(FullDisk, IsSaidAtTheStart) {
  Fill(catalog_);
  const Ended ended = RunToEnd(directory_, Serve());
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("full")));
  MakeRoom(catalog_);
  Program program(directory_, Serve());
  RawClient client(program.Port());
  MakeTable(client);
}

using ReadOnlyDisk = FullDisk;

TEST_F(ReadOnlyDisk, OfTheWarehouseRefusesWhatWritesMetadataAlone) {
  Program program(directory_, Serve());
  RawClient client(program.Port());
  MakeTable(client);
  SetReadOnly(warehouse_, MS_RDONLY);
  EXPECT_THAT(client.Ask(SetProperty("1")), IsRefusedForNow(HasSubstr("Read-only file system")));
  EXPECT_EQ(client.Ask(CreateNamespace("other")).status, 200);
  EXPECT_THAT(client.Ask(Get("/readyz")),
              IsRefusedForNow(HasSubstr("The warehouse takes no new files")));
  ExpectReads(client);
  // What cannot be removed now is owed.
  EXPECT_EQ(client.Ask(Delete("/v1/namespaces/ns/tables/t?purgeRequested=true")).status, 204);
  EXPECT_THAT(client.Ask(Get("/metrics")).body, HasSubstr("\nberglite_owed_purges 1\n"));
  SetReadOnly(warehouse_, 0);
  EXPECT_EQ(client.Ask(CreateTable("ns", "u")).status, 200);
  ExpectReadySoon(client);
  EXPECT_EQ(program.Stop(), 0);
}

TEST_F(ReadOnlyDisk, OfTheCatalogFileIsSaidAtTheStart) {
  SetReadOnly(catalog_, MS_RDONLY);
  const Ended without_file = RunToEnd(directory_, Serve());
  EXPECT_EQ(without_file.code, 3);
  EXPECT_THAT(without_file.err, AllOf(IsOneErrorLine(), HasSubstr("folder cannot be written")));
  SetReadOnly(catalog_, 0);
  {
    Program program(directory_, Serve());
    RawClient client(program.Port());
    MakeTable(client);
    EXPECT_EQ(program.Stop(), 0);
  }
  SetReadOnly(catalog_, MS_RDONLY);
  const Ended with_file = RunToEnd(directory_, Serve());
  EXPECT_EQ(with_file.code, 3);
  EXPECT_THAT(with_file.err, AllOf(IsOneErrorLine(), HasSubstr("it cannot be written")));
  SetReadOnly(catalog_, 0);
  Program program(directory_, Serve());
  RawClient client(program.Port());
  ExpectReads(client);
}

// The kernel's answer past a quota is like that past this limit: neither is ENOSPC.
TEST(FileSizeLimit, RefusesChangesAsAFullDiskDoes) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  RawClient client(program.Port());
  ASSERT_EQ(client.Ask(CreateNamespace("ns")).status, 200);
  rlimit before{};
  const rlimit small{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(prlimit(program.pid(), RLIMIT_FSIZE, &small, &before), 0);
  EXPECT_THAT(client.Ask(CreateNamespace("a")), IsRefusedForNow(HasSubstr("File too large")));
  EXPECT_THAT(client.Ask(Get("/v1/namespaces")).body, Not(HasSubstr("\"a\"")));
  ASSERT_EQ(prlimit(program.pid(), RLIMIT_FSIZE, &before, nullptr), 0);
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
}

}  // namespace
}  // namespace berglite
