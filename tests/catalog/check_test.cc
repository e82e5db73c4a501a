// Check and Backup.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include <sqlite3.h>

#include "tests/catalog/fixture.h"

namespace berglite {
namespace {

namespace fs = std::filesystem;

using ::berglite::testing::CatalogTest;
using ::berglite::testing::Doc;
using ::berglite::testing::Dom;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::PathOf;
using ::berglite::testing::SetProperty;
using ::berglite::testing::TableRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckTest : public CatalogTest {
 protected:
  void Sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / "lake.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  // Each finding as `code name`, or `repaired code name`; notes in brackets.
  std::vector<std::string> Check(const CheckOptions& options = {}) {
    const Result<CheckReport> report = catalog_->Check(options);
    EXPECT_THAT(report, IsOk());
    if (!report) return {"?"};
    report_ = *report;
    std::vector<std::string> texts;
    for (const CheckFinding& finding : report_.findings) {
      std::string text = (finding.repaired ? "repaired " : "") + finding.code;
      for (const std::string& level : finding.name) text += "/" + level;
      const bool is_note = finding.severity == CheckFinding::Severity::kNote;
      texts.push_back(is_note ? "(" + text + ")" : text);
    }
    return texts;
  }

  CheckReport report_;
};

TEST_F(CheckTest, FindsNothingInASoundCatalog) {
  CreateNamespace({"a", "b.c"});
  CreateTable("t");
  CreateTable("u");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(report_.tables, 2);
  EXPECT_EQ(report_.views, 0);
}

TEST_F(CheckTest, FindsPointersThatLeadNowhere) {
  fs::remove(PathOf(CreateTable("gone")["metadata-location"]));
  std::ofstream(PathOf(CreateTable("no_json")["metadata-location"])) << "{";
  std::ofstream(PathOf(CreateTable("no_metadata")["metadata-location"])) << "{}";
  Sql(R"(INSERT INTO iceberg_tables VALUES
    ('default', 'ns', 's3', 's3://bucket/m.json', NULL, 'TABLE'),
    ('default', 'ns', 'nothing', NULL, NULL, 'TABLE'),
    ('default', 'ns', 'view', 'file:///nowhere.json', NULL, 'VIEW'))");
  EXPECT_THAT(Check(),
              ElementsAre("metadata-missing/ns/gone", "metadata-invalid/ns/no_json",
                          "metadata-invalid/ns/no_metadata", "no-metadata-location/ns/nothing",
                          "metadata-unreadable/ns/s3", "metadata-missing/ns/view"));
  EXPECT_THAT(report_.findings[2].message, HasSubstr("format-version"));
  EXPECT_EQ(report_.tables, 5);
  EXPECT_EQ(report_.views, 1);
}

TEST_F(CheckTest, FindsRowsThatNoClientReaches) {
  Sql(R"(INSERT INTO iceberg_tables VALUES
    ('default', 'ns..x', 't', 'm', NULL, 'TABLE'), ('default', 'ns', '', 'm', NULL, 'TABLE'),
    ('default', '__iceberg_namespace_v1__:[]', 't', 'm', NULL, 'TABLE'),
    ('default', 'ns', 'more', 'm', NULL, 'MORE'), ('other', 'ns', 't', 'm', NULL, 'TABLE');
    INSERT INTO iceberg_namespace_properties VALUES
      ('default', 'ns', 'exists', 'true'),
      ('default', '__iceberg_namespace_v1__:[', 'exists', 'true'))");
  EXPECT_THAT(Check(), ElementsAre("bad-namespace/__iceberg_namespace_v1__:[",
                                   "bad-name/__iceberg_namespace_v1__:[]/t", "bad-name/ns/",
                                   "(unknown-type/ns/more)", "bad-name/ns//x/t"));
}

TEST_F(CheckTest, GivesNamespacesTheRowsTheyLack) {
  CreateTable("t");
  Sql(R"(DELETE FROM iceberg_namespace_properties;
    INSERT INTO iceberg_namespace_properties VALUES ('default', 'a.b', 'exists', 'true'))");
  const std::vector<std::string> repaired = {"(repaired implied-namespace/a)",
                                             "repaired missing-namespace/ns"};
  EXPECT_THAT(Check(), ElementsAre("(implied-namespace/a)", "missing-namespace/ns"));
  EXPECT_THAT(Check({.repair = true}), repaired);
  EXPECT_THAT(Check(), IsEmpty());
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  EXPECT_THAT(catalog_->NamespaceExists({"ns"}), testing::IsOkAndHolds(true));
}

TEST_F(CheckTest, NotesWhatOthersLeaveBeside) {
  const Json table = CreateTable("t");
  const std::string location = table["metadata-location"];
  const std::string orphan = location.substr(0, location.rfind('/')) + "/00009-x.metadata.json";
  std::ofstream(PathOf(orphan)) << "{}";
  Sql("CREATE TABLE mine (a); INSERT INTO iceberg_tables VALUES ('default', 'ns', 'twin', '" +
      location + "', NULL, 'TABLE')");
  EXPECT_THAT(Check(),
              ElementsAre("(foreign-object)", "(same-metadata/ns/twin)", "(orphan-metadata/ns/t)"));
  EXPECT_THAT(report_.findings[2].message, HasSubstr(orphan));
  // Another catalog of the file may point there.
  Sql("INSERT INTO iceberg_tables VALUES ('other', 'x', 'y', '" + orphan + "', NULL, 'TABLE')");
  EXPECT_THAT(Check(), ElementsAre("(foreign-object)", "(same-metadata/ns/twin)"));
}

TEST_F(CheckTest, NotesTablesOutsideOfTheAllowedLocations) {
  CreateTable("t");
  const Result<std::unique_ptr<Catalog>> elsewhere =
      Catalog::Open(directory_ / "lake.db", {.warehouse = directory_ / "elsewhere"});
  ASSERT_THAT(elsewhere, IsOk());
  catalog_ = nullptr;
  const Result<CheckReport> report = (*elsewhere)->Check();
  ASSERT_THAT(report, IsOk());
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].code, "outside-locations");
}

TEST_F(CheckTest, FindsMissingManifestLists) {
  CreateTable("t");
  const std::string there = directory_ / "there.avro";
  std::ofstream(there) << "x";
  Json updates = Json::array();
  for (const int64_t id : {1, 2}) {
    updates.push_back({{"action", "add-snapshot"},
                       {"snapshot",
                        {{"snapshot-id", id},
                         {"sequence-number", id},
                         {"timestamp-ms", 1'800'000'000'000 + id},
                         {"manifest-list", id == 1 ? there : there + "x"},
                         {"schema-id", 0},
                         {"summary", {{"operation", "append"}}}}}});
  }
  ASSERT_THAT(catalog_->UpdateTable(
                  {{"ns"}, "t"}, Doc(Json{{"requirements", Json::array()}, {"updates", updates}})),
              IsOk());
  EXPECT_THAT(Check(), ElementsAre("manifest-list-missing/ns/t"));
  EXPECT_THAT(report_.findings[0].message, HasSubstr("1 of its 2 snapshots"));
}

TEST_F(CheckTest, FindsFunctionsWithoutMetadata) {
  CreateNamespace({"ns"});
  const std::string location = "file://" + (directory_ / "warehouse/f.json");
  std::ofstream(PathOf(location))
      << R"({"function-uuid":"42fd3f91-bc10-41c1-8a52-92b57dd0a9b2","format-version":1,)"
         R"("definitions":[],"definition-log":[]})";
  ASSERT_THAT(catalog_->RegisterFunction({{"ns"}, "f"}, location), IsOk());
  EXPECT_THAT(Check(), IsEmpty());
  fs::remove(PathOf(location));
  EXPECT_THAT(Check(), ElementsAre("metadata-missing/ns/f"));
}

TEST_F(CheckTest, LooksAtWhatItIsAskedFor) {
  CreateNamespace({"ns", "sub"});
  CreateNamespace({"nss"});
  Sql(R"(CREATE TABLE mine (a); INSERT INTO iceberg_tables VALUES
    ('default', 'ns', 't', '/no', NULL, 'TABLE'), ('default', 'ns', 'u', '/no', NULL, 'TABLE'),
    ('default', 'ns.sub', 't', '/no', NULL, 'TABLE'), ('default', 'nss', 't', '/no', NULL, NULL))");
  EXPECT_THAT(
      Check({.name_space = {"ns"}}),
      ElementsAre("metadata-missing/ns/t", "metadata-missing/ns/u", "metadata-missing/ns/sub/t"));
  EXPECT_THAT(Check({.name_space = {"ns"}, .name = "u"}), ElementsAre("metadata-missing/ns/u"));
  EXPECT_THAT(catalog_->Check({.name_space = {"none"}}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: none"));
  EXPECT_THAT(catalog_->Check({.name_space = {"ns"}, .name = "none"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.none"));
}

TEST_F(CheckTest, TellsHowFarItIs) {
  CreateTable("t");
  CreateTable("u");
  std::vector<size_t> told;
  EXPECT_THAT(Check({.on_progress =
                         [&](size_t done, size_t total) {
                           told.push_back(done);
                           EXPECT_EQ(total, 2U);
                         }}),
              IsEmpty());
  EXPECT_THAT(told, ElementsAre(0, 1));
}

// Goal: neither a check nor a backup is confused by commits. Method: a table that removes its old
// metadata files at once, and others, are changed all the time.
TEST_F(CheckTest, IsSoundUnderLoadAndSoAreBackups) {
  Json request = TableRequest("short");
  request["properties"] = {{"write.metadata.delete-after-commit.enabled", "true"},
                           {"write.metadata.previous-versions-max", "1"}};
  CreateNamespace({"ns"});
  ASSERT_THAT(catalog_->CreateTable({"ns"}, Doc(request)), IsOk());
  const std::unique_ptr<Catalog> other = Open();
  std::atomic<bool> is_done = false;
  std::atomic<int> commits = 0;
  std::thread writer([&] {
    for (int i = 0; !is_done; ++i) {
      const std::string number = std::to_string(i);
      EXPECT_THAT(other->UpdateTable({{"ns"}, "short"}, Doc(SetProperty("k", number))), IsOk());
      EXPECT_THAT(other->CreateTable({"ns"}, Doc(TableRequest("t" + number))), IsOk());
      ++commits;
    }
  });
  for (int round = 0; round < 10 || commits < 20; ++round) {
    const Result<CheckReport> report = catalog_->Check();
    EXPECT_THAT(report, IsOk());
    if (report) {
      for (const CheckFinding& finding : report->findings) {
        EXPECT_EQ(finding.code, "orphan-metadata") << finding.message;
      }
    }
    const std::string path = directory_ / ("copy" + std::to_string(round) + ".db");
    EXPECT_THAT(catalog_->Backup(path), IsOk());
    const Result<std::unique_ptr<Catalog>> copy =
        Catalog::Open(path, {.warehouse = directory_ / "warehouse"});
    EXPECT_THAT(copy, IsOk());
    if (!copy) break;
    const Result<CheckReport> copied = (*copy)->Check();
    EXPECT_THAT(copied, IsOk());
    if (!copied) break;
    for (const CheckFinding& finding : copied->findings) {
      // The one file that may be removed after the copy was made.
      const bool is_of_short = finding.name == Namespace{"ns", "short"};
      EXPECT_TRUE(finding.code == "orphan-metadata" || is_of_short) << finding.message;
    }
  }
  is_done = true;
  writer.join();
}

TEST_F(CheckTest, BackupNeedsAFreshName) {
  CreateTable("t");
  ASSERT_THAT(catalog_->Backup(directory_ / "copy.db"), IsOk());
  EXPECT_THAT(catalog_->Backup(directory_ / "copy.db"),
              IsError(ErrorKind::kAlreadyExists, HasSubstr("copy.db: it exists")));
  EXPECT_THAT(catalog_->Backup(directory_ / "lake.db"),
              IsError(ErrorKind::kAlreadyExists, HasSubstr("lake.db: it exists")));
}

}  // namespace
}  // namespace berglite
