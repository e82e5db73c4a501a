// How SQLite carries out the statements: none may read more than it returns, in any order but the
// key's. Goal: a page of a namespace with a million tables costs what a page of a small one costs.

#include "lib/store/rows.h"
#include "lib/store/schema.h"
#include "lib/store/session.h"
#include "tests/store/fixtures.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> ExplainPlan(sqlite3* handle, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  std::string explain = "EXPLAIN QUERY PLAN " + sql;
  EXPECT_EQ(sqlite3_prepare_v2(handle, explain.c_str(), -1, &statement, nullptr), SQLITE_OK);
  std::vector<std::string> steps;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    steps.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 3)));
  }
  sqlite3_finalize(statement);
  return steps;
}

// Runs every method, so that every statement is prepared.
void RunAll(CatalogRows& rows) {
  const EntryKey key{{"ns"}, "t"};
  EXPECT_THAT(rows.InsertNamespace({"ns"}, {{"k", "v"}}), IsOk());
  EXPECT_THAT(rows.SetNamespaceProperties({"ns"}, {}, {"k"}), IsOk());
  EXPECT_THAT(rows.InsertEntry(key, {EntryKind::kTable, "0"}), IsOk());
  EXPECT_THAT(rows.MovePointer(key, EntryKind::kTable, "0", "1"), IsOk());
  EXPECT_THAT(rows.FindNamespace({"ns"}), IsOk());
  EXPECT_THAT(rows.CountContents({"ns"}), IsOk());
  EXPECT_THAT(rows.ListEntries({"ns"}, EntryKind::kTable, "a", 10), IsOk());
  EXPECT_THAT(rows.FindEntry(key), IsOk());
  EXPECT_THAT(rows.IsPointedAt("1"), IsOk());
  EXPECT_THAT(rows.RenameEntry(key, {{"ns"}, "u"}, EntryKind::kTable), IsOk());
  EXPECT_THAT(rows.DeleteEntry({{"ns"}, "u"}, EntryKind::kTable), IsOk());
  EXPECT_THAT(rows.DeleteNamespace({"ns"}), IsOk());
  EXPECT_THAT(rows.VisitPointers([](PointerKind, const std::string&) { return Status(); }), IsOk());
  EXPECT_THAT(rows.OweDeletion("m", "u", 1), IsOk());
  EXPECT_THAT(rows.ListOwedDeletions(1, 10), IsOk());
  EXPECT_THAT(rows.IsDeletionOwed("m", "u"), IsOk());
  EXPECT_THAT(rows.ListOwingCatalogs(), IsOk());
  EXPECT_THAT(rows.PostponeDeletion(1, 2, "o"), IsOk());
  EXPECT_THAT(rows.SettleDeletion(1), IsOk());
  EXPECT_THAT(rows.InsertKeyRecord("k", {}, 0), IsOk());
  EXPECT_THAT(rows.FindKeyRecord("k", 0), IsOk());
}

TEST(CatalogRows, ReadsRangesOfTheKeyOnly) {
  Result<std::unique_ptr<sqlite::Connection>> connection = sqlite::Connection::Open(":memory:", 0);
  ASSERT_THAT(connection, IsOk());
  ASSERT_THAT(PrepareFile(**connection, "memory"), IsOk());
  CatalogRows rows(**connection, "default");
  RunAll(rows);
  int statements = 0;
  bool lists_entries = false;
  sqlite3* handle = (*connection)->handle();
  for (sqlite3_stmt* s = sqlite3_next_stmt(handle, nullptr); s != nullptr;
       s = sqlite3_next_stmt(handle, s)) {
    ++statements;
    const std::string sql = sqlite3_sql(s);
    // Asked only before files are deleted, and there is no key for it.
    if (sql.find("WHERE metadata_location = ?1") != std::string::npos) continue;
    if (sql.find("UNION ALL SELECT 2, metadata_location") != std::string::npos) continue;
    // Of a few rows.
    if (sql.find("DISTINCT catalog_name FROM berglite_deletions") != std::string::npos) continue;
    for (const std::string& step : ExplainPlan(handle, sql)) {
      EXPECT_THAT(step,
                  AllOf(Not(HasSubstr("SCAN iceberg_")), Not(HasSubstr("SCAN berglite_deletions")),
                        Not(HasSubstr("TEMP B-TREE"))))
          << sql;
      lists_entries =
          lists_entries || step.find("table_namespace=? AND table_name>?") != std::string::npos;
    }
  }
  EXPECT_EQ(statements, 27);
  EXPECT_TRUE(lists_entries);
}

}  // namespace
}  // namespace berglite::store
