// Updates of everything but snapshots, and the rules that hold for all updates.
#include "lib/metadata/table_update.h"

#include "lib/base/limits.h"
#include "lib/base/uuid.h"
#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

Json Action(const char* action) { return {{"action", action}}; }

// --- All updates

TEST(TableUpdates, AreThe23OfTheSpecification) {
  std::vector<std::string> actions = TableUpdateActions();
  EXPECT_THAT(
      actions,
      ::testing::UnorderedElementsAre(
          "assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "add-spec",
          "set-default-spec", "add-sort-order", "set-default-sort-order", "add-snapshot",
          "set-snapshot-ref", "remove-snapshots", "remove-snapshot-ref", "set-location",
          "set-properties", "remove-properties", "set-statistics", "remove-statistics",
          "set-partition-statistics", "remove-partition-statistics", "remove-partition-specs",
          "remove-schemas", "add-encryption-key", "remove-encryption-key"));
}

TEST(TableUpdates, NeedTheirMembers) {
  for (const std::string& action : TableUpdateActions()) {
    EXPECT_THAT(Apply(BaseJson(), Json::array({{{"action", action}}})),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("Cannot parse missing field: ")))
        << action;
  }
}

TEST(TableUpdates, AreKnownInAnyCase) {
  Json update = SetProperty("a", "b");
  update["action"] = "Set-PROPERTIES";
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["properties"]["a"], "b");
}

TEST(TableUpdates, RefuseUnknownActionsBeforeAllElse) {
  for (const char* action : {"frobnicate", "add-partition-spec", ""}) {
    Json updates = Json::array({SetRef("main", 99), SetProperty("a", "b"), Action(action)});
    EXPECT_THAT(Apply(BaseJson(), updates),
                IsError(ErrorKind::kInvalidArgument,
                        "Cannot convert metadata update action to json: " + std::string(action)));
  }
}

TEST(TableUpdates, RefuseThoseOfViews) {
  for (const char* action : {"add-view-version", "set-current-view-version"}) {
    EXPECT_THAT(Apply(BaseJson(), Json::array({Action(action)})),
                IsError(ErrorKind::kInvalidArgument,
                        "Cannot apply update " + std::string(action) + " to a table"));
  }
}

TEST(TableUpdates, RefuseWhatIsNoUpdate) {
  EXPECT_THAT(Apply(BaseJson(), Json::object()),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse updates: expected an array, found an object"));
  EXPECT_THAT(Apply(BaseJson(), Json::array({"set-properties"})),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse update: expected an object, found a string"));
  EXPECT_THAT(Apply(BaseJson(), Json::array({Json::object()})),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: action"));
}

TEST(TableUpdates, AreLimitedInNumber) {
  Json updates = Json::array();
  for (size_t i = 0; i < limits::kUpdatesPerCommitMax; ++i)
    updates.push_back(SetProperty("a", "b"));
  EXPECT_THAT(Apply(BaseJson(), updates), IsOk());
  updates.push_back(SetProperty("a", "b"));
  EXPECT_THAT(Apply(BaseJson(), updates),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot apply 10001 updates in one commit: the limit is 10000"));
}

TEST(TableUpdates, ChangeNothingWhereThereAreNone) {
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array()));
  EXPECT_TRUE(ChangesNothing(Version1Json(), Json::array()));
}

TEST(TableUpdates, LeaveTheirBaseAlone) {
  TableMetadata base = Table(BaseJson());
  FakeEnvironment environment;
  ASSERT_THAT(
      ApplyTableUpdates(base, kBaseLocation, Json::array({SetProperty("a", "b")}), environment),
      IsOk());
  EXPECT_EQ(base.json(), BaseJson());
}

TEST(TableUpdates, LeaveAnUnparsedCopyOfTheirBaseAlone) {
  TableMetadata base = Table(BaseJson());
  const TableMetadata copy = base.Unparsed();
  const std::string text = base.document().text();
  FakeEnvironment environment;
  auto next = ApplyTableUpdates(std::move(base), kBaseLocation,
                                Json::array({SetProperty("a", "b")}), environment);
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ((*next)->Property("a"), "b");
  EXPECT_EQ(copy.document().text(), text);
  EXPECT_EQ(copy.json(), BaseJson());
  EXPECT_EQ(copy.uuid(), (*next)->uuid());
}

TEST(TableUpdates, KeepWhatTheyDoNotKnow) {
  Json base = SnapshotsJson();
  base["x-foo"] = {{"deep", Json::array({1, nullptr})}};
  base["snapshots"][1]["x-bar"] = true;
  base["schemas"][0]["fields"][0]["x-baz"] = "q";
  base["refs"]["old"]["x-ref"] = 1;
  base["snapshot-log"][0]["x-log"] = 1;
  base["statistics"] = Json::array({{{"snapshot-id", 3}, {"x-stat", 1}}});
  base["partition-statistics"] = Json::array({{{"snapshot-id", 3}, {"x-stat", 1}}});
  base["encryption-keys"] = Json::array({{{"key-id", "k"}, {"x-key", 1}}});
  Json next = Applied(base, Json::array({SetProperty("a", "b")}));
  Json expected = base;
  expected["properties"]["a"] = "b";
  expected["last-updated-ms"] = kNowMs;
  expected["metadata-log"].push_back(
      {{"timestamp-ms", kBaseUpdatedMs}, {"metadata-file", kBaseLocation}});
  EXPECT_EQ(next, expected);
}

TEST(TableUpdates, IgnoreTheirOwnUnknownMembers) {
  Json update = SetProperty("a", "b");
  update["x-foo"] = 1;
  EXPECT_FALSE(Applied(BaseJson(), Json::array({update})).contains("x-foo"));
}

TEST(TableUpdates, ApplyInOrder) {
  Json remove = {{"action", "remove-properties"}, {"removals", {"a"}}};
  Json table =
      Applied(BaseJson(), Json::array({SetProperty("a", "1"), remove, SetProperty("a", "2")}));
  EXPECT_EQ(table["properties"]["a"], "2");
  table = Applied(BaseJson(), Json::array({SetProperty("a", "1"), remove}));
  EXPECT_FALSE(table["properties"].contains("a"));
}

// A table with a null in it is one that Java does not read.
TEST(TableUpdates, StoreNoNullForWhatIsLeftOut) {
  Json updates = Json::parse(R"([
    {"action": "add-schema", "schema": {"type": "struct", "identifier-field-ids": null, "fields": [
      {"id": 1, "name": "id", "type": "long", "required": true, "doc": null},
      {"id": 7, "name": "m", "required": false, "doc": null, "initial-default": null, "type": {
        "type": "map", "key-id": 8, "key": "string", "value-id": 9, "value-required": false,
        "value": {"type": "list", "element-id": 10, "element-required": false, "element": {
          "type": "struct", "fields": [
            {"id": 11, "name": "x", "type": "int", "required": false, "doc": null,
             "write-default": null}]}}}}]}},
    {"action": "add-snapshot", "snapshot": {
      "snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1700000000000, "first-row-id": 0,
      "added-rows": 1, "manifest-list": "file:///m", "parent-snapshot-id": null, "schema-id": null,
      "key-id": null, "summary": {"operation": "append"}}},
    {"action": "set-snapshot-ref", "ref-name": "b", "type": "branch", "snapshot-id": 1,
     "max-ref-age-ms": null, "max-snapshot-age-ms": null, "min-snapshots-to-keep": null},
    {"action": "set-statistics", "snapshot-id": null, "statistics": {
      "snapshot-id": 1, "statistics-path": "p", "file-size-in-bytes": 1,
      "file-footer-size-in-bytes": 1, "key-metadata": null, "blob-metadata": [
        {"type": "t", "snapshot-id": 1, "sequence-number": 1, "fields": [1], "properties": null}]}},
    {"action": "set-partition-statistics", "partition-statistics": {
      "snapshot-id": 1, "statistics-path": "p", "file-size-in-bytes": 1, "x-foo": null}},
    {"action": "add-encryption-key", "encryption-key": {
      "key-id": "k", "encrypted-key-metadata": "AAAA", "encrypted-by-id": null,
      "properties": null}}])");
  EXPECT_THAT(Applied(BaseJson(3), updates).dump(), Not(HasSubstr("null")));
}

// --- Time and the metadata log

TEST(MetadataLog, NotesWhatCameBefore) {
  Json table = Applied(BaseJson(), Json::array({SetProperty("a", "b")}));
  EXPECT_EQ(table["last-updated-ms"], kNowMs);
  EXPECT_EQ(table["metadata-log"],
            Json::array({{{"timestamp-ms", kBaseUpdatedMs}, {"metadata-file", kBaseLocation}}}));
}

TEST(MetadataLog, KeepsAsManyEntriesAsTheNewPropertiesSay) {
  Json base = BaseJson();
  for (int i = 0; i < 150; ++i) {
    base["metadata-log"].push_back(
        {{"timestamp-ms", i}, {"metadata-file", "file-" + std::to_string(i)}});
  }
  Json log = Applied(base, Json::array({SetProperty("a", "b")}))["metadata-log"];
  EXPECT_EQ(log.size(), 100U);
  EXPECT_EQ(log[0]["metadata-file"], "file-51");
  EXPECT_EQ(log[99]["metadata-file"], kBaseLocation);
  struct Case {
    const char* value;
    size_t kept;
  };
  for (const Case& c : {Case{"2", 2}, Case{"1", 1}, Case{"0", 1}, Case{"-5", 1}, Case{"x", 100},
                        Case{"1000", 151}}) {
    Json update = SetProperty("write.metadata.previous-versions-max", c.value);
    EXPECT_EQ(Applied(base, Json::array({update}))["metadata-log"].size(), c.kept) << c.value;
  }
}

TEST(LastUpdatedMs, IsNeverBeforeTheLogs) {
  Json base = BaseJson();
  base["last-updated-ms"] = kNowMs + 5'000'000;
  Json table = Applied(base, Json::array({SetProperty("a", "b")}));
  EXPECT_EQ(table["last-updated-ms"], kNowMs + 5'000'000);
}

// --- Single members

TEST(AssignUuid, SetsTheUuid) {
  Json update = {{"action", "assign-uuid"}, {"uuid", "b"}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["table-uuid"], "b");
  update["uuid"] = BaseJson()["table-uuid"];
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({update})));
  update["uuid"] = nullptr;
  EXPECT_THAT(Apply(BaseJson(), Json::array({update})),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: uuid"));
}

Json Upgrade(int version) {
  return {{"action", "upgrade-format-version"}, {"format-version", version}};
}

TEST(UpgradeFormatVersion, AddsWhatTheVersionHas) {
  Json version2 = Applied(Version1Json(), Json::array({Upgrade(2)}));
  EXPECT_EQ(version2["format-version"], 2);
  EXPECT_EQ(version2["last-sequence-number"], 0);
  EXPECT_FALSE(version2.contains("schema"));
  EXPECT_FALSE(version2.contains("partition-spec"));
  EXPECT_FALSE(version2.contains("next-row-id"));
  Json version3 = Applied(version2, Json::array({Upgrade(3)}));
  EXPECT_EQ(version3["format-version"], 3);
  EXPECT_EQ(version3["next-row-id"], 0);
  Json at_once = Applied(Version1Json(), Json::array({Upgrade(3)}));
  EXPECT_EQ(at_once["last-sequence-number"], 0);
  EXPECT_EQ(at_once["next-row-id"], 0);
  EXPECT_FALSE(at_once.contains("schema"));
}

TEST(UpgradeFormatVersion, WritesNoCurrentSnapshotAsTheVersionDoes) {
  Json table = Applied(BaseJson(2), Json::array({SetProperty("a", "b")}));
  EXPECT_EQ(table["current-snapshot-id"], -1);
  table = Applied(table, Json::array({Upgrade(3)}));
  EXPECT_FALSE(table.contains("current-snapshot-id"));
  table["current-snapshot-id"] = nullptr;  // as Java writes it
  table = Applied(table, Json::array({SetProperty("a", "c")}));
  EXPECT_FALSE(table.contains("current-snapshot-id"));
}

TEST(UpgradeFormatVersion, OnlyGoesUpAndToReleasedVersions) {
  EXPECT_TRUE(ChangesNothing(BaseJson(2), Json::array({Upgrade(2)})));
  EXPECT_THAT(Apply(BaseJson(2), Json::array({Upgrade(1)})),
              IsError(ErrorKind::kValidation, "Cannot downgrade v2 table to v1"));
  EXPECT_THAT(Apply(BaseJson(3), Json::array({Upgrade(0)})),
              IsError(ErrorKind::kValidation, "Cannot downgrade v3 table to v0"));
  EXPECT_THAT(Apply(BaseJson(2), Json::array({Upgrade(4)})),
              IsError(ErrorKind::kValidation,
                      "Cannot upgrade table to unsupported format version: v4 (supported: v3)"));
}

TEST(SetLocation, MovesTheTable) {
  Json update = {{"action", "set-location"}, {"location", "file:///w/other/"}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["location"], "file:///w/other");
  update["location"] = "file:///w/ns/t/";
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({update})));
  update["location"] = "/";
  EXPECT_THAT(Apply(BaseJson(), Json::array({update})),
              IsError(ErrorKind::kInvalidArgument, "Invalid location: empty"));
}

TEST(SetProperties, MergesProperties) {
  Json update = {{"action", "set-properties"}, {"updates", {{"owner", "bob"}, {"b", "2"}}}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["properties"],
            Json({{"owner", "bob"}, {"b", "2"}}));
}

TEST(SetProperties, CountsAsAChangeUnlessEmpty) {
  Json same = Applied(BaseJson(), Json::array({SetProperty("owner", "ada")}));
  EXPECT_EQ(same["properties"], BaseJson()["properties"]);
  EXPECT_EQ(same["metadata-log"].size(), 1U);
  Json empty = {{"action", "set-properties"}, {"updates", Json::object()}};
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({empty})));
}

TEST(SetProperties, HasAnOlderSpelling) {
  Json update = {{"action", "set-properties"}, {"updated", {{"a", "old"}}}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["properties"]["a"], "old");
  update["updates"] = {{"a", "new"}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["properties"]["a"], "new");
}

TEST(SetProperties, StoresReservedNamesAndNothingButStrings) {
  Json table = Applied(BaseJson(), Json::array({SetProperty("format-version", "3")}));
  EXPECT_EQ(table["properties"]["format-version"], "3");
  EXPECT_EQ(table["format-version"], 2);
  for (const Json& value : {Json(1), Json(nullptr), Json::object(), Json(true)}) {
    Json update = {{"action", "set-properties"}, {"updates", {{"n", value}}}};
    EXPECT_THAT(Apply(BaseJson(), Json::array({update})),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("updates.n: expected a string")));
  }
}

TEST(RemoveProperties, ForgetsPropertiesAndIgnoresMissingOnes) {
  Json update = {{"action", "remove-properties"}, {"removals", {"owner", "none"}}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({update}))["properties"], Json::object());
  Json missing = {{"action", "remove-properties"}, {"removals", {"none"}}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({missing}))["properties"], BaseJson()["properties"]);
  Json older = {{"action", "remove-properties"}, {"removed", {"owner"}}};
  EXPECT_EQ(Applied(BaseJson(), Json::array({older}))["properties"], Json::object());
  Json empty = {{"action", "remove-properties"}, {"removals", Json::array()}};
  EXPECT_TRUE(ChangesNothing(BaseJson(), Json::array({empty})));
}

Json AddKey(const char* id, const char* metadata) {
  return {{"action", "add-encryption-key"},
          {"encryption-key", {{"key-id", id}, {"encrypted-key-metadata", metadata}}}};
}

TEST(EncryptionKeys, AreAddedOnceAndRemoved) {
  Json table = Applied(BaseJson(3), Json::array({AddKey("k", "AAAA"), AddKey("l", "BBBB")}));
  ASSERT_EQ(table["encryption-keys"].size(), 2U);
  EXPECT_TRUE(ChangesNothing(table, Json::array({AddKey("k", "CCCC")})));
  Json remove = {{"action", "remove-encryption-key"}, {"key-id", "k"}};
  Json less = Applied(table, Json::array({remove}));
  EXPECT_EQ(less["encryption-keys"], Json::array({AddKey("l", "BBBB")["encryption-key"]}));
  EXPECT_TRUE(ChangesNothing(less, Json::array({remove})));
  remove["key-id"] = "l";
  EXPECT_FALSE(Applied(less, Json::array({remove})).contains("encryption-keys"));
  EXPECT_TRUE(ChangesNothing(BaseJson(3), Json::array({remove})));
}

TEST(EncryptionKeys, NeedAnIdAndMetadata) {
  Json update = AddKey("k", "AAAA");
  update["encryption-key"].erase("encrypted-key-metadata");
  EXPECT_THAT(
      Apply(BaseJson(3), Json::array({update})),
      IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: encrypted-key-metadata"));
}

// --- Version 1

TEST(Version1, IsCompletedWhenItIsEdited) {
  Json table = Applied(Version1Json(), Json::array({SetProperty("a", "b")}));
  EXPECT_EQ(table["format-version"], 1);
  EXPECT_TRUE(IsUuid(table["table-uuid"].get<std::string>()));
  EXPECT_EQ(table["location"], "file:///w/ns/t");
  EXPECT_EQ(table["current-schema-id"], 0);
  Json schema = Version1Json()["schema"];
  schema["schema-id"] = 0;
  EXPECT_EQ(table["schemas"], Json::array({schema}));
  EXPECT_EQ(table["schema"], schema);
  Json fields = Version1Json()["partition-spec"];
  fields[0]["field-id"] = 1000;
  EXPECT_EQ(table["partition-spec"], fields);
  EXPECT_EQ(table["partition-specs"], Json::array({{{"spec-id", 0}, {"fields", fields}}}));
  EXPECT_EQ(table["default-spec-id"], 0);
  EXPECT_EQ(table["last-partition-id"], 1000);
  EXPECT_EQ(table["sort-orders"], Json::parse(R"([{"order-id": 0, "fields": []}])"));
  EXPECT_EQ(table["refs"], Json::parse(R"({"main": {"snapshot-id": 7, "type": "branch"}})"));
  EXPECT_EQ(table["snapshots"], Version1Json()["snapshots"]);
  EXPECT_FALSE(table.contains("last-sequence-number"));
}

TEST(Version1, KeepsTheMembersThatOnlyItHasUpToDate) {
  Json schema = Version1Json()["schema"];
  schema["fields"].push_back({{"id", 3}, {"name", "c"}, {"required", false}, {"type", "int"}});
  Json updates = Json::array({{{"action", "add-schema"}, {"schema", schema}},
                              {{"action", "set-current-schema"}, {"schema-id", -1}}});
  Json table = Applied(Version1Json(), updates);
  EXPECT_EQ(table["schema"]["fields"].size(), 3U);
  EXPECT_EQ(table["schema"]["schema-id"], 1);
  EXPECT_EQ(table["schemas"].size(), 2U);
}

TEST(Version1, TakesSnapshotsOfInlineManifests) {
  Json snapshot = Json::parse(R"({"snapshot-id": 8, "parent-snapshot-id": 7,
    "timestamp-ms": 1700000000000, "manifests": ["file:///m.avro"]})");
  Json table = Applied(Version1Json(), Json::array({AddSnapshot(snapshot), SetRef("main", 8)}));
  EXPECT_EQ(table["snapshots"][1], snapshot);
  EXPECT_EQ(table["current-snapshot-id"], 8);
  EXPECT_THAT(Apply(BaseJson(2), Json::array({AddSnapshot(snapshot)})),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: manifest-list"));
  snapshot["sequence-number"] = 1;
  EXPECT_THAT(Apply(Version1Json(), Json::array({AddSnapshot(snapshot)})),
              IsError(ErrorKind::kValidation, "Sequence number must be 0 in v1: 1"));
}

TEST(Version1, KeepsItsInlineManifestsWhenUpgraded) {
  Json table = Applied(Version1Json(), Json::array({Upgrade(2)}));
  EXPECT_EQ(table["snapshots"], Version1Json()["snapshots"]);
  EXPECT_TRUE(IsUuid(table["table-uuid"].get<std::string>()));
}

// --- CreateFromUpdates

Json CreateUpdates() {
  return Json::parse(R"([
    {"action": "assign-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
    {"action": "upgrade-format-version", "format-version": 2},
    {"action": "add-schema", "schema": {"type": "struct", "schema-id": 5, "fields": [
      {"id": 7, "name": "id", "required": true, "type": "long"}]}},
    {"action": "set-current-schema", "schema-id": -1},
    {"action": "add-spec", "spec": {"spec-id": 4, "fields": [
      {"name": "b", "transform": "bucket[4]", "source-id": 7, "field-id": 1004}]}},
    {"action": "set-default-spec", "spec-id": -1},
    {"action": "add-sort-order", "sort-order": {"order-id": 6, "fields": [
      {"transform": "identity", "source-id": 7, "direction": "asc", "null-order": "nulls-last"}]}},
    {"action": "set-default-sort-order", "sort-order-id": -1},
    {"action": "set-location", "location": "file:///w/ns/t/"},
    {"action": "set-properties", "updates": {"created-at": "then"}}])");
}

Result<TableMetadata> Create(const Json& updates) {
  FakeEnvironment environment;
  return CreateFromUpdates(updates, environment);
}

TEST(CreateFromUpdates, MakesATableOfIdsAsSent) {
  Result<TableMetadata> created = Create(CreateUpdates());
  ASSERT_THAT(created, IsOk());
  const Json& table = created->json();
  EXPECT_EQ(table["format-version"], 2);
  EXPECT_EQ(table["table-uuid"], "9c12d441-03fe-4693-9a96-a0705ddf69c1");
  EXPECT_EQ(table["location"], "file:///w/ns/t");
  EXPECT_EQ(table["last-updated-ms"], kNowMs);
  EXPECT_EQ(table["schemas"][0]["fields"][0]["id"], 7);
  EXPECT_EQ(table["schemas"][0]["schema-id"], 0);
  EXPECT_EQ(table["last-column-id"], 7);
  EXPECT_EQ(table["partition-specs"][0]["fields"][0]["field-id"], 1004);
  EXPECT_EQ(table["default-spec-id"], 0);
  EXPECT_EQ(table["last-partition-id"], 1004);
  EXPECT_EQ(table["default-sort-order-id"], 1);
  EXPECT_EQ(table["properties"], Json::parse(R"({"created-at": "then"})"));
  EXPECT_EQ(table["metadata-log"], Json::array());
  EXPECT_EQ(table["current-snapshot-id"], -1);
  EXPECT_EQ(table["last-sequence-number"], 0);
}

// The order in which DuckDB sends them.
TEST(CreateFromUpdates, BindsToTheLastAddedSchemaUntilOneIsCurrent) {
  Json updates = CreateUpdates();
  Json set_current = updates[3];
  updates.erase(3);
  updates.push_back(set_current);
  Result<TableMetadata> created = Create(updates);
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ(created->json(), Create(CreateUpdates())->json());
  updates.erase(2);
  EXPECT_THAT(Create(updates),
              IsError(ErrorKind::kValidation, "Cannot apply update: no schema has been added"));
}

TEST(CreateFromUpdates, TakesTheVersionOfTheFirstUpgrade) {
  Json updates = CreateUpdates();
  updates[1]["format-version"] = 3;
  EXPECT_EQ(Create(updates)->json()["next-row-id"], 0);
  updates[1]["format-version"] = 1;
  EXPECT_THAT(Create(updates),
              IsError(ErrorKind::kValidation, HasSubstr("Spec does not use sequential IDs that are "
                                                        "required in v1")));
  updates[4]["spec"]["fields"][0]["field-id"] = 1000;
  EXPECT_EQ(Create(updates)->json()["partition-spec"].size(), 1U);
  updates.push_back(Upgrade(2));
  EXPECT_EQ(Create(updates)->format_version(), 2);
  updates = CreateUpdates();
  updates.erase(1);
  EXPECT_EQ(Create(updates)->format_version(), 2);
}

TEST(CreateFromUpdates, RefusesVersionsThatAreNotReleased) {
  Json updates = CreateUpdates();
  for (int version : {0, 4}) {
    updates[1]["format-version"] = version;
    EXPECT_THAT(Create(updates), IsError(ErrorKind::kValidation,
                                         "Cannot upgrade table to unsupported format version: v" +
                                             std::to_string(version) + " (supported: v3)"));
  }
}

TEST(CreateFromUpdates, SaysWhatIsMissing) {
  struct Case {
    const char* action;
    const char* message;
  };
  for (const Case& c :
       {Case{"assign-uuid",
             "Cannot create table without table-uuid: expected updates with assign-uuid"},
        Case{"set-default-spec",
             "Cannot create table without default-spec-id: expected updates "
             "with add-spec and set-default-spec"},
        Case{"set-default-sort-order",
             "Cannot create table without default-sort-order-id: expected updates with "
             "add-sort-order and set-default-sort-order"},
        Case{"set-location",
             "Cannot create table without location: expected updates with set-location"}}) {
    Json updates = Json::array();
    for (const Json& update : CreateUpdates()) {
      if (update["action"] != c.action) updates.push_back(update);
    }
    EXPECT_THAT(Create(updates), IsError(ErrorKind::kValidation, c.message));
  }
  Json no_schema = Json::array({CreateUpdates()[0], CreateUpdates()[8]});
  EXPECT_THAT(Create(no_schema),
              IsError(ErrorKind::kValidation,
                      "Cannot create table without current-schema-id: expected updates with "
                      "add-schema and set-current-schema"));
  Json no_current = CreateUpdates();
  no_current.erase(3);
  EXPECT_THAT(Create(no_current),
              IsError(ErrorKind::kValidation,
                      "Cannot create table without current-schema-id: expected updates with "
                      "add-schema and set-current-schema"));
  EXPECT_THAT(Create(Json::array()),
              IsError(ErrorKind::kValidation, HasSubstr("Cannot create table without table-uuid")));
}

TEST(CreateFromUpdates, MayBringDataAtOnce) {
  Json updates = CreateUpdates();
  updates.push_back(AddSnapshot(Snapshot(1, 1, kNowMs - 5)));
  updates.push_back(SetRef("main", 1));
  Result<TableMetadata> table = Create(updates);
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->json()["current-snapshot-id"], 1);
  EXPECT_EQ(table->last_updated_ms(), kNowMs - 5);
  EXPECT_EQ(table->json()["last-sequence-number"], 1);
}

}  // namespace
}  // namespace berglite::metadata
