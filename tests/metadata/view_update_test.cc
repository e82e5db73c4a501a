#include "lib/metadata/view_update.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/metadata/views.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> IdsOf(const Json& list) {
  std::vector<int> ids;
  for (const Json& element : list) ids.push_back(element.at("version-id").get<int>());
  return ids;
}

Json AddSchemaUpdate(const Json& schema) { return {{"action", "add-schema"}, {"schema", schema}}; }

// The updates of a client that replaces the query and leaves the schema.
Json Replace(const std::string& sql, int version_id) {
  Json version = Version(sql);
  version["version-id"] = version_id;
  return Json::array({AddVersion(version), SetVersion(-1)});
}

Status ErrorOf(const Json& updates) {
  auto next = TryUpdate(ViewJson(), updates);
  return next ? Status() : Status(next.error());
}

TEST(ViewUpdates, AreTheEightOfTheSpecification) {
  EXPECT_THAT(ViewUpdateActions(),
              ElementsAre("assign-uuid", "upgrade-format-version", "add-schema", "set-location",
                          "set-properties", "remove-properties", "add-view-version",
                          "set-current-view-version"));
}

TEST(ViewUpdates, RefuseOtherActions) {
  EXPECT_THAT(ErrorOf(Json::array({{{"action", "add-spec"}}})),
              IsError(ErrorKind::kInvalidArgument, "Cannot apply update add-spec to a view"));
  EXPECT_THAT(
      ErrorOf(Json::array({{{"action", "Fly"}}})),
      IsError(ErrorKind::kInvalidArgument, "Cannot convert metadata update action to json: Fly"));
}

TEST(ViewUpdates, KnowOneUuidAndOneFormatVersion) {
  Json same = {{"action", "assign-uuid"}, {"uuid", ViewJson()["view-uuid"]}};
  Json version = {{"action", "upgrade-format-version"}, {"format-version", 1}};
  auto unchanged = TryUpdate(ViewJson(), Json::array({same, version}));
  ASSERT_THAT(unchanged, IsOk());
  EXPECT_FALSE(unchanged->has_value());
  EXPECT_THAT(ErrorOf(Json::array({{{"action", "assign-uuid"}, {"uuid", "other"}}})),
              IsError(ErrorKind::kValidation, "Cannot reassign uuid"));
  version["format-version"] = 2;
  EXPECT_THAT(ErrorOf(Json::array({version})),
              IsError(ErrorKind::kValidation, "Unsupported format version: 2"));
  version["format-version"] = 0;
  EXPECT_THAT(ErrorOf(Json::array({version})),
              IsError(ErrorKind::kValidation, "Cannot downgrade v1 view to v0"));
}

TEST(ViewUpdates, SetLocationAndProperties) {
  Json view = Updated(
      ViewJson(), Json::array({{{"action", "set-location"}, {"location", "file:///w/x/"}},
                               SetViewProperty("a", "b"),
                               {{"action", "remove-properties"}, {"removals", {"owner", "no"}}}}));
  EXPECT_EQ(view["location"], "file:///w/x");
  EXPECT_EQ(view["properties"], Json({{"a", "b"}}));
  EXPECT_EQ(view["versions"], ViewJson()["versions"]);
  EXPECT_EQ(view["version-log"], ViewJson()["version-log"]);
  view = Updated(view, Json::array({{{"action", "remove-properties"}, {"removals", {"a"}}}}));
  EXPECT_FALSE(view.contains("properties"));
}

TEST(ViewUpdates, ReplaceTheQuery) {
  Json view = Updated(ViewJson(), Replace("select 2", 2));
  EXPECT_EQ(view["current-version-id"], 2);
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2));
  EXPECT_THAT(IdsOf(view["version-log"]), ElementsAre(1, 2));
  // The version's own time, since it was added just now.
  EXPECT_EQ(view["version-log"][1]["timestamp-ms"], Version("")["timestamp-ms"]);
}

TEST(ViewUpdates, NumberAVersionAnewWhoseIdIsTaken) {
  Json view = Updated(ViewJson(), Replace("select 2", 2));
  view = Updated(view, Replace("select 3", 2));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2, 3));
  EXPECT_EQ(view["current-version-id"], 3);
  view = Updated(view, Replace("select 4", 9));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2, 3, 9));
  EXPECT_EQ(view["current-version-id"], 9);
}

TEST(ViewUpdates, ReuseAVersionThatSaysTheSame) {
  Json view = Updated(ViewJson(), Replace("select 2", 2));
  Json back = Updated(view, Replace("select 1", 3));
  EXPECT_THAT(IdsOf(back["versions"]), ElementsAre(1, 2));
  EXPECT_EQ(back["current-version-id"], 1);
  EXPECT_THAT(IdsOf(back["version-log"]), ElementsAre(1, 2, 1));
  EXPECT_EQ(back["version-log"][2]["timestamp-ms"], FakeEnvironment().NowMs());
  auto same = TryUpdate(view, Replace("select 2", 3));
  ASSERT_THAT(same, IsOk());
  EXPECT_FALSE(same->has_value());
}

TEST(ViewUpdates, TellVersionsApartByAllThatTheySay) {
  const Json others{{"summary", {{"engine", "other"}}},
                    {"default-namespace", {"other"}},
                    {"default-catalog", "other"},
                    {"representations", {Query("select 1"), Query("select 1", "trino")}}};
  for (const auto& [key, value] : others.items()) {
    Json version = Version("select 1");
    version[key] = value;
    Json view = Updated(ViewJson(), Json::array({AddVersion(version)}));
    EXPECT_EQ(view["versions"].size(), 2u) << key;
  }
}

TEST(ViewUpdates, NoteOnlyTheLastOfSeveralCurrentVersions) {
  Json second = Version("select 2");
  Json third = Version("select 3");
  Json view =
      Updated(ViewJson(),
              Json::array({AddVersion(second), SetVersion(-1), AddVersion(third), SetVersion(-1)}));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2, 3));
  EXPECT_THAT(IdsOf(view["version-log"]), ElementsAre(1, 3));
}

TEST(ViewUpdates, ResolveTheLastAddedSchema) {
  Json version = Version("select 2");
  version["schema-id"] = -1;
  Json view = Updated(ViewJson(), Json::array({AddSchemaUpdate(ViewSchema("other")),
                                               AddVersion(version), SetVersion(-1)}));
  EXPECT_EQ(view["schemas"][1]["schema-id"], 1);
  EXPECT_EQ(view["versions"][1]["schema-id"], 1);
  // One that is there already counts as added.
  view = Updated(ViewJson(),
                 Json::array({AddSchemaUpdate(ViewSchema()), AddVersion(version), SetVersion(-1)}));
  EXPECT_EQ(view["schemas"].size(), 1u);
  EXPECT_EQ(view["versions"][1]["schema-id"], 0);
}

TEST(ViewUpdates, RefuseWhatNamesNothing) {
  Json version = Version("select 2");
  version["schema-id"] = -1;
  EXPECT_THAT(
      ErrorOf(Json::array({AddVersion(version)})),
      IsError(ErrorKind::kValidation, "Cannot set last added schema: no schema has been added"));
  version["schema-id"] = 5;
  EXPECT_THAT(ErrorOf(Json::array({AddVersion(version)})),
              IsError(ErrorKind::kValidation, "Cannot add version with unknown schema: 5"));
  EXPECT_THAT(ErrorOf(Json::array({SetVersion(-1)})),
              IsError(ErrorKind::kValidation,
                      "Cannot set last version id: no current version id has been set"));
  EXPECT_THAT(ErrorOf(Json::array({SetVersion(4)})),
              IsError(ErrorKind::kValidation, "Cannot set current version to unknown version: 4"));
  version = Version("select 2");
  version["representations"] = Json::array();
  EXPECT_THAT(ErrorOf(Json::array({AddVersion(version)})),
              IsError(ErrorKind::kInvalidArgument, "Invalid view version: it has no query"));
  version["representations"] = {Query("a", "trino"), Query("b", "Trino")};
  EXPECT_THAT(ErrorOf(Json::array({AddVersion(version)})),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("for dialect trino")));
}

TEST(ViewUpdates, LoseNoDialectUnlessThatIsAllowed) {
  Json version = Version("select 2");
  version["representations"] = {Query("select 2", "trino")};
  Json updates = Json::array({AddVersion(version), SetVersion(-1)});
  EXPECT_THAT(ErrorOf(updates), IsError(ErrorKind::kValidation,
                                        "Cannot replace view due to loss of view dialects "
                                        "(replace.drop-dialect.allowed=false):\n"
                                        "Previous dialects: [spark]\nNew dialects: [trino]"));
  updates.push_back(SetViewProperty("replace.drop-dialect.allowed", "true"));
  EXPECT_EQ(Updated(ViewJson(), updates)["current-version-id"], 2);
  version["representations"].push_back(Query("select 2", "SPARK"));
  updates = Json::array({AddVersion(version), SetVersion(-1)});
  EXPECT_EQ(Updated(ViewJson(), updates)["current-version-id"], 2);
}

TEST(ViewUpdates, ForgetVersionsPastTheHistory) {
  Json view =
      Updated(ViewJson(), Json::array({SetViewProperty("version.history.num-entries", "2")}));
  view = Updated(view, Replace("select 2", 2));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2));
  view = Updated(view, Replace("select 3", 3));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(2, 3));
  EXPECT_THAT(IdsOf(view["version-log"]), ElementsAre(2, 3));
  // The current one stays although it is the oldest, and the log begins after what is gone.
  Json back = Json::array({SetVersion(2), AddVersion(Version("select 4"))});
  view = Updated(view, back);
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(2, 4));
  EXPECT_THAT(IdsOf(view["version-log"]), ElementsAre(2));
}

TEST(ViewUpdates, KeepAllThatOneCommitAdds) {
  Json updates = Json::array({SetViewProperty("version.history.num-entries", "1")});
  for (int i = 2; i <= 4; ++i) updates.push_back(AddVersion(Version(std::to_string(i))));
  Json view = Updated(ViewJson(), updates);
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(1, 2, 3, 4));
}

TEST(ViewUpdates, KeepTenVersionsByDefault) {
  Json view = ViewJson();
  for (int i = 2; i <= 12; ++i) view = Updated(view, Replace(std::to_string(i), i));
  EXPECT_THAT(IdsOf(view["versions"]), ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(view["version-log"].size(), 10u);
}

}  // namespace
}  // namespace berglite::metadata
