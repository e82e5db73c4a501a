// Views as entries of the catalog.
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
namespace fs = std::filesystem;

Json Version(const std::string& sql, const std::string& dialect = "spark") {
  return Json{
      {"version-id", 1},
      {"timestamp-ms", 1'600'000'000'000},
      {"schema-id", 0},
      {"summary", Json::object()},
      {"default-namespace", {"ns"}},
      {"representations", Json::array({{{"type", "sql"}, {"sql", sql}, {"dialect", dialect}}})}};
}

Json ViewRequest(const std::string& name) {
  return Json{{"name", name},
              {"schema", TableRequest("t")["schema"]},
              {"view-version", Version("select 1")},
              {"properties", Json::object()}};
}

Json Replace(const std::string& sql, const Json& requirements = Json::array()) {
  return Json{{"requirements", requirements},
              {"updates",
               {{{"action", "add-view-version"}, {"view-version", Version(sql)}},
                {{"action", "set-current-view-version"}, {"view-version-id", -1}}}}};
}

Document Rename(const std::string& from, const Namespace& to_namespace, const std::string& to) {
  return Doc(Json{{"source", {{"namespace", {"ns"}}, {"name", from}}},
                  {"destination", {{"namespace", to_namespace}, {"name", to}}}});
}

class ViewTest : public CatalogTest {
 protected:
  void SetUp() override {
    CatalogTest::SetUp();
    CreateNamespace({"ns"});
  }

  Json CreateView(const std::string& name) {
    Result<Document> view = catalog_->CreateView({"ns"}, Doc(ViewRequest(name)));
    EXPECT_THAT(view, IsOk());
    return view ? Dom(*view) : Json();
  }

  Json LoadView(const std::string& name) {
    Result<Document> view = catalog_->LoadView({{"ns"}, name});
    EXPECT_THAT(view, IsOk());
    return view ? Dom(*view) : Json();
  }

  std::vector<std::string> FilesOf(const Json& view) {
    std::vector<std::string> files;
    std::string directory = PathOf(view["metadata"]["location"]) + "/metadata";
    for (const auto& file : fs::directory_iterator(directory)) files.push_back(file.path());
    return files;
  }
};

TEST_F(ViewTest, IsCreatedWithItsFile) {
  Json created = CreateView("v");
  std::string location = created["metadata-location"];
  EXPECT_EQ(created["metadata"]["location"], catalog_->warehouse() + "/ns/v");
  EXPECT_THAT(location, StartsWith(catalog_->warehouse() + "/ns/v/metadata/00000-"));
  EXPECT_THAT(location, EndsWith(".gz.metadata.json"));
  EXPECT_THAT(FileText(PathOf(location)), StartsWith("\x1f\x8b"));
  EXPECT_EQ(created["config"], Json::object());
  EXPECT_EQ(LoadView("v"), created);
  // Another handle has it from the file and not from the cache.
  auto other = Open()->LoadView({{"ns"}, "v"});
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(Dom(*other), created);
}

TEST_F(ViewTest, GoesWhereItIsAskedTo) {
  Json request = ViewRequest("v");
  request["location"] = catalog_->warehouse() + "/other";
  request["properties"] = {{"write.metadata.path", catalog_->warehouse() + "/meta/"},
                           {"write.metadata.compression-codec", "none"}};
  auto created = catalog_->CreateView({"ns"}, Doc(request));
  ASSERT_THAT(created, IsOk());
  std::string location = Dom(*created)["metadata-location"];
  EXPECT_EQ(Dom(*created)["metadata"]["location"], request["location"]);
  EXPECT_THAT(location, StartsWith(catalog_->warehouse() + "/meta/00000-"));
  EXPECT_EQ(Json::parse(FileText(PathOf(location))), Dom(*created)["metadata"]);
}

TEST_F(ViewTest, IsRefusedOutsideTheAllowedRoots) {
  Json request = ViewRequest("v");
  request["location"] = "file:///etc/x";
  EXPECT_THAT(catalog_->CreateView({"ns"}, Doc(request)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("file:///etc/x")));
  Json created = CreateView("v");
  Json move{{"updates", {{{"action", "set-location"}, {"location", "file:///etc/x"}}}}};
  EXPECT_THAT(catalog_->ReplaceView({{"ns"}, "v"}, Doc(move)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/etc/x")));
  EXPECT_EQ(LoadView("v"), created);
}

TEST_F(ViewTest, NeedsItsNamespaceAndAFreeName) {
  CreateTable("t");
  CreateView("v");
  EXPECT_THAT(catalog_->CreateView({"no"}, Doc(ViewRequest("v"))),
              IsError(ErrorKind::kNoSuchNamespace,
                      "Cannot create view no.v. Namespace does not exist: no"));
  EXPECT_THAT(catalog_->CreateView({"ns"}, Doc(ViewRequest("v"))),
              IsError(ErrorKind::kAlreadyExists, "View already exists: ns.v"));
  EXPECT_THAT(catalog_->CreateView({"ns"}, Doc(ViewRequest("t"))),
              IsError(ErrorKind::kAlreadyExists, "Table with same name already exists: ns.t"));
  EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(TableRequest("v"))),
              IsError(ErrorKind::kAlreadyExists, "View with same name already exists: ns.v"));
}

TEST_F(ViewTest, AndATableAreNeverTakenForEachOther) {
  CreateTable("t");
  CreateView("v");
  EXPECT_THAT(catalog_->ViewExists({{"ns"}, "v"}), IsOkAndHolds(true));
  EXPECT_THAT(catalog_->ViewExists({{"ns"}, "t"}), IsOkAndHolds(false));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "v"}), IsOkAndHolds(false));
  EXPECT_THAT(catalog_->LoadView({{"ns"}, "t"}),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.t"));
  EXPECT_THAT(catalog_->LoadTable({{"ns"}, "v"}, {}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.v"));
  EXPECT_THAT(catalog_->ReplaceView({{"ns"}, "t"}, Doc(Replace("x"))),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.t"));
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "v"}, Doc(SetProperty("a", "b"))),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.v"));
  EXPECT_THAT(catalog_->DropView({{"ns"}, "t"}),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.t"));
  EXPECT_THAT(catalog_->DropTable({{"ns"}, "v"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.v"));
}

TEST_F(ViewTest, IsListedByPages) {
  CreateTable("t");
  for (const char* name : {"b", "a", "c"}) CreateView(name);
  auto names = [](const Document& list) {
    std::string text;
    for (const Json& item : Dom(list)["identifiers"]) text += item["name"];
    return text;
  };
  auto all = catalog_->ListViews({"ns"}, {});
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(names(*all), "abc");
  auto first = catalog_->ListViews({"ns"}, {.page_token = "", .page_size = 2});
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(names(*first), "ab");
  auto rest = catalog_->ListViews(
      {"ns"}, {.page_token = Dom(*first)["next-page-token"].get<std::string>(), .page_size = 2});
  ASSERT_THAT(rest, IsOk());
  EXPECT_EQ(names(*rest), "c");
  auto tables = catalog_->ListTables({"ns"}, {});
  ASSERT_THAT(tables, IsOk());
  EXPECT_EQ(names(*tables), "t");
  EXPECT_THAT(catalog_->ListViews({"no"}, {}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: no"));
}

TEST_F(ViewTest, KeepsItsStateWhenItIsReplaced) {
  Json created = CreateView("v");
  Json uuid = created["metadata"]["view-uuid"];
  Json same = Json::array({{{"type", "assert-view-uuid"}, {"uuid", uuid}}});
  for (int i = 2; i <= 4; ++i) {
    auto replaced =
        catalog_->ReplaceView({{"ns"}, "v"}, Doc(Replace("select " + std::to_string(i), same)));
    ASSERT_THAT(replaced, IsOk());
    EXPECT_EQ(Dom(*replaced), LoadView("v"));
    EXPECT_EQ(Dom(*replaced)["metadata"]["view-uuid"], uuid);
    EXPECT_EQ(Dom(*replaced)["metadata"]["current-version-id"], i);
    EXPECT_THAT(std::string(Dom(*replaced)["metadata-location"]),
                HasSubstr("/0000" + std::to_string(i - 1) + "-"));
  }
  EXPECT_EQ(FilesOf(created).size(), 4u);
}

TEST_F(ViewTest, IsNotReplacedWhereItsRequirementFails) {
  Json created = CreateView("v");
  Json other = Json::array({{{"type", "assert-view-uuid"}, {"uuid", "other"}}});
  EXPECT_THAT(catalog_->ReplaceView({{"ns"}, "v"}, Doc(Replace("select 2", other))),
              IsError(ErrorKind::kCommitFailed, HasSubstr("view UUID does not match")));
  EXPECT_THAT(catalog_->ReplaceView({{"ns"}, "no"}, Doc(Replace("select 2"))),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.no"));
  EXPECT_EQ(LoadView("v"), created);
  EXPECT_EQ(FilesOf(created).size(), 1u);
}

TEST_F(ViewTest, IsNotWrittenWhereNothingChanges) {
  Json created = CreateView("v");
  auto same = catalog_->ReplaceView({{"ns"}, "v"}, Doc(Replace("select 1")));
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(Dom(*same), created);
  EXPECT_EQ(FilesOf(created).size(), 1u);
}

TEST_F(ViewTest, ReplacedByManyLosesNone) {
  CreateView("v");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      EXPECT_THAT(
          catalog_->ReplaceView({{"ns"}, "v"}, Doc(Replace("select 1" + std::to_string(i)))),
          IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  Json view = LoadView("v");
  EXPECT_EQ(view["metadata"]["versions"].size(), 9u);
  EXPECT_EQ(view["metadata"]["current-version-id"], 9);
  EXPECT_EQ(FilesOf(view).size(), 9u);
}

TEST_F(ViewTest, LeavesItsFilesWhenItIsDropped) {
  Json created = CreateView("v");
  EXPECT_THAT(catalog_->DropView({{"ns"}, "v"}), IsOk());
  EXPECT_THAT(catalog_->DropView({{"ns"}, "v"}),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.v"));
  EXPECT_TRUE(fs::exists(PathOf(created["metadata-location"])));
  EXPECT_THAT(catalog_->DropNamespace({"ns"}), IsOk());
}

TEST_F(ViewTest, KeepsItsNamespaceFromBeingDropped) {
  CreateView("v");
  EXPECT_THAT(catalog_->DropNamespace({"ns"}),
              IsError(ErrorKind::kNamespaceNotEmpty, HasSubstr("is not empty")));
}

TEST_F(ViewTest, IsRegisteredAsItStands) {
  Json created = CreateView("v");
  Json request{{"name", "w"}, {"metadata-location", created["metadata-location"]}};
  auto registered = catalog_->RegisterView({"ns"}, Doc(request));
  ASSERT_THAT(registered, IsOk());
  EXPECT_EQ(Dom(*registered), created);
  EXPECT_EQ(LoadView("w"), created);
}

TEST_F(ViewTest, IsNotRegisteredWhereItCannotBe) {
  Json table = CreateTable("t");
  Json created = CreateView("v");
  auto try_register = [&](const Namespace& name_space, const std::string& name,
                          const std::string& location) {
    return catalog_->RegisterView(name_space,
                                  Doc(Json{{"name", name}, {"metadata-location", location}}));
  };
  std::string location = created["metadata-location"];
  EXPECT_THAT(try_register({"ns"}, "v", location),
              IsError(ErrorKind::kAlreadyExists, "View already exists: ns.v"));
  EXPECT_THAT(try_register({"ns"}, "t", location),
              IsError(ErrorKind::kAlreadyExists, "Table with same name already exists: ns.t"));
  EXPECT_THAT(try_register({"no"}, "w", location),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("Namespace does not exist: no")));
  EXPECT_THAT(try_register({"ns"}, "w", catalog_->warehouse() + "/ns/gone.metadata.json"),
              IsError(ErrorKind::kNotFound, HasSubstr("gone.metadata.json")));
  EXPECT_THAT(try_register({"ns"}, "w", "file:///etc/passwd"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/etc")));
  EXPECT_THAT(try_register({"ns"}, "w", table["metadata-location"]),
              IsError(ErrorKind::kValidation, HasSubstr("Invalid view metadata in")));
  EXPECT_THAT(try_register({"ns"}, "w", ""),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot register an empty metadata file location as a view"));
  EXPECT_THAT(
      catalog_->RegisterTable({"ns"}, Doc(Json{{"name", "v"}, {"metadata-location", location}})),
      IsError(ErrorKind::kAlreadyExists, "View with same name already exists: ns.v"));
}

TEST_F(ViewTest, IsRenamedAsItStands) {
  Json created = CreateView("v");
  CreateNamespace({"other"});
  EXPECT_THAT(catalog_->RenameView(Rename("v", {"other"}, "w")), IsOk());
  auto renamed = catalog_->LoadView({{"other"}, "w"});
  ASSERT_THAT(renamed, IsOk());
  EXPECT_EQ(Dom(*renamed), created);
  EXPECT_THAT(catalog_->ViewExists({{"ns"}, "v"}), IsOkAndHolds(false));
}

TEST_F(ViewTest, IsNotRenamedOverAnother) {
  CreateTable("t");
  CreateView("v");
  CreateView("w");
  EXPECT_THAT(catalog_->RenameView(Rename("no", {"missing"}, "x")),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: missing"));
  EXPECT_THAT(catalog_->RenameView(Rename("t", {"ns"}, "x")),
              IsError(ErrorKind::kNoSuchView, "View does not exist: ns.t"));
  EXPECT_THAT(
      catalog_->RenameView(Rename("v", {"ns"}, "w")),
      IsError(ErrorKind::kAlreadyExists, "Cannot rename ns.v to ns.w. View already exists"));
  EXPECT_THAT(
      catalog_->RenameView(Rename("v", {"ns"}, "t")),
      IsError(ErrorKind::kAlreadyExists, "Cannot rename ns.v to ns.t. Table already exists"));
  EXPECT_THAT(
      catalog_->RenameTable(Rename("t", {"ns"}, "v")),
      IsError(ErrorKind::kAlreadyExists, "Cannot rename ns.t to ns.v. View already exists"));
  EXPECT_THAT(catalog_->RenameView(Rename("v", {"ns"}, "v")), IsOk());
}

TEST_F(ViewTest, WhoseFileIsGoneOrDamagedIsNotLoaded) {
  std::string path = PathOf(CreateView("v")["metadata-location"]);
  fs::remove(path);
  EXPECT_THAT(catalog_->LoadView({{"ns"}, "v"}), IsError(ErrorKind::kNotFound, HasSubstr(path)));
  std::ofstream(path) << "{}";
  EXPECT_THAT(catalog_->LoadView({{"ns"}, "v"}),
              IsError(ErrorKind::kInternal, HasSubstr("Invalid view metadata in")));
}

}  // namespace
}  // namespace berglite::testing
