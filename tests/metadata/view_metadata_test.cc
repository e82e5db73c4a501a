#include "lib/metadata/view_metadata.h"

#include <string>

#include <gmock/gmock.h>

#include "lib/metadata/metadata_file.h"
#include "lib/metadata/requirement.h"
#include "tests/metadata/views.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<ViewMetadata> Create(const Json& request) {
  FakeEnvironment environment;
  return NewViewMetadata(request, "file:///w/ns/v/", environment);
}

Result<ViewMetadata> Parse(const Json& json) {
  return ViewMetadata::Parse(DocumentAccess::FromDom(json));
}

TEST(NewViewMetadata, IsVersionOneWithSchemaZeroMadeNow) {
  Json request = ViewRequest();
  request["view-version"]["version-id"] = 9;
  request["view-version"]["schema-id"] = 4;
  auto view = Create(request);
  ASSERT_THAT(view, IsOk());
  const Json& json = view->json();
  EXPECT_EQ(json["format-version"], 1);
  EXPECT_EQ(json["location"], "file:///w/ns/v");
  EXPECT_EQ(json["current-version-id"], 1);
  ASSERT_EQ(json["versions"].size(), 1u);
  EXPECT_EQ(json["versions"][0]["version-id"], 1);
  EXPECT_EQ(json["versions"][0]["schema-id"], 0);
  EXPECT_EQ(json["versions"][0]["timestamp-ms"], FakeEnvironment().NowMs());
  EXPECT_EQ(json["versions"][0]["summary"], Json({{"engine", "test"}}));
  EXPECT_EQ(json["version-log"],
            Json::array({{{"version-id", 1}, {"timestamp-ms", FakeEnvironment().NowMs()}}}));
  ASSERT_EQ(json["schemas"].size(), 1u);
  EXPECT_EQ(json["schemas"][0]["schema-id"], 0);
  EXPECT_EQ(json["schemas"][0]["fields"][0]["id"], 3);
  EXPECT_EQ(view->Property("owner"), "ada");
  EXPECT_EQ(view->uuid().size(), 36u);
}

TEST(NewViewMetadata, NeedsNoProperties) {
  Json request = ViewRequest();
  request.erase("properties");
  auto view = Create(request);
  ASSERT_THAT(view, IsOk());
  EXPECT_FALSE(view->json().contains("properties"));
}

TEST(NewViewMetadata, DropsWhatIsNull) {
  Json request = ViewRequest();
  request["view-version"]["default-catalog"] = nullptr;
  request["schema"]["identifier-field-ids"] = nullptr;
  request["schema"]["fields"][0]["doc"] = nullptr;
  auto view = Create(request);
  ASSERT_THAT(view, IsOk());
  EXPECT_THAT(view->json().dump(), ::testing::Not(HasSubstr("null")));
}

TEST(NewViewMetadata, RefusesWhatIsNoView) {
  struct Case {
    const char* pointer;
    Json value;
    const char* message;
  };
  for (const Case& c :
       {Case{"/view-version/representations", Json::array(),
             "Cannot create view without specifying a query"},
        Case{"/view-version/representations/0/type", "java",
             "Invalid view version: expected representations of type sql, found java"},
        Case{"/view-version/representations/0/sql", nullptr, "Cannot parse missing field: sql"},
        Case{"/view-version/default-namespace", nullptr,
             "Cannot parse missing field: default-namespace"},
        Case{"/view-version", nullptr, "Cannot parse missing field: view-version"},
        Case{"/schema", nullptr, "Cannot parse missing field: schema"}}) {
    Json request = ViewRequest();
    request[Json::json_pointer(c.pointer)] = c.value;
    EXPECT_THAT(Create(request), IsError(ErrorKind::kInvalidArgument, c.message)) << c.pointer;
  }
  Json request = ViewRequest();
  request["properties"] = {{"version.history.num-entries", "0"}};
  EXPECT_THAT(Create(request), IsError(ErrorKind::kValidation,
                                       "version.history.num-entries must be positive but was 0"));
}

TEST(NewViewMetadata, RefusesTwoQueriesForADialect) {
  Json request = ViewRequest();
  request["view-version"]["representations"] =
      Json::array({Query("select 1", "trino"), Query("select 2", "spark"), Query("x", "TRINO")});
  EXPECT_THAT(Create(request),
              IsError(ErrorKind::kInvalidArgument,
                      "Invalid view version: Cannot add multiple queries for dialect trino"));
}

TEST(ViewMetadata, KeepsWhatItDoesNotKnow) {
  Json json = ViewJson();
  json["x"] = {1, 2};
  json["versions"][0]["representations"].push_back({{"type", "plan"}, {"y", 1}});
  ASSERT_THAT(Parse(json), IsOk());
  EXPECT_EQ(Parse(json)->json(), json);
}

TEST(ViewMetadata, NamesWhatIsWrong) {
  struct Case {
    const char* pointer;
    Json value;
    const char* message;
  };
  for (const Case& c :
       {Case{"/format-version", 2, "Unsupported format version: 2"},
        Case{"/view-uuid", nullptr, "Cannot parse missing field: view-uuid"},
        Case{"/location", "", "Invalid location: empty"},
        Case{"/current-version-id", 5, "Cannot find current version 5 in view versions"},
        Case{"/versions", Json::array(), "Cannot find current version 1 in view versions"},
        Case{"/versions/0/schema-id", 3,
             "Invalid view metadata: Cannot find schema 3 of current version 1"},
        Case{"/versions/1", ViewJson()["versions"][0],
             "Invalid view metadata: two versions of id 1"},
        Case{"/versions/0/timestamp-ms", nullptr, "Cannot parse missing field: timestamp-ms"},
        Case{"/version-log", nullptr, "Cannot parse missing field: version-log"},
        Case{"/version-log/0/version-id", nullptr, "Cannot parse missing field: version-id"},
        Case{"/schemas", nullptr, "Cannot parse missing field: schemas"}}) {
    Json json = ViewJson();
    json[Json::json_pointer(c.pointer)] = c.value;
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, c.message)) << c.pointer;
  }
  EXPECT_THAT(Parse(Json::array()), IsError(ErrorKind::kValidation, HasSubstr("an array")));
  Json json = ViewJson();
  json["properties"] = {{"a", 1}};
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr("properties")));
}

TEST(ViewRequirements, CompareUuidsInAnyCase) {
  Json json = ViewJson();
  json["view-uuid"] = "9c12d441-03fe-4693-9a96-a0705ddf69c1";
  auto check = [&](const Json& requirement) {
    return CheckViewRequirements(Json::array({requirement}), View(json));
  };
  EXPECT_THAT(
      check({{"type", "Assert-View-UUID"}, {"uuid", "9C12D441-03fe-4693-9a96-a0705ddf69c1"}}),
      IsOk());
  EXPECT_THAT(check({{"type", "assert-view-uuid"}, {"uuid", "other"}}),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: view UUID does not match: expected "
                      "9c12d441-03fe-4693-9a96-a0705ddf69c1 != other"));
  EXPECT_THAT(check({{"type", "assert-table-uuid"}, {"uuid", "other"}}),
              IsError(ErrorKind::kValidation, "Cannot validate assert-table-uuid against a view"));
  EXPECT_THAT(check({{"type", "assert-dialect"}}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("assert-dialect")));
}

TEST(NewMetadataLocation, OfAViewIsGzipUnlessItSaysOtherwise) {
  FakeEnvironment environment;
  auto location = [&](const Json& properties, const char* previous) {
    Json json = ViewJson();
    json["properties"] = properties;
    return NewMetadataLocation(View(json), previous, environment);
  };
  EXPECT_THAT(location(Json::object(), ""), StartsWith("file:///w/ns/v/metadata/00000-"));
  EXPECT_THAT(location(Json::object(), ""), EndsWith(".gz.metadata.json"));
  EXPECT_THAT(location({{"write.metadata.compression-codec", "none"}}, ""), Not(HasSubstr(".gz.")));
  EXPECT_THAT(location({{"write.metadata.path", "file:///m/"}}, "x/00003-u.gz.metadata.json"),
              StartsWith("file:///m/00004-"));
}

}  // namespace
}  // namespace berglite::metadata
