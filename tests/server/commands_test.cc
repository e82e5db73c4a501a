// The commands of the program that work on a catalog file, from outside, beside a running server.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
using ::berglite::testing::Post;
using ::berglite::testing::Program;
using ::berglite::testing::RawClient;
using ::berglite::testing::RunToEnd;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

using Json = nlohmann::json;

// A catalog file with a table a.t of one snapshot, a view a.v and a namespace a.b, which a server
// serves throughout.
class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& request :
         {CreateNamespace("a"),
          Post("/v1/namespaces", R"({"namespace":["a","b"],"properties":{"owner":"me\u001b[2J"}})"),
          Post("/v1/namespaces/a/tables", kTable), Post("/v1/namespaces/a/tables/t", kCommit),
          Post("/v1/namespaces/a/views", kView)}) {
      ASSERT_EQ(client_.Ask(request).status, 200) << request;
    }
  }

  Ended Run(const Arguments& arguments) const { return RunToEnd(directory_, arguments); }
  // What it printed; it must end well.
  std::string Out(const Arguments& arguments) const {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, 0) << ::testing::PrintToString(arguments) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.out;
  }
  Json JsonOut(Arguments arguments) const {
    arguments.emplace_back("--json");
    const std::string out = Out(arguments);
    EXPECT_EQ(out.find('\n'), out.size() - 1);
    return Json::parse(out, nullptr, false);
  }
  void ExpectRefused(const Arguments& arguments, int code, const std::string& message) const {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, code) << ::testing::PrintToString(arguments);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr(message)));
  }

  const TempDir directory_;
  Program server_{directory_, {"serve", "--port", "0"}};
  RawClient client_{server_.Port()};

 private:
  static constexpr const char* kTable = R"({"name":"t","schema":{"type":"struct",
    "identifier-field-ids":[1],"fields":[
      {"id":1,"name":"id","type":"long","required":true,"doc":"the key"},
      {"id":2,"name":"tags","required":false,"type":{"type":"map","key-id":3,"key":"string",
       "value-id":4,"value-required":false,"value":{"type":"list","element-id":5,
       "element-required":false,"element":"int"}}}]},
    "partition-spec":{"spec-id":0,"fields":[
      {"source-id":1,"field-id":1000,"name":"part","transform":"bucket[4]"}]},
    "write-order":{"order-id":1,"fields":[
      {"source-id":1,"transform":"identity","direction":"desc","null-order":"nulls-last"}]},
    "properties":{"color":"blue\u001b[31m"}})";
  static constexpr const char* kCommit = R"({"requirements":[],"updates":[
    {"action":"add-snapshot","snapshot":{"snapshot-id":4711,"sequence-number":1,
     "timestamp-ms":4102444800000,"manifest-list":"file:///nowhere/snap.avro","schema-id":0,
     "summary":{"operation":"append","total-records":"12","total-data-files":"3",
      "total-files-size":"2048"}}},
    {"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":4711}]})";
  static constexpr const char* kView = R"({"name":"v","schema":{"type":"struct","schema-id":0,
    "fields":[{"id":1,"name":"n","type":"int","required":false}]},
    "view-version":{"version-id":1,"timestamp-ms":1700000000000,"schema-id":0,"summary":{},
     "default-namespace":["a"],"representations":[
      {"type":"sql","dialect":"duckdb","sql":"SELECT 1 AS n\nFROM \u001bx"}]},
    "properties":{}})";
};

// -- ls -----------------------------------------------------------------------------------------

TEST_F(Commands, LsListsNamesThatOtherCommandsTake) {
  ASSERT_EQ(client_.Ask(CreateNamespace("x.y")).status, 200);
  EXPECT_EQ(Out({"ls"}), "a\n\"x.y\"\n");
  EXPECT_EQ(Out({"ls", "\"x.y\""}), "");
  EXPECT_EQ(Out({"ls", "a"}), "a.b\na.t\na.v\n");
  EXPECT_EQ(Out({"ls", "-r"}), "a\na.b\na.t\na.v\n\"x.y\"\n");
  EXPECT_EQ(JsonOut({"ls", "a"}), Json::parse(R"({"entries":[{"type":"namespace","name":["a","b"]},
              {"type":"table","name":["a","t"]},{"type":"view","name":["a","v"]}]})"));
}

TEST_F(Commands, LsInLongFormTellsOfTables) {
  const std::string list = Out({"ls", "-l", "a"});
  EXPECT_THAT(list, ContainsRegex("^TYPE +NAME +FORMAT +RECORDS +SIZE +UPDATED +LOCATION\n"));
  EXPECT_THAT(list, ContainsRegex("\nnamespace +a.b\n"));
  EXPECT_THAT(list,
              ContainsRegex("\ntable +a.t +v2 +12 +2.0 KiB +2100-01-01T00:00:00.000Z +file:"));
  EXPECT_THAT(list, ContainsRegex("\nview +a.v +v1 +- +- +20[0-9T:.-]+Z +file:"));
}

TEST_F(Commands, LsShowsOtherTablesWhereOneIsUnreadable) {
  const std::string location = JsonOut({"show", "a.t"})["metadata-location"];
  std::filesystem::remove(location.substr(7));
  const Ended ended = Run({"ls", "-l", "a"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, ContainsRegex("\ntable +a.t +unreadable\nview +a.v +v1"));
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr(location)));
}

TEST(CommandsOnAFile, LeaveNothingBeside) {
  const TempDir directory;
  EXPECT_EQ(RunToEnd(directory, {"principals", "add", "me", "--file", "lake.db"}).code, 0);
  EXPECT_EQ(RunToEnd(directory, {"ls", "--file", "lake.db"}).code, 0);
  EXPECT_EQ(RunToEnd(directory, {"check", "--file", "lake.db"}).code, 0);
  EXPECT_EQ(RunToEnd(directory, {"warehouses", "list", "--file", "lake.db"}).code, 0);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("lake.db"));
}

// -- show and history ---------------------------------------------------------------------------

TEST_F(Commands, ShowDescribesATable) {
  const std::string text = Out({"show", "a.t"});
  for (const char* part :
       {"Table: +a.t\nFormat version: +2\nUUID: +[0-9a-f-]+\nLocation: +file:///",
        "\nCurrent snapshot: +4711\n",
        "\nSchema 0:\n  1  id    long +required, identifier  the key\n"
        "  2  tags  map<string, list<int>>  optional\n",
        "\nPartition spec 0:\n  bucket.4..id.  as part\n",
        "\nSort order 1:\n  id  desc nulls-last\n", "\n  total-records +12\n",
        "\n  4711  -       2100-01-01T00:00:00.000Z  append     12       3      2.0 KiB\n",
        "\nReferences:\n  main  branch  4711\n", "\n  color +blue.u001B.31m\n"}) {
    EXPECT_THAT(text, ContainsRegex(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1B")));
  const Json json = JsonOut({"show", "a.t"});
  EXPECT_EQ(json["metadata"]["properties"]["color"], "blue\x1B[31m");
  EXPECT_THAT(json["metadata-location"].get<std::string>(), StartsWith("file:///"));
}

TEST_F(Commands, ShowDescribesViewsAndNamespaces) {
  const std::string view = Out({"show", "a.v"});
  EXPECT_THAT(view, ContainsRegex("^View: +a.v\n"));
  EXPECT_THAT(view, HasSubstr("\nSQL (duckdb):\n  SELECT 1 AS n\n  FROM \\u001Bx\n"));
  EXPECT_EQ(JsonOut({"show", "a.v"})["metadata"]["current-version-id"], 1);
  EXPECT_THAT(Out({"show", "a.b"}), AllOf(StartsWith("Namespace:  a.b\nProperties:\n"),
                                          HasSubstr("\n  owner     me\\u001B[2J\n")));
  EXPECT_EQ(JsonOut({"show", "a.b"})["namespace"], Json({"a", "b"}));
}

TEST_F(Commands, HistoryShowsBothLogs) {
  EXPECT_THAT(Out({"history", "a.t"}),
              MatchesRegex("Snapshots:\n.*\n"
                           "  2100-01-01T00:00:00.000Z  4711      append     12\n"
                           "Metadata files:\n.*\n"
                           "  2[^\n]*/00000-[^\n]*\n  2100[^\n]*/00001-[^\n]*\n"));
  const Json json = JsonOut({"history", "a.t"});
  EXPECT_EQ(json["snapshot-log"].size(), 1U);
  EXPECT_EQ(json["metadata-log"].size(), 1U);
  EXPECT_THAT(Out({"history", "a.v"}), MatchesRegex("Versions:\n[^\n]+\n  20[0-9T:.-]+Z  1\n"));
  EXPECT_EQ(JsonOut({"history", "a.v"})["version-log"].size(), 1U);
}

TEST_F(Commands, SayWhatIsNotThere) {
  ExpectRefused({"ls", "nope"}, 1, "Namespace does not exist: nope");
  ExpectRefused({"show", "nope"}, 1, "There is no table, view or namespace nope");
  ExpectRefused({"show", "a.nope"}, 1, "There is no table, view or namespace a.nope");
  ExpectRefused({"history", "a.nope"}, 1, "There is no table or view a.nope");
  ExpectRefused({"show", "a..t"}, 2, "found 'a..t'");
  ExpectRefused({"show"}, 2, "NAME is required");
  ExpectRefused({"show", "a", "b"}, 2, "not expected: b");
  ExpectRefused({"show", "a", "--of", "b"}, 2, "not expected: --of b");
  ExpectRefused({"list", "a"}, 2, "Expected a command, found 'list'");
  ExpectRefused({"warehouses", "frob"}, 2,
                "Expected a command of berglite warehouses (list, add), found 'frob'");
  ExpectRefused({"warehouses"}, 2, "Expected a command of berglite warehouses (list, add) (");
  ExpectRefused({"export"}, 2, "--to is required");
  ExpectRefused({"export", "--to", "nonsense"}, 2, "https://; found 'nonsense'");
  ExpectRefused({"import", "--from", "ftp://x"}, 2, "the path of a file; found 'ftp://x'");
  ExpectRefused({"import", "--from", "none.db"}, 3, "There is no catalog file none.db; --from");
  ExpectRefused({"history", "a"}, 2, "a namespace and a name");
  ExpectRefused({"ls", "--file", "none.db"}, 3, "There is no catalog file none.db");
  std::ofstream(directory_ / "text.db") << std::string(5000, 'x');
  ExpectRefused({"ls", "--file", "text.db"}, 3, "text.db");
}

// -- Changes ------------------------------------------------------------------------------------

TEST_F(Commands, NamespacesAreChangedForTheServerToo) {
  EXPECT_EQ(Out({"namespaces", "create", "c.d", "k=v", "e="}), "");
  EXPECT_EQ(Out({"namespaces", "list"}), "a\na.b\nc\nc.d\n");
  EXPECT_EQ(Out({"namespaces", "list", "c"}), "c.d\n");
  EXPECT_EQ(JsonOut({"namespaces", "set", "c.d", "k=w=x", "l=m"}),
            Json::parse(R"({"updated":["k","l"],"removed":[],"missing":[]})"));
  EXPECT_EQ(JsonOut({"namespaces", "unset", "c.d", "l", "z"}),
            Json::parse(R"({"updated":[],"removed":["l"],"missing":["z"]})"));
  EXPECT_THAT(client_.Ask(Get("/v1/namespaces/c%1Fd")).body,
              AllOf(HasSubstr(R"("k":"w=x")"), HasSubstr(R"("e":"")"), Not(HasSubstr("\"l\""))));
  ExpectRefused({"namespaces", "create", "c.d"}, 1, "Namespace already exists: c.d");
  ExpectRefused({"namespaces", "drop", "c"}, 1, "c");
  EXPECT_EQ(Out({"namespaces", "drop", "c.d"}), "");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/c%1Fd")).status, 404);
  ExpectRefused({"namespaces", "drop", "c.d"}, 1, "Namespace does not exist: c.d");
  ExpectRefused({"namespaces", "create", "x", "novalue"}, 2, "found 'novalue'");
  ExpectRefused({"namespaces", "set", "c"}, 2, "PROPERTY is required");
  ExpectRefused({"namespaces"}, 2, "(list, create, drop, set, unset)");
}

TEST_F(Commands, ATableMovesToAnotherNameAndBack) {
  EXPECT_EQ(Out({"rename", "a.t", "a.b.u"}), "");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a%1Fb/tables/u")).status, 200);
  const std::string location = Out({"unregister", "a.b.u"});
  EXPECT_THAT(location, MatchesRegex("file:///[^\n]*[.]metadata[.]json\n"));
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a%1Fb/tables/u")).status, 404);
  const std::string path = location.substr(7, location.size() - 8);
  EXPECT_EQ(Out({"register", "a.t", path}), "");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a/tables/t")).status, 200);
  ExpectRefused({"register", "a.t", path}, 1, "Table already exists: a.t");
  EXPECT_EQ(JsonOut({"register", "a.t", path, "--overwrite"})["metadata-location"],
            "file://" + path);
  ExpectRefused({"register", "a.x", "/none/x.metadata.json"}, 1, "file:///none is outside");
  ExpectRefused({"register", "a.x", path + "x"}, 1, path + "x");
  ExpectRefused({"unregister", "a.nope"}, 1, "Table does not exist: a.nope");
  ExpectRefused({"rename", "a.nope", "a.x"}, 1, "There is no table or view a.nope");
  ExpectRefused({"rename", "a.t", "a.v"}, 1, "already exists");
  ExpectRefused({"rename", "a.t"}, 2, "TO is required");
}

TEST_F(Commands, ViewsAreRenamedDroppedAndRegistered) {
  const std::string location = JsonOut({"show", "a.v"})["metadata-location"];
  EXPECT_EQ(JsonOut({"rename", "a.v", "a.w"}),
            Json::parse(R"({"renamed":{"source":{"namespace":["a"],"name":"v"},
                                       "destination":{"namespace":["a"],"name":"w"}}})"));
  EXPECT_EQ(JsonOut({"drop", "a.w"}), Json::parse(R"({"dropped":{"namespace":["a"],"name":"w"}})"));
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a/views/w")).status, 404);
  EXPECT_EQ(Out({"register", "--view", "a.v", location}), "");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a/views/v")).status, 200);
  ExpectRefused({"drop", "a.w"}, 1, "There is no table or view a.w");
}

TEST_F(Commands, DropLeavesTheFilesOfATable) {
  const std::string location = JsonOut({"show", "a.t"})["metadata-location"];
  EXPECT_EQ(Out({"drop", "a.t"}), "");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a/tables/t")).status, 404);
  EXPECT_TRUE(std::filesystem::exists(location.substr(7)));
}

TEST_F(Commands, DropWithPurgeRemovesTheFilesOfATable) {
  ASSERT_EQ(client_.Ask(CreateTable("a", "p")).status, 200);
  const std::string location = JsonOut({"show", "a.p"})["metadata"]["location"];
  ExpectRefused({"drop", "a.p", "--purge", "--warehouse", "elsewhere"}, 1,
                "outside of the allowed locations");
  EXPECT_EQ(client_.Ask(Get("/v1/namespaces/a/tables/p")).status, 200);
  ExpectRefused({"drop", "a.v", "--purge"}, 1, "There is no table a.v to purge");
  // The table of the fixture has a manifest list that is not there: nobody knows what it needs.
  EXPECT_EQ(Run({"drop", "a.t"}).code, 0);
  const Json json = JsonOut({"drop", "a.p", "--purge"});
  EXPECT_EQ(json["dropped"]["name"], "p");
  EXPECT_EQ(json["purge"], Json::parse(R"({"files-removed":1,"files-kept":0,"files-refused":0})"));
  EXPECT_FALSE(std::filesystem::exists(location.substr(7)));
}

// -- check and backup ---------------------------------------------------------------------------

TEST_F(Commands, CheckFindsWhatIsMissing) {
  EXPECT_EQ(Out({"check", "a.v"}), "Checked 0 tables and 1 view: 0 problems, 0 notes\n");
  const std::string location = JsonOut({"show", "a.v"})["metadata-location"];
  std::filesystem::remove(location.substr(7));
  const Ended ended = Run({"check"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out,
              AllOf(ContainsRegex("problem  manifest-list-missing  a.t  1 of its 1 [^\n]*\n"),
                    ContainsRegex("problem  metadata-missing       a.v  [^\n]*" + location + "\n"),
                    HasSubstr("\nChecked 1 table and 1 view: 2 problems, 0 notes\n")));
  const Ended json = Run({"check", "a", "--json"});
  EXPECT_EQ(json.code, 1);
  const Json report = Json::parse(json.out);
  EXPECT_EQ(report["tables"], 1);
  EXPECT_EQ(report["findings"][1]["code"], "metadata-missing");
  EXPECT_EQ(report["findings"][1]["name"], Json({"a", "v"}));
  EXPECT_EQ(report["findings"][1]["severity"], "problem");
  EXPECT_EQ(report["findings"][1]["repaired"], false);
  EXPECT_EQ(Out({"check", "a.b", "--repair"}),
            "Checked 0 tables and 0 views: 0 problems, 0 notes\n");
  ExpectRefused({"check", "nope"}, 1, "Namespace does not exist: nope");
  ExpectRefused({"check", "a.nope"}, 1, "There is no table, view or namespace a.nope");
  ExpectRefused({"check", "a..b"}, 2, "found 'a..b'");
  ExpectRefused({"check", "--file", "none.db"}, 3, "There is no catalog file none.db");
}

TEST_F(Commands, BackupCopiesTheFileThatIsServed) {
  EXPECT_EQ(Out({"backup", "copy.db"}), "");
  EXPECT_EQ(Out({"ls", "-r", "--file", "copy.db"}), "a\na.b\na.t\na.v\n");
  ExpectRefused({"backup", "copy.db"}, 1, "copy.db: it exists");
  ExpectRefused({"backup", "berglite.db"}, 1, "berglite.db: it exists");
  ExpectRefused({"backup", "none/copy.db"}, 1, "its folder does not exist");
  ExpectRefused({"backup"}, 2, "FILE is required");
  const Json json = JsonOut({"backup", "second.db"});
  EXPECT_EQ(json["file"], directory_ / "second.db");
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(directory_ / "second.db"));
}

// Goal: a backup of a file that a server commits to is whole, and nothing it points to is missing.
// Method: clients create tables until some backups have been made; each is checked.
TEST_F(Commands, BackupUnderLoadIsSound) {
  std::atomic<bool> is_done = false;
  std::vector<std::thread> clients;
  const int port = server_.Port();
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      RawClient client(port);
      for (int number = 0; !is_done; ++number) {
        const std::string name = "t" + std::to_string(i) + "_" + std::to_string(number);
        EXPECT_EQ(client.Ask(CreateTable("a%1Fb", name)).status, 200);
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    const std::string copy = "copy" + std::to_string(i) + ".db";
    EXPECT_EQ(Run({"backup", copy}).code, 0);
    const Ended checked = Run({"check", "a.b", "--file", copy, "--json"});
    EXPECT_EQ(checked.code, 0) << checked.out;
    const Ended whole = Run({"check", "--file", copy});
    EXPECT_THAT(whole.out, Not(HasSubstr("damaged-file")));
  }
  is_done = true;
  for (std::thread& client : clients) client.join();
}

// -- JSON of the other commands -----------------------------------------------------------------

// Metadata that another program has written on several lines, with what a terminal would obey.
TEST_F(Commands, PrintAnyMetadataAsOneSafeLineOfJson) {
  const std::string location = JsonOut({"show", "a.t"})["metadata-location"];
  std::ifstream file(location.substr(7));
  Json metadata = Json::parse(file);
  metadata["properties"]["color"] = "\xC2\x9B\xE2\x80\xAE\x7F";
  const std::string other = location.substr(7, location.rfind('/') - 6) + "x.metadata.json";
  std::ofstream(other) << metadata.dump(2);
  EXPECT_EQ(Out({"register", "a.x", other}), "");
  const std::string out = Out({"show", "a.x", "--json"});
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  EXPECT_THAT(out, HasSubstr("\"\\u009B\\u202E\\u007F\""));
  EXPECT_EQ(Json::parse(out)["metadata"], metadata);
}

TEST_F(Commands, AllSpeakJson) {
  EXPECT_EQ(JsonOut({"metrics", "a.t"}), Json::parse(R"({"reports":[]})"));
  EXPECT_EQ(JsonOut({"functions", "list", "a"})["identifiers"], Json::array());
  EXPECT_EQ(JsonOut({"warehouses", "add", "lab"})["name"], "lab");
  EXPECT_EQ(JsonOut({"warehouses", "list"})["warehouses"].size(), 2U);
  EXPECT_EQ(JsonOut({"principals", "list"}), Json::parse(R"({"principals":[]})"));
  const Ended added = Run({"principals", "add", "spark", "--json"});
  EXPECT_THAT(Json::parse(added.out)["secret"].get<std::string>(), StartsWith("spark."));
  EXPECT_EQ(JsonOut({"principals", "list"})["principals"][0]["access"], "read-write");
  EXPECT_EQ(JsonOut({"principals", "remove", "spark"}), Json::parse(R"({"removed":"spark"})"));
}

TEST(CommandsHelp, TellsExitCodesAndOptions) {
  const std::string help = RunToEnd({"--help"}).out;
  EXPECT_THAT(help, AllOf(HasSubstr("Exit codes:"), HasSubstr(R"("a.b".orders)"),
                          HasSubstr("\nLook at a catalog:\n  ls ")));
  for (const char* name : {"FILE", "WAREHOUSE", "ALLOW_LOCATION", "CATALOG_NAME"}) {
    EXPECT_THAT(RunToEnd({"show", "--help"}).out, HasSubstr(std::string("Env:BERGLITE_") + name));
  }
}

}  // namespace
}  // namespace berglite
