// The environment of the REST fixtures, row by row.
#include "shim/cli/fixture_environment.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::cli {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// What the environment makes of the default options; a failure is one of the test.
ServeOptions Take(const Variables& environment, const std::set<Setting>& settled = {}) {
  ServeOptions options;
  EXPECT_THAT(TakeFixtureEnvironment(environment, settled, options), IsOk())
      << ::testing::PrintToString(environment);
  return options;
}

Status Try(const Variables& environment, const std::set<Setting>& settled = {}) {
  ServeOptions options;
  return TakeFixtureEnvironment(environment, settled, options);
}

MATCHER_P(IsRefused, message_matcher, "is refused") {
  return ::testing::ExplainMatchResult(IsError(ErrorKind::kInvalidArgument, message_matcher), arg,
                                       result_listener);
}

TEST(FixtureEnvironment, LeavesTheDefaultsWhereItIsEmpty) {
  const ServeOptions options = Take({{"PATH", "/bin"}, {"BERGLITE_FILE", "x"}, {"CATALOG", "x"}});
  EXPECT_EQ(options.file, "berglite.db");
  EXPECT_EQ(options.warehouse, "");
  EXPECT_EQ(options.port, 8181);
  EXPECT_THAT(options.notes, IsEmpty());
}

// -- CATALOG_URI --------------------------------------------------------------------------------

struct UriCase {
  const char* uri;
  const char* file;
  std::vector<std::string> notes = {};
};

class Uri : public ::testing::TestWithParam<UriCase> {};

TEST_P(Uri, NamesTheFile) {
  const ServeOptions options = Take({{"CATALOG_URI", GetParam().uri}});
  EXPECT_EQ(options.file, GetParam().file);
  EXPECT_EQ(options.notes, GetParam().notes);
}

INSTANTIATE_TEST_SUITE_P(
    FixtureEnvironment, Uri,
    ::testing::Values(
        UriCase{"jdbc:sqlite:/tmp/iceberg_catalog.db", "/tmp/iceberg_catalog.db"},
        UriCase{"jdbc:sqlite:catalog.db", "catalog.db"},
        UriCase{"jdbc:sqlite:/tmp/c.db?journal_mode=WAL", "/tmp/c.db"},
        UriCase{"jdbc:sqlite:/tmp/c.db?journal_mode=wal&synchronous=FULL&busy_timeout=5000"
                "&journal_size_limit=1&cache=shared&mode=rwc",
                "/tmp/c.db"},
        UriCase{"jdbc:sqlite:/tmp/c.db?journal_mode=DELETE&synchronous=OFF&x",
                "/tmp/c.db",
                {"CATALOG_URI asks for journal_mode, which has no effect",
                 "CATALOG_URI asks for synchronous, which has no effect",
                 "CATALOG_URI asks for x, which has no effect"}},
        UriCase{"jdbc:sqlite:file:/tmp/iceberg_rest_mode=memory",
                "/tmp/iceberg_rest_mode=memory",
                {"CATALOG_URI is the file /tmp/iceberg_rest_mode=memory, as it is to SQLite; "
                 "jdbc:sqlite::memory: is in memory"}},
        UriCase{"jdbc:sqlite:file:///tmp/a%20b.db", "/tmp/a b.db"},
        UriCase{"jdbc:sqlite:file://localhost/tmp/a%2.db", "/tmp/a%2.db"},
        UriCase{"jdbc:sqlite::memory:", ":memory:"}, UriCase{"jdbc:sqlite:", ":memory:"},
        UriCase{"jdbc:sqlite:file::memory:?cache=shared", ":memory:"},
        UriCase{"jdbc:sqlite:file:any?mode=memory&cache=shared", ":memory:"}));

TEST(FixtureEnvironment, RefusesAnotherDatabaseAndKeepsItsPassword) {
  for (const auto& [uri, head] :
       Variables{{"jdbc:postgresql://me:secret@db/catalog", "jdbc:postgresql:"},
                 {"jdbc:mysql://db/catalog?password=secret", "jdbc:mysql:"},
                 {"postgresql://me:secret@db", "postgresql:"},
                 {"/tmp/secret.db", "something else"}}) {
    EXPECT_THAT(Try({{"CATALOG_URI", uri}}),
                IsRefused(AllOf(StartsWith("CATALOG_URI: expected jdbc:sqlite:"),
                                HasSubstr("found " + head), Not(HasSubstr("secret")))));
  }
}

TEST(FixtureEnvironment, RefusesWhatNoFileCanBe) {
  EXPECT_THAT(Try({{"CATALOG_URI", "jdbc:sqlite::resource:a.db"}}),
              IsRefused(HasSubstr(":resource:")));
  EXPECT_THAT(Try({{"CATALOG_URI", "jdbc:sqlite:a.db?mode=ro"}}), IsRefused(HasSubstr("mode=ro")));
}

// -- Classes ------------------------------------------------------------------------------------

TEST(FixtureEnvironment, AcceptsTheCatalogsOfTheFixtures) {
  const ServeOptions jdbc = Take({{"CATALOG_CATALOG__IMPL", "org.apache.iceberg.jdbc.JdbcCatalog"},
                                  {"CATALOG_URI", "jdbc:sqlite:a.db"}});
  EXPECT_EQ(jdbc.file, "a.db");
  EXPECT_THAT(jdbc.notes, IsEmpty());
  const ServeOptions memory =
      Take({{"CATALOG_CATALOG__IMPL", "org.apache.iceberg.inmemory.InMemoryCatalog"},
            {"CATALOG_URI", "jdbc:sqlite:a.db"}});
  EXPECT_EQ(memory.file, ":memory:");
  EXPECT_THAT(memory.notes, IsEmpty());
}

TEST(FixtureEnvironment, RefusesAnotherCatalog) {
  EXPECT_THAT(Try({{"CATALOG_CATALOG__IMPL", "org.apache.iceberg.hive.HiveCatalog"}}),
              IsRefused("CATALOG_CATALOG__IMPL: expected JdbcCatalog or InMemoryCatalog, found "
                        "org.apache.iceberg.hive.HiveCatalog"));
}

TEST(FixtureEnvironment, AcceptsStorageThatReachesLocalFiles) {
  for (const char* name :
       {"org.apache.iceberg.hadoop.HadoopFileIO", "org.apache.iceberg.io.ResolvingFileIO"}) {
    EXPECT_THAT(Take({{"CATALOG_IO__IMPL", name}}).notes, IsEmpty());
  }
}

TEST(FixtureEnvironment, RefusesStorageThatDoesNot) {
  constexpr const char* kS3 = "org.apache.iceberg.aws.s3.S3FileIO";
  EXPECT_THAT(Try({{"CATALOG_IO__IMPL", kS3}}),
              IsRefused(StartsWith("CATALOG_IO__IMPL: S3FileIO cannot reach the warehouse")));
  EXPECT_THAT(Try({{"CATALOG_IO__IMPL", "org.apache.iceberg.gcp.gcs.GCSFileIO"}}),
              IsRefused(HasSubstr("found org.apache.iceberg.gcp.gcs.GCSFileIO")));
  // Whether a warehouse in S3 can be is not for the environment to say.
  EXPECT_EQ(Take({{"CATALOG_IO__IMPL", kS3}, {"CATALOG_WAREHOUSE", "s3://bucket/"}}).warehouse,
            "s3://bucket/");
}

// -- Values that are taken ----------------------------------------------------------------------

TEST(FixtureEnvironment, NamesTheWarehouse) {
  EXPECT_EQ(Take({{"CATALOG_WAREHOUSE", "file:///tmp/iceberg_warehouse"}}).warehouse,
            "file:///tmp/iceberg_warehouse");
}

TEST(FixtureEnvironment, NamesTheCatalog) {
  EXPECT_EQ(Take({{"CATALOG_CATALOG_NAME", "mycat"}}).catalog_name, "mycat");
}

TEST(FixtureEnvironment, DoesNotTakeANameThatTheFixtureIgnores) {
  const ServeOptions options = Take({{"CATALOG_NAME", "mycat"}});
  EXPECT_EQ(options.catalog_name, "");
  EXPECT_THAT(options.notes, ElementsAre(HasSubstr("CATALOG_CATALOG_NAME")));
}

TEST(FixtureEnvironment, TakesThePortFromBothVariables) {
  EXPECT_EQ(Take({{"REST_PORT", "9000"}}).port, 9000);
  EXPECT_EQ(Take({{"CATALOG_REST_PORT", "9001"}}).port, 9001);
  EXPECT_EQ(Take({{"CATALOG_REST_PORT", "9001"}, {"REST_PORT", "9000"}}).port, 9001);
  EXPECT_EQ(Take({{"REST_PORT", "0"}}).port, 0);
  EXPECT_EQ(Take({{"REST_PORT", "65535"}}).port, 65535);
  for (const char* bad : {"65536", "-1", "81x", "x", " 1"}) {
    EXPECT_THAT(Try({{"REST_PORT", bad}}),
                IsRefused(AllOf(StartsWith("REST_PORT: "), HasSubstr(bad))));
    EXPECT_THAT(Try({{"CATALOG_REST_PORT", bad}}), IsRefused(StartsWith("CATALOG_REST_PORT: ")));
  }
}

TEST(FixtureEnvironment, DoesNotTakeWhatKubernetesCallsRestPort) {
  const ServeOptions options = Take({{"REST_PORT", "tcp://10.0.0.1:8181"}});
  EXPECT_EQ(options.port, 8181);
  EXPECT_THAT(options.notes, IsEmpty());
}

TEST(FixtureEnvironment, TakesTheLogLevel) {
  EXPECT_EQ(Take({{"LOG_LEVEL", "WARN"}}).log_level, "warn");
  EXPECT_EQ(Take({{"LOG_LEVEL", "trace"}, {"LOG_CONFIG_DIR", "/etc"}}).log_level, "debug");
  const ServeOptions options = Take({{"LOG_LEVEL", "loud"}});
  EXPECT_EQ(options.log_level, "info");
  EXPECT_THAT(options.notes, ElementsAre(StartsWith("LOG_LEVEL has no effect")));
}

TEST(FixtureEnvironment, GivesPropertiesToNewTablesAndViews) {
  const ServeOptions options = Take({{"CATALOG_TABLE__DEFAULT_DEFAULT__KEY1", "Value"},
                                     {"CATALOG_TABLE__OVERRIDE_OVERRIDE__KEY3", "o"},
                                     {"CATALOG_VIEW__DEFAULT_A_B", "v"},
                                     {"CATALOG_VIEW__OVERRIDE_c", "w"}});
  EXPECT_THAT(options.table_properties.defaults, ElementsAre(Pair("default-key1", "Value")));
  EXPECT_THAT(options.table_properties.overrides, ElementsAre(Pair("override-key3", "o")));
  EXPECT_THAT(options.view_properties.defaults, ElementsAre(Pair("a.b", "v")));
  EXPECT_THAT(options.view_properties.overrides, ElementsAre(Pair("c", "w")));
  EXPECT_THAT(options.notes, IsEmpty());
}

// -- Values without effect ----------------------------------------------------------------------

TEST(FixtureEnvironment, IgnoresTheUserOfADatabase) {
  EXPECT_THAT(Take({{"CATALOG_JDBC_USER", "user"}, {"CATALOG_JDBC_PASSWORD", "password"}}).notes,
              IsEmpty());
}

TEST(FixtureEnvironment, IsAlwaysStrict) {
  EXPECT_THAT(Take({{"CATALOG_JDBC_STRICT__MODE", "true"}}).notes, IsEmpty());
  EXPECT_THAT(Take({{"CATALOG_JDBC_STRICT__MODE", "false"}}).notes,
              ElementsAre(StartsWith("CATALOG_JDBC_STRICT__MODE has no effect")));
}

TEST(FixtureEnvironment, HasOneSchemaVersion) {
  EXPECT_THAT(Take({{"CATALOG_JDBC_SCHEMA__VERSION", "V1"}}).notes, IsEmpty());
  EXPECT_THAT(Take({{"CATALOG_JDBC_SCHEMA__VERSION", "V0"}}).notes,
              ElementsAre(StartsWith("CATALOG_JDBC_SCHEMA__VERSION has no effect")));
}

TEST(FixtureEnvironment, GivesNoCredentials) {
  EXPECT_THAT(Take({{"CATALOG_INCLUDE__CREDENTIALS", "false"}}).notes, IsEmpty());
  EXPECT_THAT(Take({{"CATALOG_INCLUDE__CREDENTIALS", "true"}}).notes,
              ElementsAre(StartsWith("CATALOG_INCLUDE__CREDENTIALS has no effect")));
}

TEST(FixtureEnvironment, NotesSettingsOfObjectStoresWithoutTheirValues) {
  const ServeOptions options = Take({{"AWS_ACCESS_KEY_ID", "secret"},
                                     {"AWS_SECRET_ACCESS_KEY", "secret"},
                                     {"AWS_REGION", "us-east-1"},
                                     {"CATALOG_S3_ENDPOINT", "http://minio:9000"},
                                     {"CATALOG_S3_SECRET__ACCESS__KEY", "secret"}});
  EXPECT_THAT(options.notes, ElementsAre("CATALOG_S3_ENDPOINT has no effect",
                                         "CATALOG_S3_SECRET__ACCESS__KEY has no effect"));
}

TEST(FixtureEnvironment, NotesWhatItDoesNotKnow) {
  EXPECT_THAT(
      Take({{"CATALOG_CLIENTS", "4"}, {"CATALOG_TABLE__DEFAULT_", "x"}}).notes,
      ElementsAre("CATALOG_CLIENTS has no effect", "CATALOG_TABLE__DEFAULT_ has no effect"));
}

// -- Which one counts ---------------------------------------------------------------------------

TEST(FixtureEnvironment, DoesNotReadWhatIsSettled) {
  const Variables wrong = {{"CATALOG_URI", "jdbc:postgresql://db"},
                           {"CATALOG_CATALOG__IMPL", "HiveCatalog"},
                           {"CATALOG_WAREHOUSE", "s3://bucket"},
                           {"CATALOG_IO__IMPL", "GCSFileIO"},
                           {"CATALOG_CATALOG_NAME", "a"},
                           {"CATALOG_REST_PORT", "x"},
                           {"REST_PORT", "x"},
                           {"LOG_LEVEL", "loud"}};
  const ServeOptions options =
      Take(wrong, {Setting::kFile, Setting::kWarehouse, Setting::kCatalogName, Setting::kPort,
                   Setting::kLogLevel});
  EXPECT_EQ(options.file, "berglite.db");
  EXPECT_EQ(options.warehouse, "");
  EXPECT_EQ(options.catalog_name, "");
  EXPECT_EQ(options.port, 8181);
  EXPECT_EQ(options.log_level, "info");
  EXPECT_THAT(options.notes, IsEmpty());
}

TEST(FixtureEnvironment, RefusesTwoVariablesForOneProperty) {
  EXPECT_THAT(Try({{"CATALOG_WAREHOUSE", "/a"}, {"CATALOG_warehouse", "/b"}}),
              IsRefused(AllOf(HasSubstr("CATALOG_WAREHOUSE"), HasSubstr("CATALOG_warehouse"))));
}

TEST(FixtureEnvironment, TakesAnEmptyVariableForNone) {
  const ServeOptions options = Take({{"CATALOG_URI", ""},
                                     {"CATALOG_WAREHOUSE", ""},
                                     {"CATALOG_CATALOG__IMPL", ""},
                                     {"CATALOG_IO__IMPL", ""},
                                     {"REST_PORT", ""},
                                     {"LOG_LEVEL", ""}});
  EXPECT_EQ(options.file, "berglite.db");
  EXPECT_EQ(options.port, 8181);
  EXPECT_THAT(options.notes, IsEmpty());
}

}  // namespace
}  // namespace berglite::cli
