// PlanRelocation and Relocate: a catalog agrees with a directory that has been moved, and what
// cannot be relocated is as it was.
#include <filesystem>
#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/warehouses.h"
#include "lib/catalog/file_reach.h"
#include "lib/manifest/rewrite.h"
#include "lib/metadata/named_files.h"
#include "tests/catalog/purge_fixture.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
namespace fs = std::filesystem;

// Asks a test before each new file is written.
class WatchedFileIO final : public ForwardingFileIO {
 public:
  using Watch = std::function<Status(const std::string& location)>;
  WatchedFileIO(std::shared_ptr<FileIO> inner, Watch watch)
      : ForwardingFileIO(std::move(inner)), watch_(std::move(watch)) {}

  Status WriteNew(const std::string& location, std::string_view bytes) override {
    BERGLITE_RETURN_IF_ERROR(watch_(location));
    return ForwardingFileIO::WriteNew(location, bytes);
  }

 private:
  Watch watch_;
};

class RelocateTest : public PurgeTest {
 protected:
  std::string moved() const { return directory_ / "moved place"; }

  // Moves the warehouse while no catalog is open, and opens one that may write to where it is.
  void Move() {
    catalog_.reset();
    fs::rename(warehouse(), moved());
    catalog_ = Open("", {moved()});
    fs::remove(warehouse());
  }
  // As Move, with a storage that is watched.
  void MoveWatched(WatchedFileIO::Watch watch) {
    Move();
    auto file_io = std::make_shared<WatchedFileIO>(*MakeLocalFileIO({moved()}), std::move(watch));
    Result<std::unique_ptr<Catalog>> catalog =
        Catalog::Open(directory_ / "lake.db",
                      {.warehouse = moved(), .file_io = file_io, .environment = &environment_});
    ASSERT_THAT(catalog, IsOk());
    catalog_ = *std::move(catalog);
  }

  RelocationReport Take(const Result<RelocationReport>& report) {
    EXPECT_THAT(report, IsOk());
    return report ? *report : RelocationReport();
  }
  RelocationReport Plan() {
    return Take(catalog_->PlanRelocation({.from = warehouse(), .to = moved()}));
  }
  RelocationReport Relocate() {
    return Take(catalog_->Relocate({.from = warehouse(), .to = moved()}));
  }

  // Such as `table ns.t 3 files`, or what keeps it from being relocated.
  static std::vector<std::string> Items(const RelocationReport& report) {
    constexpr const char* kKinds[] = {"table ", "view ", "function ", "namespace "};
    std::vector<std::string> items;
    for (const RelocationReport::Item& item : report.items) {
      std::string text = kKinds[static_cast<int>(item.kind)];
      for (const std::string& level : item.name.name_space) text += level + ".";
      text += item.name.name + " ";
      items.push_back(text + (item.obstacle.empty()
                                  ? std::to_string(item.rewritten_files) + " files"
                                  : "stays: " + item.obstacle));
    }
    return items;
  }

  // Real paths of all files that the table reaches.
  std::set<std::string> FilesOf(const std::string& name) {
    std::set<std::string> files;
    auto file_io = *MakeLocalFileIO({moved()});
    catalog::FileWalk walk(
        *file_io, {.on_file = [&](const std::string& location) -> Status {
                     files.insert(catalog::PathOf(location));
                     return {};
                   },
                   .on_unreadable = [](const std::string& location, const Error& error) -> Status {
                     return Error{error.kind, location};
                   }});
    const Json table = Load(name);
    EXPECT_THAT(walk.Walk(table["metadata-location"], metadata::FilesNamedIn(table["metadata"])),
                IsOk());
    return files;
  }
  void ExpectAllInPlace(const std::string& name) {
    for (const std::string& file : FilesOf(name)) {
      EXPECT_THAT(file, StartsWith(moved() + "/"));
      if (file.ends_with("/gone.parquet")) continue;  // of a deleted entry
      EXPECT_TRUE(fs::exists(file)) << file;
    }
  }

  static std::string Puffin(const std::string& data_file) {
    const std::string payload = R"({"blobs":[{"properties":{"referenced-data-file":")" + data_file +
                                R"("},"type":"deletion-vector-v1"}]})";
    std::string length(4, '\0');
    length[0] = static_cast<char>(payload.size());
    return "PFA1vectorPFA1" + payload + length + std::string(4, '\0') + "PFA1";
  }

  // A table of version 3 with a deletion vector, equality deletes, and two snapshots that share a
  // manifest. Returns its location.
  std::string MakeBig(const std::string& name) {
    std::string location = MakeTable(name, {{"format-version", "3"}});
    const std::string data = Touch(location + "/data/a.parquet");
    const std::string gone = location + "/data/gone.parquet";
    const std::string vectors = Touch(location + "/data/v.puffin");
    std::ofstream(vectors) << Puffin("file://" + data);
    const std::string equality = Touch(location + "/data/e.parquet");
    const std::string data_manifest = Touch(location + "/metadata/m0.avro");
    const std::string delete_manifest = Touch(location + "/metadata/m1.avro");
    WriteManifest(data_manifest, 3, {{"file://" + data}, {gone, 0, 2}});
    WriteManifest(delete_manifest, 3,
                  {{"file:" + equality, 2}, {"file://" + vectors, 1, 1, true, "file://" + data}});
    const std::string first = Touch(location + "/metadata/snap-1.avro");
    const std::string second = Touch(location + "/metadata/snap-2.avro");
    WriteManifestList(first, 3, {{"file://" + data_manifest}});
    WriteManifestList(second, 3, {{"file://" + data_manifest}, {delete_manifest, 1}});
    AddSnapshots(name, {first, second});
    return location;
  }
};

TEST_F(RelocateTest, MovesAllThatNamesFiles) {
  MakeBig("big");
  Commit("big",
         SetProperty("write.data.path", "file://" + warehouse() + "/ns/big/d")["updates"][0]);
  const Json before = Load("big")["metadata"];
  Move();
  const std::vector<std::string> tree = Tree(moved());
  const RelocationReport plan = Plan();
  // Two lists, two manifests, a file of deletion vectors.
  EXPECT_THAT(Items(plan), ElementsAre("table ns.big 5 files"));
  EXPECT_EQ(plan.items[0].missing_files, 0) << plan.items[0].first_missing;
  EXPECT_EQ(Tree(moved()), tree);
  EXPECT_THAT(catalog_->LoadTable({{"ns"}, "big"}, {}),
              IsError(ErrorKind::kNotFound, HasSubstr(warehouse())));

  EXPECT_EQ(Items(Relocate()), Items(plan));
  ExpectAllInPlace("big");
  EXPECT_EQ(Tree(moved()).size(), tree.size() + 6);
  const Json after = Load("big")["metadata"];
  EXPECT_EQ(after["location"], "file://" + moved() + "/ns/big");
  EXPECT_EQ(after["properties"]["write.data.path"], "file://" + moved() + "/ns/big/d");
  EXPECT_EQ(after["table-uuid"], before["table-uuid"]);
  EXPECT_EQ(after["snapshot-log"], before["snapshot-log"]);
  EXPECT_EQ(after["metadata-log"].size(), before["metadata-log"].size() + 1);
  EXPECT_THAT(Items(Relocate()), IsEmpty());
  EXPECT_THAT(catalog_->Check()->findings, IsEmpty());
}

TEST_F(RelocateTest, GivesDeletionVectorsTheirDataFilesAndSizes) {
  MakeBig("big");
  Move();
  Relocate();
  const std::string data_file = "file://" + moved() + "/ns/big/data/a.parquet";
  std::vector<std::string> vectors;
  for (const std::string& file : FilesOf("big")) {
    if (!file.ends_with(".avro")) continue;
    const std::string text = FileText(file);
    // Manifest lists are no manifests.
    (void)manifest::RewriteManifest(
        file,
        [&](uint64_t offset, size_t size) -> Result<std::string> {
          return text.substr(std::min<size_t>(offset, text.size()), size);
        },
        [&](const manifest::EditedEntry& entry) -> Result<manifest::EntryLocations> {
          if (entry.file_format != "PUFFIN") return entry.locations;
          vectors.push_back(FileText(PathOf(entry.locations.file_path)));
          EXPECT_EQ(entry.locations.file_size_in_bytes, vectors.back().size());
          EXPECT_EQ(entry.locations.referenced_data_file, data_file);
          return entry.locations;
        })
        .has_value();
  }
  EXPECT_THAT(vectors, ElementsAre(Puffin(data_file)));
}

TEST_F(RelocateTest, MovesViewsFunctionsAndNamespaces) {
  ASSERT_THAT(
      catalog_->CreateNamespace(Doc(Json{
          {"namespace", {"ns"}},
          {"properties", {{"location", "file://" + warehouse() + "/ns"}, {"comment", "mine"}}}})),
      IsOk());
  const Json version{{"version-id", 1},
                     {"timestamp-ms", 1'600'000'000'000},
                     {"schema-id", 0},
                     {"summary", Json::object()},
                     {"default-namespace", {"ns"}},
                     {"representations",
                      Json::array({{{"type", "sql"}, {"sql", "select 1"}, {"dialect", "spark"}}})}};
  ASSERT_THAT(catalog_->CreateView({"ns"}, Doc(Json{{"name", "v"},
                                                    {"schema", TableRequest("t")["schema"]},
                                                    {"view-version", version},
                                                    {"properties", Json::object()}})),
              IsOk());
  const std::string function = Touch(warehouse() + "/f.json");
  std::ofstream(function) << Json{{"function-uuid", "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2"},
                                  {"format-version", 1},
                                  {"definitions", Json::array()},
                                  {"definition-log", Json::array()}};
  ASSERT_THAT(catalog_->RegisterFunction({{"ns"}, "f"}, "file://" + function), IsOk());
  const std::string placed = Touch(warehouse() + "/placed.json");
  std::ofstream(placed) << Json{{"function-uuid", "42fd3f91-bc10-41c1-8a52-92b57dd0a9b3"},
                                {"format-version", 1},
                                {"location", "file://" + warehouse() + "/placed"},
                                {"definitions", Json::array()},
                                {"definition-log", Json::array()}};
  ASSERT_THAT(catalog_->RegisterFunction({{"ns"}, "g"}, "file://" + placed), IsOk());
  Move();
  const RelocationReport plan = Plan();
  EXPECT_THAT(Items(plan), ElementsAre("view ns.v 0 files", "function ns.f 0 files",
                                       "function ns.g 0 files", "namespace ns. 0 files"));
  EXPECT_EQ(Items(Relocate()), Items(plan));
  auto view = catalog_->LoadView({{"ns"}, "v"});
  ASSERT_THAT(view, IsOk());
  EXPECT_EQ(Dom(*view)["metadata"]["location"], "file://" + moved() + "/ns/v");
  auto loaded = catalog_->LoadFunction({{"ns"}, "f"});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(Dom(*loaded)["metadata-location"], "file://" + moved() + "/f.json");
  loaded = catalog_->LoadFunction({{"ns"}, "g"});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(Dom(*loaded)["metadata"]["location"], "file://" + moved() + "/placed");
  auto name_space = catalog_->LoadNamespaceMetadata({"ns"});
  ASSERT_THAT(name_space, IsOk());
  EXPECT_EQ(Dom(*name_space)["properties"],
            (Json{{"comment", "mine"}, {"location", "file://" + moved() + "/ns"}}));
  EXPECT_THAT(Items(Plan()), IsEmpty());
}

// Version 1 may name manifests in the metadata itself.
TEST_F(RelocateTest, MovesManifestsOfSnapshotsWithoutAList) {
  const std::string location = MakeTable("old", {{"format-version", "1"}});
  const std::string data = Touch(location + "/data/a.parquet");
  const std::string manifest = Touch(location + "/metadata/m0.avro");
  WriteManifest(manifest, 1, {{data}});
  Json metadata = Load("old")["metadata"];
  metadata["snapshots"] = {{{"snapshot-id", 7},
                            {"timestamp-ms", environment_.NowMs()},
                            {"manifests", {"file:" + manifest}},
                            {"summary", {{"operation", "append"}}}}};
  metadata["current-snapshot-id"] = 7;
  const std::string file = Touch(location + "/metadata/7.metadata.json");
  std::ofstream(file) << metadata;
  ASSERT_THAT(Register("older", "file://" + file), IsOk());
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "old"}), IsOk());
  Move();
  EXPECT_THAT(Items(Relocate()), ElementsAre("table ns.older 1 files"));
  ExpectAllInPlace("older");
  EXPECT_THAT(FilesOf("older"), Contains(moved() + "/ns/old/data/a.parquet"));
}

TEST_F(RelocateTest, WritesWhatTablesShareOnce) {
  const std::string location = MakeBig("big");
  ASSERT_THAT(Register("twin", Load("big")["metadata-location"]), IsOk());
  Move();
  EXPECT_THAT(Items(Relocate()), ElementsAre("table ns.big 5 files", "table ns.twin 2 files"));
  ExpectAllInPlace("big");
  ExpectAllInPlace("twin");
}

// A file system that fails at any step leaves all as it was, and the next attempt succeeds.
TEST_F(RelocateTest, LeavesNothingBehindWhereADiskFails) {
  MakeBig("big");
  int writes_left = 0;
  MoveWatched([&](const std::string&) -> Status {
    if (writes_left-- > 0) return {};
    return Error{ErrorKind::kUnavailable, "the disk is full"};
  });
  const std::vector<std::string> tree = Tree(moved());
  // Five files and the metadata.
  for (int good = 0; good < 6; ++good) {
    writes_left = good;
    EXPECT_THAT(Items(Relocate()), ElementsAre("table ns.big stays: the disk is full"));
    EXPECT_EQ(Tree(moved()), tree);
  }
  writes_left = 6;
  EXPECT_THAT(Items(Relocate()), ElementsAre("table ns.big 5 files"));
  ExpectAllInPlace("big");
}

TEST_F(RelocateTest, LosesToAChangeThatComesBetween) {
  MakeBig("big");
  bool is_dropped = false;
  MoveWatched([&](const std::string&) -> Status {
    if (is_dropped) return {};
    is_dropped = true;
    return Open("", {moved()})->DropTable({{"ns"}, "big"});
  });
  fs::remove(warehouse());
  const std::vector<std::string> tree = Tree(moved());
  EXPECT_THAT(Items(Relocate()), ElementsAre("table ns.big stays: It was changed meanwhile"));
  EXPECT_EQ(Tree(moved()), tree);
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "big"}), IsOkAndHolds(false));
}

TEST_F(RelocateTest, LeavesTablesWithPositionDeletesAlone) {
  const std::string location = MakeTable("positions");
  const std::string deletes = Touch(location + "/data/p.parquet");
  AddSnapshotOf("positions", location + "/metadata", "1", {{"file://" + deletes, 1}});
  // Where they are gone again, and the snapshots with them, nothing keeps the table.
  const std::string other = MakeTable("other");
  AddSnapshotOf("other", other + "/metadata", "1", {{other + "/data/p.parquet", 1, 2}});
  Move();
  const std::vector<std::string> tree = Tree(moved() + "/ns/positions");
  const RelocationReport report = Relocate();
  EXPECT_THAT(Items(report),
              ElementsAre("table ns.other 2 files",
                          AllOf(StartsWith("table ns.positions stays: It has files of position"),
                                HasSubstr(deletes))));
  EXPECT_EQ(report.items[1].rewritten_files, 0);
  EXPECT_EQ(Tree(moved() + "/ns/positions"), tree);
  EXPECT_THAT(catalog_->LoadTable({{"ns"}, "positions"}, {}),
              IsError(ErrorKind::kNotFound, HasSubstr(warehouse())));
}

TEST_F(RelocateTest, TellsWhatCannotBeReadAndWhatIsMissing) {
  const std::string broken = MakeTable("broken");
  AddSmallSnapshot("broken", broken, "1");
  const std::string lost = MakeTable("lost");
  const std::string short_of = MakeTable("short");
  AddSmallSnapshot("short", short_of, "1");
  Move();
  std::ofstream(moved() + "/ns/broken/metadata/1-m0.avro") << "no Avro";
  fs::remove_all(moved() + "/ns/lost");
  fs::remove(moved() + "/ns/short/data/1.parquet");
  const RelocationReport report = Relocate();
  EXPECT_THAT(
      Items(report),
      ElementsAre(AllOf(StartsWith("table ns.broken stays: Cannot read manifest file://" + moved()),
                        HasSubstr("it is not an Avro file")),
                  StartsWith("table ns.lost stays: Failed to open input stream for file: file://" +
                             moved()),
                  "table ns.short 2 files"));
  EXPECT_EQ(report.items[2].missing_files, 1);
  EXPECT_EQ(report.items[2].first_missing, "file://" + moved() + "/ns/short/data/1.parquet");
}

TEST_F(RelocateTest, PassesOverWhatWasNeverInTheDirectory) {
  const std::string elsewhere = directory_ / "elsewhere";
  catalog_ = Open("", {elsewhere});
  MakeTable("far", Json::object(), elsewhere + "/far");
  AddSmallSnapshot("far", elsewhere + "/far", "1");
  store::RawDatabase(directory_ / "lake.db")
      .Run(
          "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, iceberg_type, "
          "metadata_location) VALUES ('default', 'ns', 'cloud', 'TABLE', 's3://b/m.json'), "
          "('default', 'ns', 'last', 'MVIEW', '/elsewhere/x'), "
          "('default', 'ns', 'later', 'MVIEW', 'file://" +
          warehouse() + "/x')");
  catalog_.reset();
  fs::rename(warehouse(), moved());
  catalog_ = Open("", {elsewhere, moved()});
  const std::string before = Load("far")["metadata-location"];
  EXPECT_THAT(Items(Relocate()),
              ElementsAre("table ns.later stays: It is of the unknown kind MVIEW"));
  EXPECT_EQ(Load("far")["metadata-location"], before);
}

TEST_F(RelocateTest, RemovesTheMetadataFilesThatFallOutOfTheLog) {
  MakeTable("t", {{"write.metadata.previous-versions-max", "2"},
                  {"write.metadata.delete-after-commit.enabled", "true"}});
  for (const char* value : {"1", "2", "3"}) Commit("t", SetProperty("p", value)["updates"][0]);
  Move();
  auto count = [&] { return Tree(moved() + "/ns/t/metadata").size(); };
  EXPECT_EQ(count(), 3U);
  EXPECT_THAT(Items(Plan()), ElementsAre("table ns.t 0 files"));
  EXPECT_EQ(count(), 3U);
  Relocate();
  EXPECT_EQ(count(), 3U);
  const Json log = Load("t")["metadata"]["metadata-log"];
  EXPECT_EQ(log.size(), 2U);
  for (const Json& entry : log) {
    EXPECT_TRUE(fs::exists(PathOf(entry["metadata-file"])));
  }
}

// Data files that a table has taken in from elsewhere.
TEST_F(RelocateTest, MovesDataFilesOfATableThatStays) {
  const std::string inbox = directory_ / "inbox";
  const std::string location = MakeTable("t");
  const std::string data = Touch(inbox + "/a.parquet");
  AddSnapshotOf("t", location + "/metadata", "1", {{data}, {location + "/data/b.parquet"}});
  catalog_ = Open("", {moved()});
  fs::rename(inbox, moved());
  const RelocationReport report =
      Take(catalog_->Relocate({.from = "file://" + inbox, .to = moved() + "/"}));
  EXPECT_THAT(Items(report), ElementsAre("table ns.t 2 files"));
  EXPECT_EQ(report.items[0].missing_files, 1);
  EXPECT_EQ(report.items[0].first_missing, location + "/data/b.parquet");
  EXPECT_THAT(FilesOf("t"),
              AllOf(Contains(moved() + "/a.parquet"), Contains(location + "/data/b.parquet")));
}

TEST_F(RelocateTest, MovesTheRecordedWarehouse) {
  const std::string lab = directory_ / "lab";
  {
    auto warehouses = Warehouses::Open(directory_ / "lake.db");
    ASSERT_THAT(warehouses, IsOk());
    ASSERT_THAT((*warehouses)->Add("lab", lab), IsOk());
  }
  catalog_.reset();
  fs::create_directory(moved());
  catalog_ = Open("lab", {moved()});
  const RelocationOptions options{.from = lab, .to = moved()};
  const RelocationReport plan = Take(catalog_->PlanRelocation(options));
  EXPECT_EQ(plan.warehouse_from, "file://" + lab);
  EXPECT_EQ(plan.warehouse_to, "file://" + moved());
  EXPECT_EQ(Open("lab")->warehouse(), "file://" + lab);
  EXPECT_EQ(Take(catalog_->Relocate(options)).warehouse_to, "file://" + moved());
  EXPECT_EQ(Open("lab")->warehouse(), "file://" + moved());
  EXPECT_EQ(Open("default")->warehouse(), "file://" + warehouse());
}

// A directory that is there, but not the one.
TEST_F(RelocateTest, LeavesNamespacesAndWarehouseWhereNoTableIsFound) {
  const std::string lab = directory_ / "lab";
  {
    auto warehouses = Warehouses::Open(directory_ / "lake.db");
    ASSERT_THAT(warehouses, IsOk());
    ASSERT_THAT((*warehouses)->Add("lab", lab), IsOk());
  }
  fs::create_directory(moved());
  catalog_ = Open("lab", {moved()});
  ASSERT_THAT(catalog_->CreateNamespace(
                  Doc(Json{{"namespace", {"ns"}}, {"properties", {{"location", lab + "/ns"}}}})),
              IsOk());
  MakeTable("t");
  fs::rename(lab, directory_ / "right");
  const RelocationReport report = Take(catalog_->Relocate({.from = lab, .to = moved()}));
  EXPECT_THAT(Items(report), ElementsAre(StartsWith("table ns.t stays: Failed to open")));
  EXPECT_EQ(report.warehouse_to, "");
  EXPECT_EQ(Open("lab")->warehouse(), "file://" + lab);

  catalog_ = Open("lab", {directory_ / "right"});
  const RelocationReport right =
      Take(catalog_->Relocate({.from = lab, .to = directory_ / "right"}));
  EXPECT_THAT(Items(right), ElementsAre("table ns.t 0 files", "namespace ns. 0 files"));
  EXPECT_EQ(right.warehouse_to, "file://" + (directory_ / "right"));
}

// All that was in the directory is now in one below it.
TEST_F(RelocateTest, CanBeRepeatedForAPlaceBelow) {
  const Json properties{{"location", "file://" + warehouse() + "/ns"}};
  ASSERT_THAT(
      catalog_->CreateNamespace(Doc(Json{{"namespace", {"ns"}}, {"properties", properties}})),
      IsOk());
  MakeBig("big");
  catalog_.reset();
  const std::string below = warehouse() + "/below";
  fs::create_directory(below);
  fs::rename(warehouse() + "/ns", below + "/ns");
  catalog_ = Open("", {warehouse()});
  const RelocationOptions options{.from = warehouse(), .to = below};
  EXPECT_THAT(Items(Take(catalog_->Relocate(options))),
              ElementsAre("table ns.big 5 files", "namespace ns. 0 files"));
  EXPECT_THAT(Items(Take(catalog_->Relocate(options))), IsEmpty());
  auto name_space = catalog_->LoadNamespaceMetadata({"ns"});
  ASSERT_THAT(name_space, IsOk());
  EXPECT_EQ(Dom(*name_space)["properties"]["location"], "file://" + below + "/ns");
  EXPECT_EQ(Load("big")["metadata"]["location"], "file://" + below + "/ns/big");
}

TEST_F(RelocateTest, CountsPurgesThatLookForFilesWhereTheyWere) {
  const std::string location = MakeTable("t");
  catalog_ = OpenGuarded([](const std::string&) -> Status {
    return Error{ErrorKind::kUnavailable, "not now"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  Move();
  EXPECT_EQ(Plan().stranded_purges, 1);
  EXPECT_EQ(Relocate().stranded_purges, 1);
}

TEST_F(RelocateTest, RefusesPlacesThatCannotBe) {
  MakeTable("t");
  EXPECT_THAT(
      catalog_->Relocate({.from = warehouse(), .to = moved()}),
      IsError(ErrorKind::kInvalidArgument, AllOf(HasSubstr("found nothing at " + moved()))));
  EXPECT_THAT(catalog_->Relocate({.from = warehouse(), .to = "file://" + warehouse() + "/"}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr(warehouse() + " twice")));
  EXPECT_THAT(catalog_->Relocate({.from = "s3://bucket", .to = warehouse()}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("s3")));
  fs::create_directory(moved());
  EXPECT_THAT(catalog_->Relocate({.from = warehouse(), .to = moved()}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr(moved())));
}

}  // namespace
}  // namespace berglite::testing
