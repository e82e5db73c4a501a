#include "lib/metadata/table_metadata.h"

#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

TEST(TableMetadata, HasTypedViewsOfWhatIsRead) {
  TableMetadata table = Table(BaseJson());
  EXPECT_EQ(table.format_version(), 2);
  EXPECT_EQ(table.uuid(), "9c12d441-03fe-4693-9a96-a0705ddf69c1");
  EXPECT_EQ(table.location(), "file:///w/ns/t");
  EXPECT_EQ(table.last_updated_ms(), kBaseUpdatedMs);
  EXPECT_EQ(table.Property("owner"), "ada");
  EXPECT_EQ(table.Property("none"), std::nullopt);
}

TEST(TableMetadata, KeepsTheVeryBytesItWasParsedFrom) {
  std::string text = "  " + BaseJson().dump(1) + "\n";
  Result<TableMetadata> table = TableMetadata::Parse(*Document::Parse(text));
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->document().text(), text);
}

TEST(TableMetadata, LeavesOutSlashesAtTheEndOfItsLocation) {
  Json json = BaseJson();
  json["location"] = "file:///w/ns/t//";
  EXPECT_EQ(Table(json).location(), "file:///w/ns/t");
  json["location"] = "s3://";
  EXPECT_EQ(Table(json).location(), "s3://");
}

TEST(TableMetadata, HasNoCurrentSnapshotWhereTheIdIsAbsentNullOrMinusOne) {
  Json json = BaseJson();
  json.erase("current-snapshot-id");
  EXPECT_THAT(Parse(json), IsOk());
  json["current-snapshot-id"] = nullptr;
  EXPECT_THAT(Parse(json), IsOk());
  json["current-snapshot-id"] = -1;
  EXPECT_THAT(Parse(json), IsOk());
}

TEST(TableMetadata, ReadsVersion1WithoutWhatLaterVersionsRequire) {
  TableMetadata table = Table(Version1Json());
  EXPECT_EQ(table.format_version(), 1);
  EXPECT_EQ(table.uuid(), "");
  EXPECT_EQ(table.json(), Version1Json());
}

TEST(TableMetadata, RequiresTheMembersOfItsVersion) {
  for (const char* key :
       {"format-version", "table-uuid", "location", "last-updated-ms", "last-column-id", "schemas",
        "current-schema-id", "partition-specs", "default-spec-id", "last-partition-id",
        "sort-orders", "default-sort-order-id", "last-sequence-number", "next-row-id"}) {
    Json json = BaseJson(3);
    json.erase(key);
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                     HasSubstr("Cannot parse missing field: " + std::string(key))));
  }
  for (const char* key : {"schema", "partition-spec", "location"}) {
    Json json = Version1Json();
    json.erase(key);
    EXPECT_THAT(Parse(json),
                IsError(ErrorKind::kValidation, "Cannot parse missing field: " + std::string(key)));
  }
}

TEST(TableMetadata, TakesIntegersOnlyAsIntegers) {
  for (const char* key : {"last-column-id", "last-updated-ms", "current-schema-id",
                          "last-sequence-number", "current-snapshot-id"}) {
    Json json = BaseJson();
    json[key] = 1.0;
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr(key)));
    json[key] = "1";
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr(key)));
  }
}

TEST(TableMetadata, RefusesVersionsThatAreNotReleased) {
  for (int version : {0, 4}) {
    EXPECT_THAT(Parse(BaseJson(version)),
                IsError(ErrorKind::kValidation, "Cannot read unsupported version " +
                                                    std::to_string(version) +
                                                    ": format versions 1 to 3 are supported"));
  }
}

TEST(TableMetadata, RefusesWhatIsNoObject) {
  EXPECT_THAT(Parse(Json::array()),
              IsError(ErrorKind::kValidation,
                      "Cannot parse table metadata: expected an object, found an array"));
}

TEST(TableMetadata, RefersOnlyToLayoutThatItHas) {
  struct Case {
    const char* current;
    const char* message;
  };
  for (const Case& c :
       {Case{"current-schema-id",
             "Invalid table metadata: Cannot find schema-id with current-schema-id=9 in schemas"},
        Case{"default-spec-id",
             "Invalid table metadata: Cannot find spec-id with default-spec-id=9 in "
             "partition-specs"},
        Case{"default-sort-order-id",
             "Invalid table metadata: Cannot find order-id with default-sort-order-id=9 in "
             "sort-orders"}}) {
    Json json = BaseJson();
    json[c.current] = 9;
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, c.message));
  }
  Json twice = BaseJson();
  twice["schemas"].push_back(twice["schemas"][0]);
  EXPECT_THAT(Parse(twice), IsError(ErrorKind::kValidation,
                                    "Invalid table metadata: schemas has two of schema-id 0"));
}

TEST(TableMetadata, NeedsNoUnsortedOrderInItsList) {
  Json json = BaseJson();
  json["sort-orders"] = Json::array();
  EXPECT_THAT(Parse(json), IsOk());
}

TEST(TableMetadata, RefusesSnapshotsPastTheLastSequenceNumber) {
  Json json = SnapshotsJson();
  json["last-sequence-number"] = 2;
  EXPECT_THAT(Parse(json),
              IsError(ErrorKind::kValidation,
                      "Invalid snapshot with sequence number 3 greater than last sequence "
                      "number 2"));
  Json version1 = Version1Json();
  version1["last-sequence-number"] = 5;
  EXPECT_THAT(Parse(version1),
              IsError(ErrorKind::kValidation, "Sequence number must be 0 in v1: 5"));
}

TEST(TableMetadata, RefusesTwoSnapshotsOfOneId) {
  Json json = SnapshotsJson();
  json["snapshots"].push_back(json["snapshots"][0]);
  EXPECT_THAT(Parse(json),
              IsError(ErrorKind::kValidation, "Invalid table metadata: two snapshots of id 1"));
}

TEST(TableMetadata, RefusesReferencesToMissingSnapshots) {
  Json json = SnapshotsJson();
  json["refs"]["audit"] = {{"snapshot-id", 77}, {"type", "branch"}};
  EXPECT_THAT(Parse(json),
              IsError(ErrorKind::kValidation,
                      "Snapshot for reference audit does not exist in the existing snapshots "
                      "list"));
  Json current = BaseJson();
  current["current-snapshot-id"] = 8;
  EXPECT_THAT(Parse(current), IsError(ErrorKind::kValidation,
                                      "Invalid table metadata: Cannot find current snapshot 8"));
}

TEST(TableMetadata, HasMainWhereItsCurrentSnapshotIs) {
  Json json = SnapshotsJson();
  json["current-snapshot-id"] = 2;
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                   "Current snapshot ID does not match main branch (2 != 3)"));
  json["current-snapshot-id"] = nullptr;
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                   "Current snapshot is not set, but main branch exists: 3"));
  json = SnapshotsJson();
  json["refs"].erase("main");
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                   "Current snapshot is set, but main branch does not exist"));
  json.erase("refs");
  EXPECT_THAT(Parse(json), IsOk());
}

TEST(TableMetadata, HasLogsInOrderButForAMinute) {
  Json json = SnapshotsJson();
  json["snapshot-log"][0]["timestamp-ms"] = kBaseUpdatedMs - 1000 + 60'000;
  EXPECT_THAT(Parse(json), IsOk());
  json["snapshot-log"][0]["timestamp-ms"] = kBaseUpdatedMs - 1000 + 60'001;
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                   "Expected sorted snapshot-log entries: 1599999999000 follows "
                                   "1600000059001"));
  json = BaseJson();
  json["metadata-log"].push_back({{"timestamp-ms", kBaseUpdatedMs}, {"metadata-file", "f"}});
  json["last-updated-ms"] = kBaseUpdatedMs - 60'000;
  EXPECT_THAT(Parse(json), IsOk());
  json["last-updated-ms"] = kBaseUpdatedMs - 60'001;
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                   "Invalid update timestamp 1599999939999: before last "
                                   "metadata-log entry at 1600000000000"));
}

TEST(TableMetadata, IsNotConfusedByExtremeTimes) {
  Json json = SnapshotsJson();
  json["snapshot-log"][0]["timestamp-ms"] = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(Parse(json), IsOk());
  json["snapshot-log"][2]["timestamp-ms"] = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr("before last snapshot-log")));
}

TEST(TableMetadata, ChecksWhatIsInItsLists) {
  for (const char* key :
       {"snapshots", "schemas", "partition-specs", "sort-orders", "snapshot-log", "metadata-log",
        "statistics", "partition-statistics", "encryption-keys"}) {
    Json json = BaseJson();
    json[key] = Json::object();
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                     HasSubstr(std::string(key) + ": expected an array")));
    json[key] = Json::array({5});
    EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation,
                                     "Cannot parse " + std::string(key) +
                                         ": expected an array of objects, found a number"));
    json[key] = Json::array({Json::object()});
    EXPECT_THAT(Parse(json),
                IsError(ErrorKind::kValidation, HasSubstr("Cannot parse missing field: ")));
  }
  Json json = BaseJson();
  json["properties"]["n"] = 1;
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr("properties.n")));
}

TEST(TableMetadata, SurvivesVersion1DocumentsOfTheWrongShape) {
  for (const Json& bad : {Json(5), Json("x"), Json::array({5}), Json::array({Json::array()})}) {
    for (const char* key : {"schema", "schemas", "partition-specs", "sort-orders", "snapshots"}) {
      Json json = Version1Json();
      json[key] = bad;
      EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr("Cannot parse")));
    }
  }
  Json json = Version1Json();
  json["partition-specs"] = Json::array({{{"fields", Json::object()}}});
  EXPECT_THAT(Parse(json), IsError(ErrorKind::kValidation, HasSubstr("fields")));
}

TEST(WithReferencedSnapshotsOnly, KeepsSnapshotsOfBranchesAndTags) {
  Json json = SnapshotsJson();
  json["x-foo"] = 1;
  json["statistics"] = Json::array({{{"snapshot-id", 1}}, {{"snapshot-id", 2}}});
  json["partition-statistics"] = Json::array({{{"snapshot-id", 1}}, {{"snapshot-id", 3}}});
  TableMetadata table = Table(json);
  Document reduced = WithReferencedSnapshotsOnly(table);
  Json expected = json;
  expected["snapshots"].erase(0);
  expected["statistics"].erase(0);
  expected["partition-statistics"].erase(0);
  EXPECT_EQ(DocumentAccess::Dom(reduced), expected);
  EXPECT_EQ(table.json(), json);
}

TEST(WithReferencedSnapshotsOnly, KeepsTheCurrentSnapshotOfAnOlderDocument) {
  Json json = Version1Json();
  Json other = json["snapshots"][0];
  other["snapshot-id"] = 6;
  json["snapshots"].push_back(other);
  Document reduced = WithReferencedSnapshotsOnly(Table(json));
  EXPECT_EQ(DocumentAccess::Dom(reduced)["snapshots"], Version1Json()["snapshots"]);
}

}  // namespace
}  // namespace berglite::metadata
