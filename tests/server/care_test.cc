// The commands of the program on files that are not as they should be, or hold several catalogs;
// gc, import and export.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "tests/server/program.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_dir.h"

namespace berglite {
namespace {

using ::berglite::testing::Arguments;
using ::berglite::testing::CreateNamespace;
using ::berglite::testing::CreateTable;
using ::berglite::testing::Ended;
using ::berglite::testing::Get;
using ::berglite::testing::IsOneErrorLine;
using ::berglite::testing::Program;
using ::berglite::testing::RawClient;
using ::berglite::testing::RunToEnd;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Json = nlohmann::json;
namespace fs = std::filesystem;

class CareTest : public ::testing::Test {
 protected:
  Ended Run(const Arguments& arguments, const Arguments& environment = {}) const {
    return RunToEnd(directory_, arguments, environment);
  }
  Json JsonOut(Arguments arguments) const {
    arguments.emplace_back("--json");
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
  void ExpectRefused(const Arguments& arguments, int code, const std::string& message) const {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, code) << ::testing::PrintToString(arguments) << ended.out;
    EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr(message)));
  }
  void Sql(const std::string& file, const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / file).c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  std::string Bytes(const std::string& file) const {
    std::ifstream in(directory_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> Names(const std::string& directory = "") const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ / directory)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Rights of the file, as in chmod.
  unsigned ModeOf(const std::string& file) const {
    struct stat status {};
    EXPECT_EQ(stat((directory_ / file).c_str(), &status), 0) << file;
    return status.st_mode & 0777U;
  }
  // A catalog file with `tables` tables t0, t1 ... in the namespace a.
  void MakeTables(const std::string& file, int tables) const {
    Program server(directory_, {"serve", "--port", "0", "--file", file});
    RawClient client(server.Port());
    ASSERT_EQ(client.Ask(CreateNamespace("a")).status, 200);
    for (int i = 0; i < tables; ++i) {
      ASSERT_EQ(client.Ask(CreateTable("a", "t" + std::to_string(i))).status, 200);
    }
    EXPECT_EQ(server.Stop(), 0);
  }

  const TempDir directory_;
};

// Every command that works on a file, but for those that may begin one.
const std::vector<Arguments> kCommands = {{"ls"},
                                          {"show", "a.t"},
                                          {"history", "a.t"},
                                          {"metrics", "a.t"},
                                          {"check"},
                                          {"gc"},
                                          {"relocate", "/old", "/new"},
                                          {"backup", "copy.db"},
                                          {"warehouses", "list"},
                                          {"functions", "list", "a"},
                                          {"namespaces", "list"},
                                          {"namespaces", "create", "b"},
                                          {"drop", "a.t"},
                                          {"export", "--to", "http://127.0.0.1:9"}};

Arguments With(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(CareTest, CommandsLeaveAFileThatIsNoCatalogAsItIs) {
  Sql("other.db", "CREATE TABLE songs (title); CREATE TABLE bands (name)");
  Sql("empty.db", "CREATE TABLE x (y); DROP TABLE x");
  const std::string before = Bytes("other.db");
  for (const Arguments& command : kCommands) {
    ExpectRefused(With(command, {"--file", "other.db"}), 3,
                  "other.db is not an Iceberg catalog: it has the tables bands, songs");
  }
  for (const char* action : {"add", "remove", "rotate"}) {
    ExpectRefused({"principals", action, "me", "--file", "other.db"}, 1, "not an Iceberg catalog");
  }
  ExpectRefused({"ls", "--file", "empty.db"}, 3, "not an Iceberg catalog: it has no tables");
  ExpectRefused({"import", "--from", "empty.db", "--file", "other.db"}, 3, "empty.db is not an");
  EXPECT_EQ(Bytes("other.db"), before);
  EXPECT_THAT(Names(), ::testing::ElementsAre("empty.db", "other.db"));
}

TEST_F(CareTest, CommandsMakeNoFile) {
  for (const Arguments& command : kCommands) {
    ExpectRefused(With(command, {"--file", "none.db"}), 3, "There is no catalog file none.db");
  }
  for (const Arguments& command :
       {Arguments{"principals", "list"}, {"principals", "remove", "me"}}) {
    ExpectRefused(With(command, {"--file", "none.db"}), 3, "There is no catalog file none.db");
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(CareTest, AnImportSaysWhatItsSourceIsNot) {
  std::ofstream(directory_ / "text.db") << std::string(5000, 'x');
  ExpectRefused({"import", "--from", "none.db"}, 3,
                "There is no catalog file none.db; --from names another");
  ExpectRefused({"import", "--from", "text.db"}, 3, "text.db: it is not an SQLite database");
  ExpectRefused({"import", "--from", "s3://bucket/lake.db"}, 2,
                "http:// or https://, or the path of a file; found 's3://bucket/lake.db'");
  EXPECT_THAT(Names(), ::testing::ElementsAre("text.db"));
}

TEST_F(CareTest, CommandsAskWhichOfSeveralCatalogsIsMeant) {
  MakeTables("berglite.db", 1);
  ASSERT_EQ(Run({"warehouses", "add", "lab"}).code, 0);
  for (const Arguments& command : {Arguments{"ls"}, {"show", "a.t0"}, {"check", "a"}, {"gc"}}) {
    ExpectRefused(command, 1,
                  "berglite.db holds several catalogs, and none was chosen: default, lab; "
                  "--catalog-name chooses one");
  }
  ExpectRefused({"ls", "--catalog-name", "lap"}, 1,
                "berglite.db holds no catalog named lap, but default, lab; --catalog-name chooses");
  EXPECT_EQ(Run({"ls", "--catalog-name", "lab"}).out, "");
  EXPECT_EQ(Run({"ls", "--catalog-name", "default"}).out, "a\n");
  ExpectRefused({"import", "--from", "berglite.db", "--file", "new.db"}, 1,
                "berglite.db holds several catalogs, and none was chosen: default, lab; "
                "--remote-warehouse chooses one");
  ExpectRefused({"import", "--from", "berglite.db", "--file", "new.db", "--remote-warehouse", "x"},
                1, "holds no catalog named x");
  EXPECT_FALSE(fs::exists(directory_ / "new.db"));
}

TEST_F(CareTest, BackupAndCheckAreOfTheWholeFile) {
  MakeTables("berglite.db", 2);
  ASSERT_EQ(Run({"warehouses", "add", "lab"}).code, 0);
  ASSERT_EQ(Run({"namespaces", "create", "b.c", "--catalog-name", "lab"}).code, 0);
  ASSERT_EQ(Run({"backup", "copy.db"}).code, 0);
  EXPECT_EQ(Run({"ls", "--file", "copy.db", "--catalog-name", "lab"}).out, "b\n");
  Sql("berglite.db",
      "DELETE FROM iceberg_namespace_properties WHERE namespace = 'a'; CREATE TABLE songs (x)");
  const Ended checked = Run({"check"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, ContainsRegex("^Catalog default:\n"
                                         "note +foreign-object[^\n]+songs[^\n]+\n"
                                         "problem +missing-namespace +a [^\n]+\n"
                                         "Checked 2 tables and 0 views: 1 problem, 1 note\n"
                                         "Catalog lab:\n"
                                         "Checked 0 tables and 0 views: 0 problems, 0 notes\n$"));
  EXPECT_EQ(Run({"check", "--catalog-name", "lab"}).code, 0);
  const Json json = Json::parse(Run({"check", "--json"}).out);
  EXPECT_EQ(json["tables"], 2);
  EXPECT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][1]["catalog"], "default");
}

TEST_F(CareTest, ServeSaysThatItBeginsACatalog) {
  MakeTables("berglite.db", 1);
  Program server(directory_, {"serve", "--port", "0", "--catalog-name", "lap"});
  ASSERT_NE(server.Port(), 0);
  EXPECT_EQ(server.Stop(), 0);
  EXPECT_THAT(server.Err(), HasSubstr("berglite: berglite.db holds no catalog named lap, but "
                                      "default; a new one begins\n"));
  Program again(directory_, {"serve", "--port", "0", "--catalog-name", "default"});
  ASSERT_NE(again.Port(), 0);
  EXPECT_EQ(again.Stop(), 0);
  EXPECT_EQ(again.Err(), "");
}

// -- Rights -------------------------------------------------------------------------------------

TEST_F(CareTest, AFileWithPrincipalsIsMadeForItsOwnerAlone) {
  ASSERT_EQ(Run({"principals", "add", "me", "--file", "first.db"}).code, 0);
  EXPECT_EQ(ModeOf("first.db"), 0600U);
  Program server(directory_, {"serve", "--port", "0", "--file", "second.db", "--auth"});
  ASSERT_NE(server.Port(), 0);
  for (const char* file : {"second.db", "second.db-wal", "second.db-shm"}) {
    EXPECT_EQ(ModeOf(file), 0600U) << file;
  }
  EXPECT_EQ(server.Stop(), 0);
  EXPECT_EQ(server.Err(), "");
}

TEST_F(CareTest, ASecretInAFileThatOthersCanReadIsWarnedOf) {
  MakeTables("lake.db", 0);
  fs::permissions(directory_ / "lake.db", static_cast<fs::perms>(0644));
  const Ended added = Run({"principals", "add", "me", "--file", "lake.db"});
  EXPECT_EQ(added.code, 0);
  EXPECT_THAT(added.err, HasSubstr("can read lake.db"));
  EXPECT_EQ(ModeOf("lake.db"), 0644U);
  fs::permissions(directory_ / "lake.db", static_cast<fs::perms>(0640));
  EXPECT_THAT(Run({"principals", "rotate", "me", "--file", "lake.db"}).err,
              Not(HasSubstr("can read")));
}

// The principals come first where an existing catalog is to be served with --auth.
TEST_F(CareTest, APrincipalInAFileOfAnotherProgramLeavesItsWarehouseToBeFound) {
  const std::string metadata = directory_ / "lake/a/t/metadata";
  fs::create_directories(metadata);
  Sql("other.db",
      "CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
      "previous_metadata_location);"
      "INSERT INTO iceberg_tables VALUES ('py', 'a', 't', 'file://" +
          metadata + "/1.metadata.json', NULL)");
  ASSERT_EQ(Run({"principals", "add", "me", "--file", "other.db"}).code, 0);
  Program server(directory_, {"serve", "--port", "0", "--file", "other.db", "--auth"});
  ASSERT_NE(server.Port(), 0);
  EXPECT_EQ(server.Stop(), 0);
  EXPECT_THAT(server.Out(), HasSubstr("warehouse file://" + (directory_ / "lake") + "\n"));
}

// -- gc -----------------------------------------------------------------------------------------

class Gc : public CareTest {
 protected:
  void SetUp() override {
    MakeTables("berglite.db", 2);
    const Json table = JsonOut({"show", "a.t0"});
    location_ = table["metadata"]["location"].get<std::string>().substr(7);
    Plant("old.parquet", std::chrono::hours(24 * 5));
    Plant("day.parquet", std::chrono::hours(30));
    Plant("young.parquet", std::chrono::hours(1));
  }
  void Plant(const std::string& name, std::chrono::hours age) const {
    const fs::path path = fs::path(location_) / "data" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(2048, 'x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - age - std::chrono::minutes(1));
  }
  bool Has(const std::string& name) const { return fs::exists(location_ + "/data/" + name); }

  std::string location_;
};

TEST_F(Gc, ShowsWhatItWouldRemove) {
  EXPECT_THAT(Run({"gc"}).out,
              ContainsRegex("^SIZE     AGE  FILE\n2.0 KiB  5d   file:///[^\n]*data/old.parquet\n"
                            "Looked through 2 tables: 1 orphan file, 2.0 KiB; --delete removes "
                            "them\n$"));
  EXPECT_TRUE(Has("old.parquet"));
}

TEST_F(Gc, RemovesWithDelete) {
  const Json json = JsonOut({"gc", "a", "--delete", "--older-than", "1d"});
  EXPECT_EQ(json["tables"], 2);
  EXPECT_EQ(json["removed-files"], 2);
  EXPECT_EQ(json["removed-bytes"], 4096);
  EXPECT_EQ(json["orphans"].size(), 2U);
  EXPECT_EQ(json["orphans"][0]["removed"], true);
  EXPECT_FALSE(Has("old.parquet"));
  EXPECT_FALSE(Has("day.parquet"));
  EXPECT_TRUE(Has("young.parquet"));
  EXPECT_THAT(Run({"gc", "--delete"}).out,
              "Looked through 2 tables: 0 orphan files, 0 B; removed 0, 0 B\n");
  EXPECT_EQ(Run({"check"}).code, 0);
}

TEST_F(Gc, TakesOneTableAndAnyAgeThatIsAskedFor) {
  EXPECT_EQ(JsonOut({"gc", "a.t1", "--older-than", "24h"})["found-files"], 0);
  EXPECT_EQ(JsonOut({"gc", "a.t0", "--older-than", "24h"})["found-files"], 2);
  ExpectRefused({"gc", "--older-than", "90m", "--delete"}, 1,
                "Expected --older-than 24h or more, found 90m");
  EXPECT_EQ(JsonOut({"gc", "--older-than", "30m", "--allow-recent"})["found-files"], 3);
  for (const char* age : {"", "3", "d", "3w", "-1d", "3d ", "1d2h", "9999999999d"}) {
    ExpectRefused({"gc", "--older-than", age}, 2, "Expected an age such as 3d");
  }
  ExpectRefused({"gc", "b"}, 1, "Namespace does not exist: b");
  ExpectRefused({"gc", "a.b"}, 1, "There is no table or namespace a.b");
  EXPECT_TRUE(Has("old.parquet"));
}

TEST_F(Gc, RemovesNothingWhereATableCannotBeRead) {
  const std::string metadata =
      JsonOut({"show", "a.t1"})["metadata-location"].get<std::string>().substr(7);
  std::ofstream(metadata) << "{";
  ExpectRefused({"gc", "a.t0", "--delete"}, 3, metadata);
  EXPECT_TRUE(Has("old.parquet"));
}

// -- relocate -----------------------------------------------------------------------------------

class RelocateCommand : public CareTest {
 protected:
  void SetUp() override {
    MakeTables("berglite.db", 2);
    fs::rename(old_, new_);
  }
  Arguments Relocate(const Arguments& more = {}) const {
    return With({"relocate", old_, new_}, more);
  }

  const std::string old_ = directory_ / "warehouse";
  const std::string new_ = directory_ / "moved";
};

TEST_F(RelocateCommand, ShowsWhatItWouldDoAndDoesItWithApply) {
  const std::string before = Bytes("berglite.db");
  EXPECT_EQ(Run(Relocate()).out,
            "KIND   NAME  REWRITTEN  STATE\n"
            "table  a.t0  0 files    can be relocated\n"
            "table  a.t1  0 files    can be relocated\n"
            "2 can be relocated, 0 cannot; --apply does it\n");
  EXPECT_EQ(Bytes("berglite.db"), before);
  EXPECT_EQ(Run({"check"}).code, 1);
  const Ended applied = Run(Relocate({"--apply"}));
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_THAT(applied.out, HasSubstr("table  a.t1  0 files    relocated\n"
                                     "Relocated 2, 0 left as they were\n"));
  EXPECT_THAT(JsonOut({"show", "a.t0"})["metadata"]["location"].get<std::string>(),
              HasSubstr(new_));
  EXPECT_EQ(Run({"check"}).code, 0);
  EXPECT_FALSE(fs::exists(old_));
  EXPECT_EQ(Run(Relocate({"--apply"})).out, "Nothing in the catalog is in " + old_ + "\n");
}

TEST_F(RelocateCommand, TellsWhatStaysAsItWas) {
  const std::string lost = new_ + "/a/t1/metadata";
  fs::remove_all(lost);
  const Ended applied = Run(Relocate({"--apply"}));
  EXPECT_EQ(applied.code, 1);
  EXPECT_THAT(applied.out, AllOf(HasSubstr("a.t0  0 files    relocated\n"),
                                 ContainsRegex("a.t1  0 files    stays: Failed to open[^\n]+moved"),
                                 HasSubstr("Relocated 1, 1 left as they were\n")));
  const Ended json = Run(Relocate({"--json"}));
  EXPECT_EQ(json.code, 1);
  const Json report = Json::parse(json.out, nullptr, false);
  EXPECT_EQ(report["applied"], false);
  ASSERT_EQ(report["items"].size(), 1U);
  EXPECT_EQ(report["items"][0]["kind"], "table");
  EXPECT_EQ(report["items"][0]["name"], "t1");
  EXPECT_THAT(report["items"][0]["obstacle"].get<std::string>(), HasSubstr(lost));
}

TEST_F(RelocateCommand, WantsTwoPlacesOfWhichTheSecondIsThere) {
  ExpectRefused({"relocate", old_}, 2, "NEW");
  ExpectRefused(
      {"relocate", old_, directory_ / "nowhere"}, 1,
      "Expected the directory where the files of " + old_ + " are now, found nothing at ");
  ExpectRefused({"relocate", new_, new_}, 1, "twice");
}

// -- import and export --------------------------------------------------------------------------

TEST_F(CareTest, ImportInADryRunTellsWhatWouldBeRefused) {
  MakeTables("from.db", 2);
  const Json table = JsonOut({"show", "a.t1", "--file", "from.db"});
  const std::string metadata = table["metadata-location"].get<std::string>().substr(7);
  fs::create_directory(directory_ / "to");
  const Arguments dry = {"import", "--from", "from.db", "--file", "to/lake.db", "--dry-run"};
  const Ended outside = Run(dry);
  EXPECT_EQ(outside.code, 1);
  EXPECT_THAT(outside.out,
              AllOf(ContainsRegex("table +a.t0 +failed +Location [^\n]+ is outside of the allowed"),
                    HasSubstr("1 would move, 2 failed\n")));
  EXPECT_EQ(Run(With(dry, {"--allow-location", directory_ / "warehouse"})).code, 0);
  fs::remove(metadata);
  const Ended unreadable = Run(With(dry, {"--allow-location", directory_ / "warehouse"}));
  EXPECT_EQ(unreadable.code, 1);
  EXPECT_THAT(unreadable.out, ContainsRegex("table +a.t1 +failed[^\n]+00000-"));
  EXPECT_THAT(Names("to"), IsEmpty());
}

TEST_F(CareTest, ImportRemovesItsCopyWhenItIsInterrupted) {
  MakeTables("from.db", 1);
  fs::create_directory(directory_ / "tmp");
  // The target is locked, so the import waits.
  MakeTables("to.db", 0);
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((directory_ / "to.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  Program import(
      directory_,
      {"import", "--from", "from.db", "--file", "to.db", "--allow-location", directory_.path()},
      {"TMPDIR=" + directory_ / "tmp"});
  while (Names("tmp").empty()) std::this_thread::yield();
  import.Send(SIGINT);
  EXPECT_EQ(import.Wait(), -SIGINT);
  EXPECT_THAT(Names("tmp"), IsEmpty());
  sqlite3_close(handle);
}

// The target dies in the middle, comes back, and gets the rest.
TEST_F(CareTest, ExportGoesOnWhereADeadTargetEndedIt) {
  constexpr int kTables = 60;
  MakeTables("from.db", kTables);
  fs::create_directory(directory_ / "to");
  const Arguments serve = {
      "serve", "--port", "0", "--file", "to/lake.db", "--allow-location", directory_.path()};
  const auto export_to = [&](int port) {
    return Arguments{
        "export", "--file", "from.db", "--to", "http://127.0.0.1:" + std::to_string(port),
        "--json"};
  };
  {
    Program target(directory_, serve);
    const int port = target.Port();
    Program exporting(directory_, export_to(port));
    RawClient client(port);
    std::string list;
    while (list.find("\"t2") == std::string::npos)
      list = client.Ask(Get("/v1/namespaces/a/tables")).body;
    target.Send(SIGKILL);
    EXPECT_EQ(target.Wait(), -SIGKILL);
    const Json outcomes = Json::parse(exporting.Out())["outcomes"];
    EXPECT_EQ(exporting.Wait(), 1);
    EXPECT_EQ(outcomes.size(), kTables + 1U);
    EXPECT_EQ(outcomes.back()["outcome"], "failed");
  }
  Program target(directory_, serve);
  const Ended rest = Run(export_to(target.Port()));
  EXPECT_EQ(rest.code, 0) << rest.out;
  const Ended again = Run(export_to(target.Port()));
  EXPECT_EQ(again.code, 0);
  for (const Json& outcome : Json::parse(again.out)["outcomes"]) {
    EXPECT_EQ(outcome["outcome"], "present") << outcome;
  }
  EXPECT_EQ(target.Stop(), 0);
  const std::string there = Run({"ls", "a", "--file", "to/lake.db"}).out;
  EXPECT_EQ(std::count(there.begin(), there.end(), '\n'), kTables);
  EXPECT_EQ(there, Run({"ls", "a", "--file", "from.db"}).out);
}

// -- functions ----------------------------------------------------------------------------------

TEST_F(CareTest, AFunctionInTheRootIsRefusedByItsPlace) {
  MakeTables("berglite.db", 0);
  ExpectRefused({"functions", "register", "a.f", "/none.json"}, 1,
                "Location file:/// is outside of the allowed locations");
  ExpectRefused({"functions", "register", "a.f", "/none.json", "--allow-location", "/"}, 1,
                "Failed to open input stream for file: file:///none.json");
}

}  // namespace
}  // namespace berglite
