// What a check reads of a file, and copies of files.
#include "lib/store/inventory.h"

#include <filesystem>

#include "tests/store/fault_vfs.h"
#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InventoryTest : public ::testing::Test {
 protected:
  Inventory Take() {
    auto inventory = ReadOne(*store_, [](Reader& reader) { return reader.TakeInventory(); });
    EXPECT_THAT(inventory, IsOk());
    return inventory ? *inventory : Inventory{};
  }
  FileReport Inspect() {
    auto report = ReadOne(*store_, [](Reader& reader) { return reader.InspectDatabase(); });
    EXPECT_THAT(report, IsOk());
    return report ? *report : FileReport{};
  }

  FaultVfs vfs_;
  testing::TempDir dir_;
  const std::string path_ = dir_ / "lake.db";
  std::unique_ptr<Store> store_ = OpenOrDie(path_);
};

TEST_F(InventoryTest, HoldsAllRowsOfTheCatalogAsTheyAre) {
  RawDatabase raw(path_);
  raw.Run(R"(
    INSERT INTO iceberg_tables VALUES
      ('default', 'a', 't', 'm1', 'm0', 'TABLE'), ('default', 'a.b', 'v', NULL, NULL, 'VIEW'),
      ('default', 'a', 'old', 'm', NULL, NULL), ('default', 'a', 'x', 'm', NULL, 'MORE'),
      ('default', '__iceberg_namespace_v1__:[', 'y', 'm', NULL, 'TABLE'),
      ('default', '__iceberg_namespace_v1__:["a"]', 'z', 'm', NULL, 'TABLE'),
      ('other', 'a', 't', 'm', NULL, 'TABLE');
    INSERT INTO iceberg_namespace_properties VALUES
      ('default', 'n', 'exists', 'true'), ('default', 'n', 'k', 'v'),
      ('default', '__iceberg_namespace_v1__:["p.q"]', 'exists', 'true'),
      ('default', '__iceberg_namespace_v1__:7', 'exists', 'true'),
      ('other', 'o', 'exists', 'true');
    INSERT INTO berglite_functions VALUES ('default', 'a', 'f', 'mf'))");
  const Inventory inventory = Take();
  std::vector<std::string> rows;
  for (const EntryRow& row : inventory.entries) {
    rows.push_back(row.namespace_text + "|" + (row.name_space ? row.name_space->back() : "-") +
                   "|" + row.name + "|" + row.type + "|" + row.metadata_location);
  }
  EXPECT_THAT(rows, ElementsAre("__iceberg_namespace_v1__:[|-|y|TABLE|m",
                                "__iceberg_namespace_v1__:[\"a\"]|-|z|TABLE|m", "a|a|old|TABLE|m",
                                "a|a|t|TABLE|m1", "a|a|x|MORE|m", "a.b|b|v|VIEW|"));
  EXPECT_THAT(inventory.namespaces, ElementsAre(Namespace{"p.q"}, Namespace{"n"}));
  EXPECT_THAT(inventory.bad_namespace_texts, ElementsAre("__iceberg_namespace_v1__:7"));
  ASSERT_EQ(inventory.functions.size(), 1U);
  EXPECT_EQ(inventory.functions[0].type, "FUNCTION");
  EXPECT_EQ(inventory.functions[0].metadata_location, "mf");
}

TEST_F(InventoryTest, KnowsWhatOtherProgramsLeave) {
  EXPECT_THAT(Inspect().foreign, IsEmpty());
  RawDatabase raw(path_);
  raw.Run(R"(
    CREATE TABLE mine (a UNIQUE); CREATE VIEW seen AS SELECT 1;
    CREATE INDEX by_location ON iceberg_tables (metadata_location);
    CREATE TRIGGER watch AFTER DELETE ON iceberg_tables BEGIN SELECT 1; END)");
  EXPECT_THAT(Inspect().foreign, ElementsAre("index sqlite_autoindex_mine_1", "table mine",
                                             "trigger watch", "view seen"));
  EXPECT_THAT(Inspect().damage, IsEmpty());
}

TEST_F(InventoryTest, TellsOfDamage) {
  RawDatabase raw(path_);
  raw.Run(R"(
    CREATE TABLE mine (a); CREATE INDEX mine_a ON mine (a); INSERT INTO mine VALUES (1), (2);
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE INDEX mine_a ON mine (a) WHERE a > 1'
      WHERE name = 'mine_a';
    PRAGMA writable_schema = RESET)");
  store_ = OpenOrDie(path_);
  EXPECT_THAT(Inspect().damage, Contains("wrong # of entries in index mine_a"));
}

TEST(StoreInMemory, CanBeCopiedToAFile) {
  const testing::TempDir dir;
  const std::unique_ptr<Store> store = OpenOrDie(":memory:");
  ASSERT_THAT(
      store->Write([](Writer& writer) { return writer.InsertNamespace({"n"}, {}); }, NeverAsked),
      IsOk());
  ASSERT_THAT(store->CopyTo(dir / "copy.db", {}), IsOk());
  const std::unique_ptr<Store> copy = OpenOrDie(dir / "copy.db");
  EXPECT_THAT(ReadOne(*copy, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); }),
              testing::IsOkAndHolds(ElementsAre("n")));
}

// Goal: a copy is whole or not there. Method: the N-th call of the file layer fails, N = 1, 2, ...,
// until a copy meets no fault.
TEST_F(InventoryTest, CopiesAreWholeOrNotThere) {
  testing::TempDir to;
  const std::string path = to / "copy.db";
  for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    bool has_failed = true;
    for (int64_t number = 1; has_failed; ++number) {
      vfs_.FailCall(number, code, FaultDuration::kFromThenOn);
      const Status status = store_->CopyTo(path, {});
      has_failed = vfs_.Heal();
      ASSERT_LT(number, 1000);
      if (!status) {
        EXPECT_THAT(status, IsError(ErrorKind::kUnavailable, _)) << number;
        EXPECT_TRUE(std::filesystem::is_empty(to.path())) << number;
        continue;
      }
      const std::unique_ptr<Store> copy = OpenOrDie(path);
      auto report = ReadOne(*copy, [](Reader& reader) { return reader.InspectDatabase(); });
      ASSERT_THAT(report, IsOk());
      EXPECT_THAT(report->damage, IsEmpty()) << number;
      for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
    }
  }
}

}  // namespace
}  // namespace berglite::store
