#include "lib/sqlite/connection.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/sqlite/transaction.h"
#include "tests/sqlite/fixtures.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::sqlite {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Connection, RunsSeveralStatementsAtOnce) {
  auto connection = ConnectOrDie(":memory:");
  ASSERT_THAT(connection->Execute("CREATE TABLE t (v); INSERT INTO t VALUES (7)"), IsOk());
  EXPECT_EQ(Ask(*connection, "SELECT v FROM t"), 7);
}

TEST(Connection, TellsWhatIsWrongWithoutTheFolder) {
  TempDir dir;
  auto connection = ConnectOrDie(dir / "data.db");
  Status status = connection->Execute("SELECT * FROM missing");
  EXPECT_THAT(status,
              IsError(ErrorKind::kInternal, "data.db: no such table: missing (SQLite code 1)"));
  EXPECT_EQ(connection->last_failure(), Failure::kOther);
}

TEST(Connection, CannotBeOpenedInAMissingFolder) {
  TempDir dir;
  EXPECT_THAT(Connection::Open(dir / "missing/data.db", 0),
              IsError(ErrorKind::kUnavailable,
                      AllOf(HasSubstr("No such file or directory"), Not(HasSubstr("missing/")))));
}

TEST(Connection, KnowsAFileThatIsNoDatabase) {
  TempDir dir;
  std::ofstream(dir / "text") << std::string(2000, 'x');
  auto connection = ConnectOrDie(dir / "text");
  EXPECT_THAT(connection->Execute("SELECT * FROM sqlite_schema"),
              IsError(ErrorKind::kInternal, HasSubstr("file is not a database")));
  EXPECT_EQ(connection->last_failure(), Failure::kNotADatabase);
}

TEST(Connection, GivesUpOnALockAfterItsTimeout) {
  TempDir dir;
  auto holder = ConnectOrDie(dir / "data.db");
  ASSERT_THAT(holder->Execute("BEGIN IMMEDIATE"), IsOk());
  auto waiter = ConnectOrDie(dir / "data.db", 5);
  EXPECT_THAT(waiter->Execute("BEGIN IMMEDIATE"),
              IsError(ErrorKind::kUnavailable, HasSubstr("database is locked")));
  EXPECT_EQ(waiter->last_failure(), Failure::kBusy);
  ASSERT_THAT(holder->Execute("ROLLBACK"), IsOk());
  EXPECT_THAT(waiter->Execute("BEGIN IMMEDIATE; ROLLBACK"), IsOk());
}

TEST(Connection, WaitsForALockWithinItsTimeout) {
  TempDir dir;
  auto holder = ConnectOrDie(dir / "data.db");
  ASSERT_THAT(holder->Execute("CREATE TABLE t (v); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"),
              IsOk());
  auto waiter = ConnectOrDie(dir / "data.db", 60'000);
  std::thread thread([&] { EXPECT_THAT(holder->Execute("COMMIT"), IsOk()); });
  EXPECT_THAT(waiter->Execute("BEGIN IMMEDIATE"), IsOk());
  EXPECT_EQ(Ask(*waiter, "SELECT count(*) FROM t"), 1);
  EXPECT_THAT(waiter->Execute("ROLLBACK"), IsOk());
  thread.join();
}

}  // namespace
}  // namespace berglite::sqlite
