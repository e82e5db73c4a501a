#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

Json Request() {
  return Json::parse(R"({
    "name": "t",
    "schema": {"type": "struct", "schema-id": 4, "identifier-field-ids": [10], "fields": [
      {"id": 10, "name": "id", "required": true, "type": "long"},
      {"id": 20, "name": "point", "required": false, "type": {"type": "struct", "fields": [
        {"id": 30, "name": "x", "required": false, "type": "double", "doc": "east"}]}},
      {"id": 5, "name": "data", "required": false, "type": "string"}]}
  })");
}

Result<TableMetadata> Create(const Json& request) {
  FakeEnvironment environment;
  return NewTableMetadata(request, "file:///w/ns/t/", environment);
}

Json Created(const Json& request) {
  Result<TableMetadata> table = Create(request);
  EXPECT_THAT(table, IsOk());
  return table ? table->json() : Json();
}

TEST(NewTableMetadata, NumbersEverythingAfresh) {
  Json request = Request();
  request["partition-spec"] = Json::parse(R"({"spec-id": 3, "fields": [
    {"name": "x", "transform": "identity", "source-id": 10, "field-id": 5},
    {"name": "b", "transform": "bucket[4]", "source-id": 5}]})");
  request["partition-spec"]["fields"][0]["name"] = "id";
  request["write-order"] = Json::parse(R"({"order-id": 9, "fields": [
    {"transform": "identity", "source-id": 30, "direction": "asc",
     "null-order": "nulls-first"}]})");
  Json table = Created(request);
  EXPECT_EQ(table["schemas"], Json::parse(R"([
    {"type": "struct", "schema-id": 0, "identifier-field-ids": [1], "fields": [
      {"id": 1, "name": "id", "required": true, "type": "long"},
      {"id": 2, "name": "point", "required": false, "type": {"type": "struct", "fields": [
        {"id": 4, "name": "x", "required": false, "type": "double", "doc": "east"}]}},
      {"id": 3, "name": "data", "required": false, "type": "string"}]}])"));
  EXPECT_EQ(table["current-schema-id"], 0);
  EXPECT_EQ(table["last-column-id"], 4);
  EXPECT_EQ(table["partition-specs"], Json::parse(R"([{"spec-id": 0, "fields": [
    {"name": "id", "transform": "identity", "source-id": 1, "field-id": 1000},
    {"name": "b", "transform": "bucket[4]", "source-id": 3, "field-id": 1001}]}])"));
  EXPECT_EQ(table["default-spec-id"], 0);
  EXPECT_EQ(table["last-partition-id"], 1001);
  EXPECT_EQ(table["sort-orders"], Json::parse(R"([{"order-id": 1, "fields": [
    {"transform": "identity", "source-id": 4, "direction": "asc",
     "null-order": "nulls-first"}]}])"));
  EXPECT_EQ(table["default-sort-order-id"], 1);
}

TEST(NewTableMetadata, IsAVersion2TableWithNothingInIt) {
  Json table = Created(Request());
  EXPECT_EQ(table["format-version"], 2);
  EXPECT_EQ(table["table-uuid"], "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(table["location"], "file:///w/ns/t");
  EXPECT_EQ(table["last-updated-ms"], kNowMs);
  EXPECT_EQ(table["last-sequence-number"], 0);
  EXPECT_EQ(table["current-snapshot-id"], -1);
  EXPECT_EQ(table["partition-specs"], Json::parse(R"([{"spec-id": 0, "fields": []}])"));
  EXPECT_EQ(table["last-partition-id"], 999);
  EXPECT_EQ(table["sort-orders"], Json::parse(R"([{"order-id": 0, "fields": []}])"));
  EXPECT_EQ(table["default-sort-order-id"], 0);
  for (const char* key :
       {"snapshots", "snapshot-log", "metadata-log", "statistics", "partition-statistics"}) {
    EXPECT_EQ(table[key], Json::array()) << key;
  }
  EXPECT_EQ(table["refs"], Json::object());
  for (const char* key : {"next-row-id", "schema", "partition-spec", "encryption-keys"}) {
    EXPECT_FALSE(table.contains(key)) << key;
  }
}

TEST(NewTableMetadata, TakesTheFormatVersionFromTheProperties) {
  Json request = Request();
  request["properties"]["format-version"] = "1";
  Json version1 = Created(request);
  EXPECT_EQ(version1["format-version"], 1);
  EXPECT_EQ(version1["schema"], version1["schemas"][0]);
  EXPECT_EQ(version1["partition-spec"], Json::array());
  EXPECT_FALSE(version1.contains("last-sequence-number"));
  request["properties"]["format-version"] = "3";
  Json version3 = Created(request);
  EXPECT_EQ(version3["next-row-id"], 0);
  EXPECT_EQ(version3["last-sequence-number"], 0);
  EXPECT_FALSE(version3.contains("current-snapshot-id"));
  EXPECT_FALSE(version3["properties"].contains("format-version"));
}

TEST(NewTableMetadata, RefusesOtherFormatVersions) {
  Json request = Request();
  for (const char* version : {"0", "4"}) {
    request["properties"]["format-version"] = version;
    EXPECT_THAT(Create(request),
                IsError(ErrorKind::kValidation, "Unsupported format version: v" +
                                                    std::string(version) + " (supported: v3)"));
  }
  for (const char* text : {"two", "2.0", "", "2 "}) {
    request["properties"]["format-version"] = text;
    EXPECT_THAT(Create(request),
                IsError(ErrorKind::kInvalidArgument,
                        "Cannot parse property format-version: expected an integer, found " +
                            std::string(text)));
  }
}

TEST(NewTableMetadata, DropsReservedPropertiesAndAddsTheCodec) {
  Json request = Request();
  request["properties"] = {{"uuid", "u"},
                           {"snapshot-count", "1"},
                           {"current-snapshot-id", "1"},
                           {"current-snapshot-summary", "s"},
                           {"current-snapshot-timestamp-ms", "1"},
                           {"current-schema", "s"},
                           {"default-partition-spec", "p"},
                           {"default-sort-order", "o"},
                           {"owner", "ada"}};
  EXPECT_EQ(Created(request)["properties"],
            Json({{"owner", "ada"}, {"write.parquet.compression-codec", "zstd"}}));
  request["properties"] = {{"write.parquet.compression-codec", "gzip"}};
  EXPECT_EQ(Created(request)["properties"], request["properties"]);
}

TEST(NewTableMetadata, NotesWhenAStagedTableWasCreated) {
  Json request = Request();
  request["stage-create"] = true;
  EXPECT_EQ(Created(request)["properties"]["created-at"], "2023-11-14T22:13:20.000Z");
  request["properties"]["created-at"] = "mine";
  EXPECT_EQ(Created(request)["properties"]["created-at"], "mine");
  request = Request();
  request["stage-create"] = false;
  EXPECT_FALSE(Created(request)["properties"].contains("created-at"));
}

TEST(NewTableMetadata, ChecksTheProperties) {
  struct Case {
    const char* key;
    const char* value;
    const char* message;
  };
  for (const Case& c :
       {Case{"commit.retry.num-retries", "x",
             "Table property commit.retry.num-retries must have integer value"},
        Case{"commit.retry.min-wait-ms", "-1",
             "Table property commit.retry.min-wait-ms must have non negative integer value"},
        Case{"write.metadata.metrics.column.nope", "full",
             "Invalid metrics config, could not find column nope from table prop "
             "write.metadata.metrics.column.nope in the schema"},
        Case{"encryption.key-id", "k",
             "Invalid properties for v2: encryption.key-id is not supported until v3"}}) {
    Json request = Request();
    request["properties"][c.key] = c.value;
    EXPECT_THAT(Create(request), IsError(ErrorKind::kValidation, c.message));
  }
  Json request = Request();
  request["properties"] = {{"commit.retry.num-retries", "0"},
                           {"write.metadata.metrics.column.point.x", "full"},
                           {"encryption.key-id", "k"},
                           {"format-version", "3"}};
  EXPECT_THAT(Create(request), IsOk());
  request["properties"]["n"] = nullptr;
  EXPECT_THAT(Create(request), IsError(ErrorKind::kInvalidArgument, HasSubstr("properties.n")));
}

TEST(NewTableMetadata, RefusesWhatItsVersionDoesNotHave) {
  Json request = Request();
  request["schema"]["fields"].push_back(
      {{"id", 40}, {"name", "v"}, {"required", false}, {"type", "variant"}});
  EXPECT_THAT(Create(request),
              IsError(ErrorKind::kValidation,
                      "Invalid schema for v2:\n- Invalid type for v: variant is not supported "
                      "until v3"));
  request["properties"]["format-version"] = "3";
  EXPECT_THAT(Create(request), IsOk());
}

TEST(NewTableMetadata, RefusesWhatItCannotRead) {
  Json request = Request();
  request.erase("schema");
  EXPECT_THAT(Create(request),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: schema"));
  request = Request();
  request["schema"]["fields"][2]["id"] = 10;
  EXPECT_THAT(Create(request), IsError(ErrorKind::kValidation, HasSubstr("10")));
  request = Request();
  request["partition-spec"] =
      Json::parse(R"({"fields": [{"name": "p", "transform": "identity", "source-id": 99}]})");
  EXPECT_THAT(Create(request), IsError(ErrorKind::kValidation,
                                       HasSubstr("Cannot find source column for partition field")));
  request = Request();
  request["stage-create"] = "yes";
  EXPECT_THAT(Create(request), IsError(ErrorKind::kInvalidArgument, HasSubstr("stage-create")));
}

TEST(NewTableMetadata, TakesANullForWhatIsLeftOut) {
  Json request = Request();
  Json expected = Created(request)["schemas"];
  for (const char* key : {"schema-id", "x-foo"}) request["schema"][key] = nullptr;
  for (const char* key : {"initial-default", "write-default"}) {
    request["schema"]["fields"][0][key] = nullptr;
  }
  EXPECT_EQ(Created(request)["schemas"], expected);
}

TEST(NewTableMetadata, KeepsUnknownMembersOfTheSchema) {
  Json request = Request();
  request["schema"]["x-foo"] = 1;
  EXPECT_EQ(Created(request)["schemas"][0]["x-foo"], 1);
}

}  // namespace
}  // namespace berglite::metadata
