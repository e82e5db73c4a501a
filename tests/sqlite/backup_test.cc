#include "lib/sqlite/backup.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "lib/sqlite/transaction.h"
#include "tests/sqlite/fixtures.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::sqlite {
namespace {

namespace fs = std::filesystem;

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::HasSubstr;

size_t FilesIn(const TempDir& dir) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(dir.path()), {}));
}

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() {
    EXPECT_THAT(source_->Execute(R"(
      PRAGMA journal_mode = WAL; CREATE TABLE t (v);
      INSERT INTO t VALUES (1))"),
                IsOk());
  }

  TempDir dir_;
  std::unique_ptr<Connection> source_ = ConnectOrDie(dir_ / "data.db");
  TempDir to_;
};

TEST_F(BackupTest, HoldsWhatTheDatabaseHolds) {
  ASSERT_THAT(CopyDatabase(*source_, to_ / "copy.db", {}), IsOk());
  EXPECT_EQ(FilesIn(to_), 1U);
  EXPECT_FALSE(source_->in_transaction());
  auto copy = ConnectOrDie(to_ / "copy.db");
  EXPECT_EQ(Ask(*copy, "SELECT v FROM t"), 1);
}

TEST_F(BackupTest, CanBeReadByThoseWhoCanReadTheDatabase) {
  fs::permissions(dir_ / "data.db", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_THAT(CopyDatabase(*source_, to_ / "copy.db", {}), IsOk());
  EXPECT_EQ(fs::status(to_ / "copy.db").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(BackupTest, NeverTakesThePlaceOfAnother) {
  std::ofstream(to_ / "file") << "mine";
  fs::create_symlink("nowhere", to_ / "link");
  fs::create_directory(to_ / "folder");
  for (const char* name : {"file", "link", "folder"}) {
    EXPECT_THAT(CopyDatabase(*source_, to_ / name, {}),
                IsError(ErrorKind::kAlreadyExists, HasSubstr("it exists")));
  }
  EXPECT_EQ(FilesIn(to_), 3U);
  EXPECT_EQ(fs::file_size(to_ / "file"), 4U);
}

TEST_F(BackupTest, WantsAFolder) {
  EXPECT_THAT(
      CopyDatabase(*source_, to_ / "none/copy.db", {}),
      IsError(ErrorKind::kInvalidArgument, HasSubstr("none/copy.db: its folder does not exist")));
}

// Another name appears while the copy is made: it stays, and the copy goes.
TEST_F(BackupTest, NeverTakesThePlaceOfOneThatWasQuicker) {
  const Status status = CopyDatabase(
      *source_, to_ / "copy.db", [&](size_t, size_t) { std::ofstream(to_ / "copy.db") << "mine"; });
  EXPECT_THAT(status, IsError(ErrorKind::kAlreadyExists, HasSubstr("it exists")));
  EXPECT_EQ(FilesIn(to_), 1U);
  EXPECT_EQ(fs::file_size(to_ / "copy.db"), 4U);
}

TEST_F(BackupTest, OfADamagedDatabaseLeavesNothing) {
  source_ = nullptr;
  std::fstream file(dir_ / "data.db");
  file << std::string(100, 'x');
  file.close();
  source_ = ConnectOrDie(dir_ / "data.db");
  EXPECT_THAT(CopyDatabase(*source_, to_ / "copy.db", {}),
              IsError(ErrorKind::kInternal, HasSubstr("not a database")));
  EXPECT_EQ(FilesIn(to_), 0U);
}

// Goal: the copy is the state of one instant. Method: between its parts another connection moves a
// unit from the first row to the last, which are many pages apart, and grows the file.
TEST_F(BackupTest, IsOfOneInstantWhileOthersWrite) {
  ASSERT_THAT(source_->Execute(R"(
    CREATE TABLE big (id INTEGER PRIMARY KEY, units, filler);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
    INSERT INTO big SELECT i, 1000, zeroblob(3000) FROM n)"),
              IsOk());
  auto writer = ConnectOrDie(dir_ / "data.db");
  int steps = 0;
  size_t total_pages = 0;
  const Status status = CopyDatabase(*source_, to_ / "copy.db", [&](size_t done, size_t total) {
    ++steps;
    EXPECT_LE(done, total);
    total_pages = total;
    EXPECT_THAT(writer->Execute(R"(
      UPDATE big SET units = units - 1 WHERE id = 1;
      UPDATE big SET units = units + 1 WHERE id = 4000;
      INSERT INTO t VALUES (1))"),
                IsOk());
  });
  ASSERT_THAT(status, IsOk());
  EXPECT_GT(steps, 2);
  EXPECT_GT(total_pages, 3000U);
  auto copy = ConnectOrDie(to_ / "copy.db");
  EXPECT_EQ(Ask(*copy, "SELECT sum(units) FROM big"), 4'000'000);
  EXPECT_EQ(Ask(*copy, "SELECT count(*) FROM t"), 1);
  EXPECT_EQ(Ask(*copy, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"),
            1);
  EXPECT_EQ(Ask(*source_, "SELECT count(*) FROM t"), 1 + steps);
}

}  // namespace
}  // namespace berglite::sqlite
