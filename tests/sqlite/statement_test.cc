#include "lib/sqlite/statement.h"

#include <limits>

#include "tests/sqlite/fixtures.h"
#include "tests/support/matchers.h"

namespace berglite::sqlite {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;

TEST(Statement, BindsTextAndIntegersAsTheyAre) {
  auto connection = ConnectOrDie(":memory:");
  Statement echo(*connection, "SELECT ?1, ?2, typeof(?1), typeof(?2), length(CAST(?1 AS BLOB))");
  const std::string text("it's \"a\"\0\xF0\x9F\x8E\x89", 13);
  Rows rows = echo.Query(text, std::numeric_limits<int64_t>::min());
  ASSERT_THAT(rows.Next(), IsOkAndHolds(true));
  EXPECT_EQ(rows.Text(0), text);
  EXPECT_EQ(rows.Integer(1), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(rows.Text(2), "text");
  EXPECT_EQ(rows.Text(3), "integer");
  EXPECT_EQ(rows.Integer(4), 13);
  EXPECT_THAT(rows.Next(), IsOkAndHolds(false));
}

TEST(Statement, KeepsEmptyTextApartFromNull) {
  auto connection = ConnectOrDie(":memory:");
  Statement echo(*connection, "SELECT ?1, ?2");
  Rows rows = echo.Query(std::string_view());
  ASSERT_THAT(rows.Next(), IsOkAndHolds(true));
  EXPECT_FALSE(rows.IsNull(0));
  EXPECT_TRUE(rows.IsNull(1));
  EXPECT_EQ(rows.Text(1), "");
}

TEST(Statement, RunsAgainWithoutItsFormerParameters) {
  auto connection = ConnectOrDie(":memory:");
  Statement echo(*connection, "SELECT ?1");
  {
    Rows rows = echo.Query(int64_t{5});
    ASSERT_THAT(rows.Next(), IsOkAndHolds(true));
  }
  Rows rows = echo.Query();
  ASSERT_THAT(rows.Next(), IsOkAndHolds(true));
  EXPECT_TRUE(rows.IsNull(0));
}

TEST(Statement, CountsTheRowsItChanged) {
  auto connection = ConnectOrDie(":memory:");
  ASSERT_THAT(connection->Execute("CREATE TABLE t (v UNIQUE)"), IsOk());
  Statement insert(*connection, "INSERT INTO t VALUES (?1), (?2) ON CONFLICT DO NOTHING");
  EXPECT_THAT(insert.Change(int64_t{1}, int64_t{2}), IsOkAndHolds(2));
  EXPECT_THAT(insert.Change(int64_t{2}, int64_t{3}), IsOkAndHolds(1));
  EXPECT_THAT(insert.Change(int64_t{2}, int64_t{3}), IsOkAndHolds(0));
}

TEST(Statement, IsPreparedWhenItIsRunFirst) {
  auto connection = ConnectOrDie(":memory:");
  Statement count(*connection, "SELECT count(*) FROM t");
  {
    Rows rows = count.Query();
    EXPECT_THAT(rows.Next(), IsError(ErrorKind::kInternal, HasSubstr("no such table: t")));
  }
  ASSERT_THAT(connection->Execute("CREATE TABLE t (v)"), IsOk());
  Rows rows = count.Query();
  ASSERT_THAT(rows.Next(), IsOkAndHolds(true));
  EXPECT_EQ(rows.Integer(0), 0);
}

TEST(Statement, ReportsAParameterTooMany) {
  auto connection = ConnectOrDie(":memory:");
  Statement echo(*connection, "SELECT ?1");
  Rows rows = echo.Query("a", "b");
  EXPECT_THAT(rows.Next(), IsError(ErrorKind::kInternal, HasSubstr("out of range")));
}

TEST(Statement, StaysUsableAfterAnError) {
  auto connection = ConnectOrDie(":memory:");
  ASSERT_THAT(connection->Execute("CREATE TABLE t (v NOT NULL)"), IsOk());
  Statement insert(*connection, "INSERT INTO t VALUES (?1)");
  EXPECT_THAT(insert.Change(), IsError(ErrorKind::kInternal, HasSubstr("NOT NULL")));
  EXPECT_THAT(insert.Change("x"), IsOkAndHolds(1));
}

}  // namespace
}  // namespace berglite::sqlite
