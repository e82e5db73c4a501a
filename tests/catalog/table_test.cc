#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class TableTest : public CatalogTest {
 protected:
  static Document Rename(const std::string& from, const Namespace& to_namespace,
                         const std::string& to) {
    return Doc(Json{{"source", {{"namespace", {"ns"}}, {"name", from}}},
                    {"destination", {{"namespace", to_namespace}, {"name", to}}}});
  }
};

TEST_F(TableTest, IsCreatedWithItsFileAndDirectories) {
  Json created = CreateTable("t");
  std::string location = catalog_->warehouse() + "/ns/t";
  EXPECT_EQ(created["metadata"]["location"], location);
  std::string metadata_location = created["metadata-location"];
  EXPECT_THAT(metadata_location, StartsWith(location + "/metadata/00000-"));
  EXPECT_EQ(Json::parse(FileText(PathOf(metadata_location))), created["metadata"]);
  EXPECT_TRUE(fs::is_directory(PathOf(location) + "/data"));
  EXPECT_EQ(Load("t"), created);
}

TEST_F(TableTest, IsCreatedOnce) {
  CreateTable("t");
  EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(TableRequest("t"))),
              IsError(ErrorKind::kAlreadyExists, "Table already exists: ns.t"));
}

TEST_F(TableTest, NeedsItsNamespace) {
  EXPECT_THAT(
      catalog_->CreateTable({"non-existing"}, Doc(TableRequest("t"))),
      IsError(ErrorKind::kNoSuchNamespace, HasSubstr("Namespace does not exist: non-existing")));
}

TEST_F(TableTest, StagedIsNotStored) {
  CreateNamespace({"ns"});
  Json request = TableRequest("t");
  request["stage-create"] = true;
  auto staged = catalog_->CreateTable({"ns"}, Doc(request));
  ASSERT_THAT(staged, IsOk());
  EXPECT_EQ(staged->etag, "");
  EXPECT_FALSE(Dom(*staged).contains("metadata-location"));
  EXPECT_TRUE(fs::is_directory(PathOf(Dom(*staged)["metadata"]["location"]) + "/metadata"));
  EXPECT_TRUE(fs::is_empty(PathOf(Dom(*staged)["metadata"]["location"]) + "/metadata"));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
}

TEST_F(TableTest, OddNamesGetSafeDirectoriesOfTheirOwn) {
  CreateNamespace({".."});
  for (const char* name : {"foo/bar", "foo_bar", "..", "a b", "\u6570\u636e"}) {
    auto created = catalog_->CreateTable({".."}, Doc(TableRequest(name)));
    ASSERT_THAT(created, IsOk()) << name;
    std::string location = Dom(*created)["metadata"]["location"];
    std::string rest = location.substr(catalog_->warehouse().size() + 1);
    EXPECT_EQ(std::count(rest.begin(), rest.end(), '/'), 1) << location;
    EXPECT_EQ(rest.find(".."), std::string::npos) << location;
    EXPECT_TRUE(fs::exists(PathOf(location))) << location;
  }
  auto listed = catalog_->ListTables({".."}, {});
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(Dom(*listed)["identifiers"].size(), 5u);
}

TEST_F(TableTest, DoesNotShareTheDirectoryOfADroppedOne) {
  Json first = CreateTable("t");
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  EXPECT_TRUE(fs::exists(PathOf(first["metadata-location"])));
  Json second = CreateTable("t");
  EXPECT_NE(second["metadata"]["location"], first["metadata"]["location"]);
  EXPECT_THAT(std::string(second["metadata"]["location"]),
              StartsWith(std::string(first["metadata"]["location"]) + "-"));
}

TEST_F(TableTest, TakesTheRequestedLocationVerbatimWithinTheWarehouse) {
  CreateNamespace({"ns"});
  Json request = TableRequest("t");
  std::string location = "file:" + PathOf(catalog_->warehouse()) + "/elsewhere/x";
  request["location"] = location;
  auto created = catalog_->CreateTable({"ns"}, Doc(request));
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ(Dom(*created)["metadata"]["location"], location);
}

TEST_F(TableTest, GoesBelowTheLocationOfItsNamespace) {
  std::string location = catalog_->warehouse() + "/custom";
  ASSERT_THAT(catalog_->CreateNamespace(
                  Doc(Json{{"namespace", {"ns"}}, {"properties", {{"location", location}}}})),
              IsOk());
  EXPECT_EQ(CreateTable("t")["metadata"]["location"], location + "/t");
}

TEST_F(TableTest, IsRefusedOutsideTheAllowedRoots) {
  CreateNamespace({"ns"});
  std::string inside = catalog_->warehouse();
  for (const std::string& location :
       {std::string("file:///etc/x"), inside + "/../../x", std::string("s3://bucket/x"),
        std::string("relative/x"), std::string("file://host/x")}) {
    Json request = TableRequest("t");
    request["location"] = location;
    EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(request)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(location)));
    request["stage-create"] = true;
    EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(request)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(location)));
  }
  Json request = TableRequest("t");
  request["properties"] = {{"write.metadata.path", "file:///etc/x"}};
  EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/etc/x")));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
}

TEST_F(TableTest, LoadAnswersByETag) {
  CreateTable("t");
  auto loaded = catalog_->LoadTable({{"ns"}, "t"}, {});
  ASSERT_THAT(loaded, IsOk());
  std::string etag = loaded->etag;
  for (std::string header : {etag, "W/" + etag, "\"x\", " + etag, std::string("*")}) {
    auto again = catalog_->LoadTable({{"ns"}, "t"}, {.if_none_match = header});
    ASSERT_THAT(again, IsOk());
    EXPECT_FALSE(again->body.has_value()) << header;
  }
  auto refs =
      catalog_->LoadTable({{"ns"}, "t"}, {.snapshots = SnapshotMode::kRefs, .if_none_match = etag});
  ASSERT_THAT(refs, IsOk());
  EXPECT_TRUE(refs->body.has_value());
  EXPECT_NE(refs->etag, etag);

  auto committed = catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v")));
  ASSERT_THAT(committed, IsOk());
  EXPECT_NE(committed->etag, etag);
  auto after = catalog_->LoadTable({{"ns"}, "t"}, {.if_none_match = etag});
  ASSERT_THAT(after, IsOk());
  ASSERT_TRUE(after->body.has_value());
  EXPECT_EQ(after->etag, committed->etag);
}

TEST_F(TableTest, WhoseFileHasVanishedIsNotFoundThoughItWasCached) {
  Json created = CreateTable("t");
  Load("t");
  std::string metadata_location = created["metadata-location"];
  fs::remove(PathOf(metadata_location));
  EXPECT_THAT(
      catalog_->LoadTable({{"ns"}, "t"}, {.if_none_match = "*"}),
      IsError(ErrorKind::kNotFound, "Failed to open input stream for file: " + metadata_location));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(true));
}

TEST_F(TableTest, WhoseFileIsDamagedIsAnInternalErrorForReadersAndAValidationErrorForWriters) {
  Json created = CreateTable("t");
  std::string metadata_location = created["metadata-location"];
  std::unique_ptr<Catalog> other = Open();
  std::ofstream(PathOf(metadata_location), std::ios::trunc) << "{\"format-version\":2}";
  EXPECT_THAT(other->LoadTable({{"ns"}, "t"}, {}),
              IsError(ErrorKind::kInternal, HasSubstr(metadata_location)));
  EXPECT_THAT(other->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))),
              IsError(ErrorKind::kValidation, HasSubstr(metadata_location)));
}

TEST_F(TableTest, MissingIsNoSuchTableWhateverIsMissing) {
  CreateNamespace({"ns"});
  EXPECT_THAT(catalog_->LoadTable({{"ns"}, "t"}, {}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
  EXPECT_THAT(catalog_->LoadTable({{"ns", "tbl"}, "files"}, {}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.tbl.files"));
  EXPECT_THAT(catalog_->DropTable({{"x"}, "t"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: x.t"));
  EXPECT_THAT(catalog_->UpdateTable({{"x"}, "t"}, Doc("{}")),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: x.t"));
}

TEST_F(TableTest, IsListedInPagesByName) {
  for (const char* name : {"b", "a", "c"}) CreateTable(name);
  auto first = catalog_->ListTables({"ns"}, {.page_token = "", .page_size = 2});
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(Dom(*first)["identifiers"],
            Json::parse(R"([{"namespace":["ns"],"name":"a"},{"namespace":["ns"],"name":"b"}])"));
  auto second = catalog_->ListTables(
      {"ns"}, {.page_token = Dom(*first)["next-page-token"].get<std::string>()});
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(Dom(*second)["identifiers"], Json::parse(R"([{"namespace":["ns"],"name":"c"}])"));
  EXPECT_TRUE(Dom(*second)["next-page-token"].is_null());
  EXPECT_THAT(catalog_->ListTables({"x"}, {}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: x"));
}

TEST_F(TableTest, IsRenamedAcrossNamespaces) {
  Json created = CreateTable("t");
  CreateNamespace({"other"});
  ASSERT_THAT(catalog_->RenameTable(Rename("t", {"other"}, "u")), IsOk());
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
  auto loaded = catalog_->LoadTable({{"other"}, "u"}, {});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(Dom(*loaded), created);
}

TEST_F(TableTest, RenameChecksBothEnds) {
  CreateTable("t");
  CreateTable("u");
  EXPECT_THAT(catalog_->RenameTable(Rename("x", {"ns"}, "y")),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.x"));
  EXPECT_THAT(catalog_->RenameTable(Rename("t", {"non_existing"}, "y")),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: non_existing"));
  EXPECT_THAT(catalog_->RenameTable(Rename("t", {"ns"}, "u")),
              IsError(ErrorKind::kAlreadyExists, "Table already exists: ns.u"));
  EXPECT_THAT(catalog_->RenameTable(Rename("t", {"ns"}, "t")), IsOk());
  EXPECT_THAT(catalog_->RenameTable(Doc(R"({"source":{"namespace":["ns"],"name":"t"}})")),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: destination"));
}

TEST_F(TableTest, IsRegisteredUnderItsFile) {
  Json created = CreateTable("t");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  Json current = Load("t");
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  Json request{{"name", "r"}, {"metadata-location", current["metadata-location"]}};
  auto registered = catalog_->RegisterTable({"ns"}, Doc(request));
  ASSERT_THAT(registered, IsOk());
  EXPECT_EQ(Dom(*registered), current);
  auto committed = catalog_->UpdateTable({{"ns"}, "r"}, Doc(SetProperty("k", "w")));
  ASSERT_THAT(committed, IsOk());
  EXPECT_THAT(std::string(Dom(*committed)["metadata-location"]), HasSubstr("/metadata/00002-"));
}

// Tools without a catalog number their files and start over when a table is made anew, so a path
// may come back with another table in it.
TEST_F(TableTest, RegisterReadsTheFileAsItIsNow) {
  Json created = CreateTable("t");
  Json request{{"name", "r"}, {"metadata-location", catalog_->warehouse() + "/v1.metadata.json"}};
  for (const char* uuid :
       {"9c12d441-03fe-4693-9a96-a0705ddf69c1", "0b2f2c84-5d5b-4a0e-8a44-3c7d0d9f6a11"}) {
    created["metadata"]["table-uuid"] = uuid;
    std::ofstream(PathOf(request["metadata-location"])) << created["metadata"].dump();
    ASSERT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)), IsOk());
    EXPECT_EQ(Load("r")["metadata"]["table-uuid"], uuid);
    ASSERT_THAT(catalog_->DropTable({{"ns"}, "r"}), IsOk());
  }
}

TEST_F(TableTest, RegisterRefusesWhatItMust) {
  Json created = CreateTable("t");
  Json request{{"name", "t"}, {"metadata-location", created["metadata-location"]}};
  EXPECT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kAlreadyExists, "Table already exists: ns.t"));
  request["name"] = "r";
  EXPECT_THAT(catalog_->RegisterTable({"x"}, Doc(request)),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("Namespace does not exist: x")));
  request["metadata-location"] = "";
  EXPECT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot register an empty metadata file location as a table"));
  std::string missing = catalog_->warehouse() + "/none.metadata.json";
  request["metadata-location"] = missing;
  EXPECT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kNotFound, "Failed to open input stream for file: " + missing));
  request["metadata-location"] = "file:///etc/passwd";
  EXPECT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
}

TEST_F(TableTest, RegisterWithOverwriteReplacesThePointer) {
  Json t = CreateTable("t");
  Json u = CreateTable("u");
  Json request{{"name", "t"}, {"metadata-location", u["metadata-location"]}, {"overwrite", true}};
  ASSERT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)), IsOk());
  EXPECT_EQ(Load("t"), u);
  ASSERT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)), IsOk());
  EXPECT_EQ(Load("t"), u);
}

}  // namespace
}  // namespace berglite::testing
