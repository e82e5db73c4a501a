// The program `berglite` in the place of the REST fixtures: their environment, probes, health
// checks, and runs that keep nothing. Black box, as program_test.cc.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/program.h"
#include "tests/server/raw_client.h"

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
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string UriOf(int port) { return "http://127.0.0.1:" + std::to_string(port); }

Ended Healthcheck(const Arguments& options, const Arguments& environment = {}) {
  Arguments arguments = {"healthcheck"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunToEnd(arguments, environment);
}

// -- The environment of the fixtures ------------------------------------------------------------

TEST(Dropin, UnderstandsTheEnvironmentOfTheFixtures) {
  const TempDir directory;
  Program program(
      directory, {"serve"},
      {"CATALOG_CATALOG__IMPL=org.apache.iceberg.jdbc.JdbcCatalog",
       "CATALOG_URI=jdbc:sqlite:" + (directory / "iceberg_catalog.db") + "?journal_mode=WAL",
       "CATALOG_WAREHOUSE=file://" + (directory / "iceberg_warehouse"),
       "CATALOG_IO__IMPL=org.apache.iceberg.hadoop.HadoopFileIO", "CATALOG_JDBC_USER=user",
       "CATALOG_JDBC_PASSWORD=password", "CATALOG_JDBC_STRICT__MODE=true",
       "CATALOG_CATALOG_NAME=rest_backend", "REST_PORT=0", "LOG_LEVEL=debug"});
  RawClient client(program.Port());
  EXPECT_THAT(client.Ask(Get("/v1/config?warehouse=default")).body, HasSubstr("\"endpoints\""));
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  EXPECT_THAT(client.Ask(CreateTable("a", "t")).body,
              HasSubstr("\"file://" + (directory / "iceberg_warehouse/a/t") + "\""));
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_THAT(program.Out(), AllOf(HasSubstr(directory / "iceberg_catalog.db"),
                                   HasSubstr("file://" + (directory / "iceberg_warehouse"))));
  EXPECT_TRUE(fs::exists(directory / "iceberg_catalog.db"));
  EXPECT_FALSE(fs::exists(directory / "berglite.db"));
  EXPECT_THAT(program.Err(),
              AllOf(HasSubstr("debug: GET /v1/config"), Not(HasSubstr("berglite:"))));
}

TEST(Dropin, TakesFlagsThenItsOwnVariablesThenThoseOfTheFixtures) {
  const TempDir directory;
  const Arguments environment = {"CATALOG_URI=jdbc:sqlite:fixture.db", "BERGLITE_FILE=own.db",
                                 "CATALOG_WAREHOUSE=" + (directory / "fixture"), "REST_PORT=0"};
  Program own(directory, {"serve"}, environment);
  own.Port();
  EXPECT_EQ(own.Stop(), 0);
  EXPECT_THAT(own.Out(), AllOf(HasSubstr("/own.db"), HasSubstr("/fixture")));
  Program flag(directory, {"serve", "--file", "flag.db", "--warehouse", "flagged"}, environment);
  flag.Port();
  EXPECT_EQ(flag.Stop(), 0);
  EXPECT_THAT(flag.Out(), AllOf(HasSubstr("/flag.db"), HasSubstr("/flagged")));
  EXPECT_FALSE(fs::exists(directory / "fixture.db"));
}

TEST(Dropin, TellsOfCatalogsThatItsNameHides) {
  const TempDir directory;
  Program first(directory, {"serve", "--port", "0", "--catalog-name", "rest_backend"});
  EXPECT_EQ(RawClient(first.Port()).Ask(CreateNamespace("a")).status, 200);
  EXPECT_EQ(first.Stop(), 0);
  Program program(directory, {"serve", "--port", "0"}, {"CATALOG_CATALOG_NAME=mine"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/namespaces/a")).status, 404);
  EXPECT_EQ(client.Ask(Get("/v1/rest_backend/namespaces/a")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_THAT(program.Out(), HasSubstr("\nclients that name no warehouse get mine; there are also "
                                       "rest_backend\n"));
}

TEST(Dropin, RefusesAnEnvironmentThatItCannotServeInOneLine) {
  for (const char* variable :
       {"CATALOG_URI=jdbc:postgresql://db/x", "CATALOG_CATALOG__IMPL=org.apache.HiveCatalog",
        "CATALOG_IO__IMPL=org.apache.iceberg.aws.s3.S3FileIO", "REST_PORT=http"}) {
    const Ended ended = RunToEnd({"serve"}, {variable});
    EXPECT_EQ(ended.code, 2) << variable;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, IsOneErrorLine());
  }
}

TEST(Dropin, SaysWhichWarehouseItCannotServe) {
  const Ended ended = RunToEnd({"serve"}, {"CATALOG_WAREHOUSE=s3://warehouse/", "REST_PORT=0"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("s3://warehouse/")));
}

TEST(Dropin, NotesWhatHasNoEffectAndServes) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"},
                  {"CATALOG_NAME=x", "CATALOG_S3_SECRET__ACCESS__KEY=hush"});
  EXPECT_EQ(RawClient(program.Port()).Ask(Get("/v1/config")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_EQ(program.Err(),
            "berglite: CATALOG_NAME has no effect; CATALOG_CATALOG_NAME chooses the catalog of the "
            "file\nberglite: CATALOG_S3_SECRET__ACCESS__KEY has no effect\n");
}

TEST(Dropin, KeepsACatalogInMemoryThatAllConnectionsShare) {
  const TempDir directory;
  Program program(directory, {"serve"},
                  {"CATALOG_URI=jdbc:sqlite:file::memory:?cache=shared", "REST_PORT=0"});
  const int port = program.Port();
  EXPECT_EQ(RawClient(port).Ask(CreateNamespace("a")).status, 200);
  EXPECT_EQ(RawClient(port).Ask(Get("/v1/namespaces/a")).status, 200);
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_FALSE(fs::exists(directory / ":memory:"));
  EXPECT_FALSE(fs::exists(directory / "berglite.db"));
}

TEST(Dropin, GivesTheOperatorsPropertiesToNewTables) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"},
                  {"CATALOG_TABLE__DEFAULT_KEY1=default", "CATALOG_TABLE__OVERRIDE_KEY3=forced"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
  const RawReply reply = client.Ask(
      Post("/v1/namespaces/a/tables",
           R"({"name":"t","schema":{"type":"struct","fields":[]},"properties":{"key3":"asked"}})"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, AllOf(HasSubstr(R"("key1":"default")"), HasSubstr(R"("key3":"forced")")));
}

// Services of a container network call each other by names of one label.
TEST(Dropin, AnswersUnderTheNameOfAServiceWhereItListensEverywhere) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"}, {"BERGLITE_HOST=0.0.0.0"});
  RawClient client(program.Port());
  for (const char* host : {"rest:8181", "iceberg-rest:8181", "0.0.0.0:8181", "192.0.2.7:8181"}) {
    EXPECT_EQ(client.Ask(Get("/v1/config", host)).status, 200) << host;
  }
  EXPECT_EQ(client.Ask(Get("/v1/config", "evil.example:8181")).status, 403);
}

// -- Probes -------------------------------------------------------------------------------------

TEST(Dropin, AnswersProbesWithoutCredentialsAndUnderAnyName) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0", "--auth"}, {"BERGLITE_TOKEN=t"});
  RawClient client(program.Port());
  EXPECT_EQ(client.Ask(Get("/v1/config")).status, 401);
  EXPECT_EQ(client.Ask(Get("/healthz", "any.example")).body, R"({"status":"ok"})");
  EXPECT_EQ(client.Ask(Get("/readyz", "any.example")).body, R"({"status":"ready"})");
  EXPECT_THAT(fs::directory_iterator(directory / "warehouse"), fs::directory_iterator());
}

TEST(Dropin, IsNotReadyWhereItsWarehouseIsGone) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const int port = program.Port();
  fs::remove_all(directory / "warehouse");
  std::ofstream(directory / "warehouse") << "a file where the directory was";
  RawClient client(port);
  const RawReply reply = client.Ask(Get("/readyz"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, AllOf(HasSubstr("ServiceUnavailableException"),
                                Not(HasSubstr(directory.path().string()))));
  EXPECT_EQ(client.Ask(Get("/healthz")).status, 200);
  const Ended ended = Healthcheck({"--url", UriOf(port)});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("503")));
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_THAT(program.Err(), HasSubstr(directory / "warehouse"));
}

// -- healthcheck --------------------------------------------------------------------------------

TEST(Healthcheck, TellsByItsExitCode) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const int port = program.Port();
  const std::string uri = UriOf(port);
  for (const std::string& url : {uri, uri + "/v1/config", uri + "/healthz"}) {
    const Ended ended = Healthcheck({"--url", url});
    EXPECT_EQ(ended.code, 0) << url;
    EXPECT_EQ(ended.out + ended.err, "");
  }
  EXPECT_EQ(program.Stop(), 0);
  const Ended ended = Healthcheck({"--url", uri});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr(uri)));
}

TEST(Healthcheck, AsksTheServerOfItsEnvironment) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"}, {"BERGLITE_HOST=0.0.0.0"});
  const std::string port = std::to_string(program.Port());
  EXPECT_EQ(Healthcheck({}, {"BERGLITE_PORT=" + port, "REST_PORT=1"}).code, 0);
  EXPECT_EQ(Healthcheck({}, {"REST_PORT=" + port, "BERGLITE_HOST=0.0.0.0"}).code, 0);
  EXPECT_EQ(Healthcheck({}, {"CATALOG_REST_PORT=" + port, "BERGLITE_HOST=localhost"}).code, 0);
  EXPECT_EQ(Healthcheck({}, {"REST_PORT=x"}).code, 2);
}

// -- Runs that keep nothing ---------------------------------------------------------------------

TEST(Ephemeral, StartsEmptyAndLeavesNothing) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TempDir directory;
    fs::create_directory(directory / "tmp");
    Program program(directory, {"serve", "--port", "0", "--ephemeral"},
                    {"TMPDIR=" + (directory / "tmp"), "CATALOG_URI=jdbc:sqlite:fixture.db",
                     "CATALOG_WAREHOUSE=s3://bucket"});
    RawClient client(program.Port());
    EXPECT_EQ(client.Ask(CreateNamespace("a")).status, 200);
    EXPECT_THAT(client.Ask(CreateTable("a", "t")).body,
                HasSubstr("file://" + (directory / "tmp/berglite-")));
    program.Send(signal);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_THAT(program.Err(), IsEmpty());
    EXPECT_TRUE(fs::is_empty(directory / "tmp"));
    EXPECT_FALSE(fs::exists(directory / "fixture.db"));
    EXPECT_FALSE(fs::exists(directory / "berglite.db"));
  }
}

TEST(Ephemeral, LeavesNothingWhereItCannotStart) {
  const TempDir directory;
  fs::create_directory(directory / "tmp");
  Program program(directory, {"serve", "--ephemeral", "--host", "192.0.2.1"},
                  {"TMPDIR=" + (directory / "tmp")});
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_TRUE(fs::is_empty(directory / "tmp"));
}

TEST(Ephemeral, LeavesOneDirectoryWhereItIsKilled) {
  const TempDir directory;
  fs::create_directory(directory / "tmp");
  Program program(directory, {"serve", "--port", "0"},
                  {"TMPDIR=" + (directory / "tmp"), "BERGLITE_EPHEMERAL=true"});
  program.Port();
  program.Send(SIGKILL);
  EXPECT_EQ(program.Wait(), -SIGKILL);
  const auto begin = fs::directory_iterator(directory / "tmp");
  EXPECT_EQ(std::distance(begin, fs::directory_iterator()), 1);
  EXPECT_THAT(fs::directory_iterator(directory / "tmp")->path().filename().string(),
              StartsWith("berglite-"));
}

TEST(Ephemeral, RefusesToKeepSomething) {
  for (const Arguments& arguments : {Arguments{"serve", "--ephemeral", "--file", "a.db"},
                                     {"serve", "--ephemeral", "--warehouse", "a"}}) {
    const Ended ended = RunToEnd(arguments);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("--ephemeral")));
  }
  EXPECT_EQ(RunToEnd({"serve", "--ephemeral"}, {"BERGLITE_FILE=a.db"}).code, 2);
}

TEST(Ephemeral, CanBeSwitchedOffByItsVariable) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0", "--file", "a.db"},
                  {"BERGLITE_EPHEMERAL=false"});
  program.Port();
  EXPECT_EQ(program.Stop(), 0);
  EXPECT_TRUE(fs::exists(directory / "a.db"));
}

TEST(Ephemeral, SaysWhereItCannotMakeADirectory) {
  const Ended ended = RunToEnd({"serve", "--ephemeral"}, {"TMPDIR=/no/such/directory"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, AllOf(IsOneErrorLine(), HasSubstr("TMPDIR")));
}

}  // namespace
}  // namespace berglite
