// The program `berglite` from outside: its command line, what it prints, HTTP, signals and its
// file. Knows nothing of the code.
#include "tests/server/program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

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
using ::berglite::testing::RawReply;
using ::berglite::testing::RunToEnd;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// -- Command line -------------------------------------------------------------------------------

TEST(Program, TellsItsVersion) {
  const Ended ended = RunToEnd({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "berglite 0.1.0\n");
}

TEST(Program, HelpsANewcomer) {
  for (const Arguments& arguments : {Arguments{}, Arguments{"--help"}}) {
    const Ended ended = RunToEnd(arguments);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, AllOf(HasSubstr("berglite serve --file lake.db"),
                                 HasSubstr("load_catalog(\"berglite\"")));
  }
  const std::string options = RunToEnd({"serve", "--help"}).out;
  for (const char* name : {"FILE", "WAREHOUSE", "ALLOW_LOCATION", "CATALOG_NAME", "HOST", "PORT",
                           "ALLOW_HOST", "WORKERS", "LOG_LEVEL", "AUTH", "TOKEN"}) {
    EXPECT_THAT(options, HasSubstr(std::string("Env:BERGLITE_") + name));
  }
}

TEST(Program, RefusesAWrongCommandLineInOneLine) {
  for (const Arguments& arguments : {Arguments{"sing"},
                                     {"serve", "--prot", "1"},
                                     {"serve", "--port", "abc"},
                                     {"serve", "--port", "65536"},
                                     {"serve", "--workers", "0"},
                                     {"serve", "--log-level", "loud"},
                                     {"serve", "--file"},
                                     {"serve", "extra"}}) {
    const Ended ended = RunToEnd(arguments);
    EXPECT_EQ(ended.code, 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, IsOneErrorLine());
  }
  EXPECT_EQ(RunToEnd({"serve"}, {"BERGLITE_PORT=no"}).code, 2);
}

TEST(Program, TakesOptionsFromTheEnvironmentAndFlagsFirst) {
  const TempDir directory;
  Program program(directory, {"serve", "--file", "flag.db"},
                  {"BERGLITE_FILE=variable.db", "BERGLITE_PORT=0", "BERGLITE_WAREHOUSE=lake",
                   "BERGLITE_ALLOW_HOST=one.example,two.example"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/config", "two.example")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_THAT(program.Out(), HasSubstr("file://" + (directory / "lake")));
  EXPECT_TRUE(std::filesystem::exists(directory / "flag.db"));
  EXPECT_FALSE(std::filesystem::exists(directory / "variable.db"));
}

// -- Serving ------------------------------------------------------------------------------------

TEST(Program, SaysHowToConnectAndServes) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const std::string port = std::to_string(program.Port());
  RawClient client(std::stoi(port));
  const RawReply reply = client.Ask(Get("/v1/config"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("\"overrides\""));
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_EQ(program.Out(),
            "berglite 0.1.0 at http://127.0.0.1:" + port + " serves " +
                (directory / "berglite.db") + ", warehouse file://" + (directory / "warehouse") +
                "\nfrom pyiceberg.catalog import load_catalog\n"
                "catalog = load_catalog(\"berglite\", type=\"rest\", uri=\"http://127.0.0.1:" +
                port + "\")\n");
  EXPECT_EQ(program.Err(), "");
}

TEST(Program, EndsWellOnBothSignalsAndLeavesACleanFile) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TempDir directory;
    Program program(directory, {"serve", "--port", "0"});
    RawClient client(program.Port());
    EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
    program.Send(signal);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_TRUE(client.IsClosedByServer());
    EXPECT_TRUE(std::filesystem::exists(directory / "berglite.db"));
    EXPECT_FALSE(std::filesystem::exists(directory / "berglite.db-wal"));
    Program next(directory, {"serve", "--port", "0"});
    EXPECT_EQ(RawClient(next.Port()).Ask(Get("/v1/namespaces/a")).status, 200);
  }
}

// Goal: a stop answers what was sent before it, and nothing else holds it up. Method: another
// program keeps the file locked until the server has closed its port and its idle connections.
TEST(Program, FinishesWhatItAnswersAndTakesNoMoreWhenItIsStopped) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const int port = program.Port();
  RawClient client(port);
  ASSERT_EQ(client.Ask(CreateNamespace("ns")).status, 200);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((directory / "berglite.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  RawClient waiting(port);
  waiting.Send(CreateNamespace("late"));
  RawClient half(port);
  const std::string request = CreateNamespace("half");
  half.Send(request.substr(0, request.size() - 1));
  program.Send(SIGTERM);
  EXPECT_TRUE(client.IsClosedByServer());
  EXPECT_FALSE(RawClient(port).connected());
  EXPECT_THAT(half.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  const RawReply reply = waiting.Read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(RawClient::Header(reply, "Connection"), "close");
  EXPECT_EQ(program.Wait(), 0);
  Program next(directory, {"serve", "--port", "0"});
  RawClient again(next.Port());
  EXPECT_EQ(again.Ask(Get("/v1/namespaces/late")).status, 200);
  EXPECT_EQ(again.Ask(Get("/v1/namespaces/half")).status, 404);
}

// Goal: a stop amid commits loses none that was answered. Method: eight clients create namespaces
// until their connection ends; a second run must know each one that was answered with 200.
TEST(Program, KeepsEveryAnsweredCommitWhenItIsStopped) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const int port = program.Port();
  constexpr size_t kClients = 8;
  std::array<int, kClients> answered{};
  std::atomic<int> total = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      for (bool is_open = true; is_open;) {
        RawClient client(port);
        is_open = client.connected();
        for (bool kept = is_open; kept;) {
          const std::string name = "n" + std::to_string(i) + "_" + std::to_string(answered[i]);
          const std::optional<RawReply> reply =
              client.Send(CreateNamespace(name)) ? client.TryRead() : std::nullopt;
          kept = reply && RawClient::Header(*reply, "Connection") != "close";
          if (!reply || reply->status != 200) continue;
          ++answered[i];
          ++total;
          total.notify_one();
        }
      }
    });
  }
  for (int seen = total; seen < 100; seen = total) total.wait(seen);
  EXPECT_EQ(program.Stop(), 0);
  for (std::thread& thread : threads) thread.join();
  Program next(directory, {"serve", "--port", "0"});
  RawClient client(next.Port());
  for (size_t i = 0; i < kClients; ++i) {
    for (int number = 0; number < answered[i]; ++number) {
      const std::string name = "n" + std::to_string(i) + "_" + std::to_string(number);
      EXPECT_EQ(client.Ask(Get("/v1/namespaces/" + name)).status, 200) << name;
    }
  }
}

TEST(Program, RefusesAPortThatIsTaken) {
  const TempDir directory;
  Program first(directory, {"serve", "--port", "0"});
  const std::string port = std::to_string(first.Port());
  const Ended second = RunToEnd({"serve", "--port", port});
  EXPECT_EQ(second.code, 3);
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(second.err, "berglite: 127.0.0.1:" + port + " is already in use by another program\n");
}

TEST(Program, RefusesAHostThatIsNone) {
  const Ended ended = RunToEnd({"serve", "--host", "192.0.2.1"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("192.0.2.1:8181")));
}

TEST(Program, RefusesAFileThatItCannotServe) {
  const TempDir directory;
  std::ofstream(directory / "text.db") << std::string(10'000, 't');
  for (const std::string& file :
       {std::string("text.db"), std::string("."), std::string("no/such/directory/x.db")}) {
    Program program(directory, {"serve", "--port", "0", "--file", file});
    EXPECT_THAT(program.Err(), AllOf(IsOneErrorLine(), HasSubstr(file))) << file;
    EXPECT_EQ(program.Out(), "");
    EXPECT_EQ(program.Wait(), 3);
  }
  std::string text;
  std::getline(std::ifstream(directory / "text.db"), text);
  EXPECT_EQ(text, std::string(10'000, 't'));
}

TEST(Program, RefusesAFolderThatItMayNotWrite) {
  if (geteuid() == 0) GTEST_SKIP() << "Root may write anywhere";
  const TempDir directory;
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Program program(directory, {"serve", "--port", "0"});
  EXPECT_THAT(program.Err(), IsOneErrorLine());
  EXPECT_EQ(program.Wait(), 3);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

TEST(Program, AnswersOnlyToNamesThatItKnows) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0", "--allow-host", "lake.example"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/config", "Localhost:8181")).status, 200);
  EXPECT_EQ(client.Ask(Get("/v1/config", "LAKE.example")).status, 200);
  EXPECT_THAT(client.Ask(Get("/v1/config", "evil.example")).status,
              ::testing::AnyOf(400, 403, 421));
}

// -- Authentication -----------------------------------------------------------------------------

std::string GetAs(const std::string& target, const std::string& authorization) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + authorization +
         "\r\n\r\n";
}

std::string AskToken(const std::string& form) {
  return "POST /v1/oauth/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
         "application/x-www-form-urlencoded\r\nContent-Length: " +
         std::to_string(form.size()) + "\r\n\r\n" + form;
}

Ended Principals(const TempDir& directory, const Arguments& arguments) {
  Arguments all = {"principals"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return RunToEnd(directory, all);
}

// The secret in what `principals add` or `rotate` printed, which is that line and nothing else.
std::string SecretOf(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out.find('\n'), ended.out.size() - 1);
  return ended.out.substr(0, ended.out.find('\n'));
}

// The value of a member of a flat JSON object.
std::string MemberOf(const std::string& json, const std::string& name) {
  const std::string head = "\"" + name + "\":\"";
  const size_t begin = json.find(head);
  if (begin == std::string::npos) return "(none)";
  const size_t value = begin + head.size();
  return json.substr(value, json.find('"', value) - value);
}

TEST(Program, AnswersToItsPrincipalsAlone) {
  const TempDir directory;
  const std::string secret = SecretOf(Principals(directory, {"add", "spark"}));
  EXPECT_THAT(secret, StartsWith("spark."));
  Program program(directory, {"serve", "--port", "0", "--auth", "--log-level", "debug"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/config")).status, 401);
  const RawReply grant =
      client.Ask(AskToken("grant_type=client_credentials&client_id=spark&client_secret=" + secret));
  EXPECT_EQ(grant.status, 200);
  const std::string token = MemberOf(grant.body, "access_token");
  EXPECT_EQ(client.Ask(GetAs("/v1/config", "Bearer " + token)).status, 200);
  // Told by another process, at once.
  const std::string next = SecretOf(Principals(directory, {"rotate", "spark"}));
  EXPECT_NE(next, secret);
  EXPECT_EQ(client.Ask(GetAs("/v1/config", "Bearer " + token)).status, 401);
  const std::string query = "?grant_type=client_credentials&client_secret=" + next;
  const std::string ask_in_query =
      "POST /v1/oauth/tokens" + query + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(client.Ask(ask_in_query).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  const std::string log = program.Err();
  EXPECT_THAT(log, HasSubstr("POST /v1/oauth/tokens 200"));
  EXPECT_THAT(log, AllOf(Not(HasSubstr(secret)), Not(HasSubstr(next)), Not(HasSubstr(token))));
}

TEST(Program, TakesATokenFromTheEnvironment) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"},
                  {"BERGLITE_AUTH=true", "BERGLITE_TOKEN=ci-token"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/config")).status, 401);
  EXPECT_EQ(client.Ask(GetAs("/v1/config", "Bearer ci-tokem")).status, 401);
  EXPECT_EQ(client.Ask(GetAs("/v1/config", "Bearer ci-token")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
}

TEST(Program, RefusesATokenThatWouldProtectNothing) {
  const Ended open = RunToEnd({"serve", "--port", "0"}, {"BERGLITE_TOKEN=ci-token"});
  EXPECT_EQ(open.code, 2);
  EXPECT_THAT(open.err, AllOf(IsOneErrorLine(), HasSubstr("--auth"), Not(HasSubstr("ci-token"))));
  const Ended bad = RunToEnd({"serve", "--port", "0", "--auth"}, {"BERGLITE_TOKEN=two words"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, AllOf(IsOneErrorLine(), Not(HasSubstr("two words"))));
}

TEST(Program, KeepsPrincipals) {
  const TempDir directory;
  SecretOf(Principals(directory, {"add", "spark", "--file", "a.db"}));
  SecretOf(Principals(directory, {"add", "bi", "--read-only", "--file", "a.db"}));
  constexpr const char* kTime = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z";
  const Ended list = Principals(directory, {"list", "--file", "a.db"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, MatchesRegex(std::string("bi\tread-only\t") + kTime +
                                     "\nspark\tread-write\t" + kTime + "\n"));
  EXPECT_EQ(Principals(directory, {"remove", "bi", "--file", "a.db"}).code, 0);
  EXPECT_THAT(Principals(directory, {"list", "--file", "a.db"}).out, StartsWith("spark\t"));
  EXPECT_EQ(Principals(directory, {"list"}).out, "");
}

TEST(Program, RefusesWrongCommandsAboutPrincipals) {
  const TempDir directory;
  SecretOf(Principals(directory, {"add", "spark"}));
  for (const Arguments& arguments : {Arguments{"add", "spark"},
                                     {"add", "a:b"},
                                     {"remove", "nobody"},
                                     {"rotate", "nobody"},
                                     {"add", "a", "--file", ":memory:"}}) {
    const Ended ended = Principals(directory, arguments);
    EXPECT_EQ(ended.code, 1) << ::testing::PrintToString(arguments);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, IsOneErrorLine());
  }
  const Ended nowhere = Principals(directory, {"add", "a", "--file", "no/such/directory/a.db"});
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_THAT(nowhere.err, IsOneErrorLine());
  for (const Arguments& arguments :
       {Arguments{}, Arguments{"add"}, {"list", "x"}, {"remove", "a", "--read-only"}, {"sing"}}) {
    const Ended ended = Principals(directory, arguments);
    EXPECT_EQ(ended.code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(ended.err, IsOneErrorLine());
  }
}

TEST(Program, WarnsOfAFileThatAnyUserCanRead) {
  namespace fs = std::filesystem;
  const TempDir directory;
  SecretOf(Principals(directory, {"add", "spark"}));
  for (const bool is_open : {true, false}) {
    fs::permissions(directory / "berglite.db", fs::perms::others_read,
                    is_open ? fs::perm_options::add : fs::perm_options::remove);
    Program program(directory, {"serve", "--port", "0", "--auth"});
    RawClient client(program.Port());
    EXPECT_EQ(client.Ask(Get("/v1/config")).status, 401);
    EXPECT_EQ(program.Stop(), 0);
    EXPECT_EQ(program.Err().find("chmod o-rwx") != std::string::npos, is_open);
  }
}

// -- Log ----------------------------------------------------------------------------------------

TEST(Program, LogsEachRequestInOneLineAtDebug) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0", "--log-level", "debug"});
  RawClient client(program.Port());
  client.Ask(CreateNamespace("a"));
  client.Ask(
      Get("/v1/namespaces/a\x1F"
          "b?x"));
  EXPECT_EQ(program.Stop(), 0);
  const std::string log = program.Err();
  EXPECT_THAT(log, ContainsRegex("debug: POST /v1/namespaces 200 [0-9]+ B [0-9.]+ ms "
                                 "createNamespace\n"));
  EXPECT_THAT(log, ContainsRegex("debug: GET /v1/namespaces/a.x1Fb.x 404 .* NoSuchNamespace"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);
  EXPECT_THAT(log, Not(HasSubstr("secret")));
}

TEST(Program, LogsNoRefusalAtInfo) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/namespaces/none")).status, 404);
  EXPECT_EQ(client.Ask("NONSENSE\r\n\r\n").status, 400);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_THAT(program.Err(), IsEmpty());
}

// -- Commands on a file -------------------------------------------------------------------------

TEST(Program, ShowsMetricsReports) {
  const TempDir directory;
  Program server(directory, {"serve", "--port", "0"});
  RawClient client(server.Port());
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  EXPECT_EQ(client.Ask(CreateTable("a", "t")).status, 200);
  EXPECT_EQ(client.Ask(Post("/v1/namespaces/a/tables/t/metrics", R"({"report-type":"x"})")).status,
            204);
  EXPECT_EQ(client.Ask(Post("/v1/namespaces/a/tables/u/metrics", R"({"report-type":"x"})")).status,
            404);
  EXPECT_EQ(server.Stop(), 0);
  Program program(directory, {"metrics", "a.t"});
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_THAT(program.Out(), MatchesRegex("[0-9-]+T[0-9:.]+Z \\{\"report-type\":\"x\"\\}\n"));
}

TEST(Program, RegistersListsAndDropsFunctionsOfAServedFile) {
  const TempDir directory;
  Program server(directory, {"serve", "--port", "0"});
  RawClient client(server.Port());
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  std::ofstream(directory / "warehouse/f.json")
      << R"({"function-uuid":"42fd3f91-bc10-41c1-8a52-92b57dd0a9b2","format-version":1,)"
         R"("definitions":[],"definition-log":[]})";
  Program registers(directory, {"functions", "register", "a.f", "warehouse/f.json"});
  EXPECT_EQ(registers.Wait(), 0) << registers.Err();
  const RawReply loaded = client.Ask(Get("/v1/namespaces/a/functions/f"));
  EXPECT_EQ(loaded.status, 200);
  EXPECT_THAT(loaded.body, HasSubstr("file://" + (directory / "warehouse/f.json")));
  EXPECT_THAT(client.Ask(Get("/v1/namespaces/a/functions")).body,
              HasSubstr(R"("identifiers":[["a","f"]])"));
  Program lists(directory, {"functions", "list", "a"});
  EXPECT_EQ(lists.Wait(), 0);
  EXPECT_EQ(lists.Out(), "a.f\n");
  Program drops(directory, {"functions", "drop", "a.f"});
  EXPECT_EQ(drops.Wait(), 0);
  const RawReply gone = client.Ask(Get("/v1/namespaces/a/functions/f"));
  EXPECT_EQ(gone.status, 404);
  EXPECT_THAT(gone.body, HasSubstr("NoSuchFunctionException"));
}

TEST(Program, ServesWarehousesThatWereAdded) {
  const TempDir directory;
  Program server(directory, {"serve", "--port", "0"});
  RawClient client(server.Port());
  EXPECT_THAT(client.Ask(Get("/v1/config?warehouse=lab")).body, Not(HasSubstr("prefix\":\"")));
  Program adds(directory, {"warehouses", "add", "lab", "--warehouse", "lab-data"});
  EXPECT_EQ(adds.Wait(), 0) << adds.Err();
  Program lists(directory, {"warehouses", "list"});
  EXPECT_EQ(lists.Wait(), 0) << lists.Err();
  EXPECT_EQ(lists.Out(), "default file://" + (directory / "warehouse") + "\nlab file://" +
                             (directory / "lab-data") + "\n");
  EXPECT_THAT(client.Ask(Get("/v1/config?warehouse=lab")).body, HasSubstr("\"prefix\":\"lab\""));
  EXPECT_EQ(client.Ask(Get("/v1/config?warehouse=nope")).status, 404);
  EXPECT_EQ(client.Ask(Post("/v1/lab/namespaces", R"({"namespace":["n"]})")).status, 200);
  EXPECT_EQ(client.Ask(Get("/v1/lab/namespaces/n")).status, 200);
  EXPECT_EQ(client.Ask(Get("/v1/namespaces/n")).status, 404);
  EXPECT_EQ(client.Ask(Get("/v1/default/namespaces/n")).status, 404);
  EXPECT_EQ(server.Stop(), 0);
  // With several in the file, none has to be chosen.
  Program again(directory, {"serve", "--port", "0"});
  RawClient other(again.Port());
  EXPECT_EQ(other.Ask(Get("/v1/lab/namespaces/n")).status, 200);
  EXPECT_EQ(again.Stop(), 0);
}

TEST(Program, SaysWhatACommandOnAFileLacks) {
  const TempDir directory;
  Program none(directory, {"metrics", "a.t"});
  EXPECT_EQ(none.Wait(), 3);
  EXPECT_EQ(none.Err(), "berglite: There is no catalog file berglite.db; --file names another\n");
  EXPECT_FALSE(std::filesystem::exists(directory / "berglite.db"));
  Program short_name(directory, {"metrics", "t"});
  EXPECT_EQ(short_name.Wait(), 2);
  EXPECT_THAT(short_name.Err(), AllOf(IsOneErrorLine(), HasSubstr("found 't'")));
  EXPECT_EQ(RunToEnd({"metrics"}).code, 2);
}

}  // namespace
}  // namespace berglite
