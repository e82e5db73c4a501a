// DropTable with a purge: which files go, and above all which stay.

#include <atomic>
#include <latch>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/catalog/file_reach.h"
#include "tests/catalog/purge_fixture.h"

namespace berglite::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class BigTable : public PurgeTest {
 protected:
  // Format version 3; snapshots each with a manifest of data and one of deletes, and with the
  // manifests of the snapshot before; all sorts of deletes, paths and statistics.
  void Make(int snapshots) {
    location_ = MakeTable(
        "big", {{"format-version", "3"}, {"write.metadata.previous-versions-max", "100"}});
    std::vector<FileEntry> manifests;
    std::vector<std::string> lists;
    for (int i = 0; i < snapshots; ++i) {
      std::vector<FileEntry> before = std::move(manifests);
      manifests = MakeManifests(std::to_string(i));
      before.insert(before.begin(), manifests.begin(), manifests.end());
      const std::string list =
          TouchWithChecksum(location_ + "/metadata/snap-" + std::to_string(i) + ".avro");
      WriteManifestList(list, 3, before, i % 2 == 0 ? "deflate" : "snappy");
      lists.push_back(list);
    }
    AddSnapshots("big", lists);
    AddStatistics();
  }

  std::vector<FileEntry> MakeManifests(const std::string& tag) {
    const std::string day = location_ + "/data/day=" + tag;
    const std::string data = TouchWithChecksum(day + "/hour=1/a-" + tag + ".parquet");
    const std::string removed = TouchWithChecksum(day + "/hour=2/b-" + tag + ".parquet");
    const std::string position = TouchWithChecksum(day + "/p-" + tag + ".parquet");
    const std::string equality = TouchWithChecksum(location_ + "/data/e-" + tag + ".parquet");
    const std::string vectors = TouchWithChecksum(location_ + "/data/v-" + tag + ".puffin");
    const std::string data_manifest =
        TouchWithChecksum(location_ + "/metadata/" + tag + "-m0.avro");
    const std::string delete_manifest =
        TouchWithChecksum(location_ + "/metadata/" + tag + "-m1.avro");
    // Locations in all the forms that writers use.
    WriteManifest(data_manifest, 3, {{"file://" + data}, {removed, 0, 2}});
    WriteManifest(delete_manifest, 3,
                  {{"file:" + position, 1}, {equality, 2}, {"file://" + vectors, 1, 1, true}});
    return {{"file://" + data_manifest}, {"file:" + delete_manifest, 1}};
  }

  void AddStatistics() {
    const std::string statistics = TouchWithChecksum(location_ + "/metadata/1001.stats");
    Commit("big", Json{{"action", "set-statistics"},
                       {"statistics",
                        {{"snapshot-id", 1001},
                         {"statistics-path", "file://" + statistics},
                         {"file-size-in-bytes", 7},
                         {"file-footer-size-in-bytes", 1},
                         {"blob-metadata", Json::array()}}}});
    const std::string partitions = TouchWithChecksum(location_ + "/metadata/1001.partitions");
    Commit("big", Json{{"action", "set-partition-statistics"},
                       {"partition-statistics",
                        {{"snapshot-id", 1001},
                         {"statistics-path", "file://" + partitions},
                         {"file-size-in-bytes", 7}}}});
  }

  std::string location_;
};

TEST_F(BigTable, IsGoneWithAllItsFilesAndDirectories) {
  Make(50);
  const std::vector<std::string> before = Tree(location_);
  ASSERT_THAT(before, SizeIs(Gt(800U)));
  ASSERT_THAT(DropAndPurge("big"), IsOk());
  EXPECT_THAT(Tree(location_), IsEmpty());
  EXPECT_FALSE(fs::exists(location_));
  EXPECT_TRUE(fs::exists(warehouse() + "/ns"));
  EXPECT_THAT(Owed(), IsEmpty());
  EXPECT_EQ(totals_.tables, 1);
  EXPECT_EQ(totals_.files_kept, 0);
  EXPECT_EQ(totals_.files_refused, 0);
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "big"}), IsOkAndHolds(false));
}

// The neighbour has its files among those that go, and shares one of them.
TEST_F(BigTable, IsGoneFromAPlaceThatItShares) {
  Make(50);
  MakeTable("neighbour", Json::object(), location_);
  const std::string shared = location_ + "/data/day=7/hour=1/a-7.parquet";
  AddSmallSnapshot("neighbour", location_, "n");
  AddSnapshotOf("neighbour", location_ + "/metadata", "s", {{"file:" + shared}});
  const Json neighbour = Load("neighbour");
  const std::vector<std::string> own{
      PathOf(neighbour["metadata-location"]),
      PathOf(neighbour["metadata"]["metadata-log"][0]["metadata-file"]),
      PathOf(neighbour["metadata"]["metadata-log"][1]["metadata-file"]),
      location_ + "/data/n.parquet",
      location_ + "/metadata/n-m0.avro",
      location_ + "/metadata/s-m0.avro",
      location_ + "/metadata/snap-n.avro",
      location_ + "/metadata/snap-s.avro",
      shared,
      location_ + "/data/day=7/hour=1/.a-7.parquet.crc"};
  ASSERT_THAT(DropAndPurge("big"), IsOk());
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(location_)) {
    if (!entry.is_directory()) left.push_back(entry.path());
  }
  EXPECT_THAT(left, ::testing::UnorderedElementsAreArray(own));
  EXPECT_EQ(Load("neighbour"), neighbour);
  EXPECT_THAT(Owed(), IsEmpty());
}

// Earlier work on the table has left what its metadata still names.
TEST_F(BigTable, IsGoneThoughFilesOfItWereMissing) {
  Make(6);
  for (const auto& [name, type, snapshot] : {std::tuple("b", "branch", 1003), {"t", "tag", 1002}}) {
    Commit("big", Json{{"action", "set-snapshot-ref"},
                       {"ref-name", name},
                       {"type", type},
                       {"snapshot-id", snapshot}});
  }
  const Json log = Load("big")["metadata"]["metadata-log"];
  for (const std::string& file :
       {location_ + "/metadata/0-m0.avro", location_ + "/metadata/1-m1.avro",
        location_ + "/metadata/snap-2.avro", location_ + "/data/v-3.puffin",
        location_ + "/metadata/1001.stats", PathOf(log[0]["metadata-file"])}) {
    ASSERT_TRUE(fs::remove(file)) << file;
  }
  // These only the missing manifests led to.
  fs::remove_all(location_ + "/data/day=0/hour=1");
  fs::remove_all(location_ + "/data/day=0/hour=2");
  for (const char* file : {"day=1/p-1.parquet", "e-1.parquet", "v-1.puffin"}) {
    const fs::path path = location_ + "/data/" + file;
    fs::remove(path);
    fs::remove(path.parent_path() / ("." + path.filename().string() + ".crc"));
  }
  ASSERT_THAT(DropAndPurge("big"), IsOk());
  EXPECT_FALSE(fs::exists(location_)) << ::testing::PrintToString(Tree(location_));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(BigTable, StaysOnDiskWithoutAPurge) {
  Make(4);
  const std::vector<std::string> before = Tree(location_);
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "big"}, {.purge_requested = false}), IsOk());
  catalog_->FinishPurges();
  EXPECT_EQ(Tree(location_), before);
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(BigTable, LeavesWhatIsNotItsOwn) {
  Make(4);
  Touch(location_ + "/data/day=3/stranger.txt");
  Touch(location_ + "/metadata/orphan.metadata.json");
  ASSERT_THAT(DropAndPurge("big"), IsOk());
  EXPECT_THAT(Tree(location_),
              ElementsAre("ns/big/data", "ns/big/data/day=3", "ns/big/data/day=3/stranger.txt",
                          "ns/big/metadata", "ns/big/metadata/orphan.metadata.json"));
}

using Purge = PurgeTest;

TEST_F(Purge, NeedsTheTable) {
  CreateNamespace({"ns"});
  EXPECT_THAT(catalog_->DropTable({{"ns"}, "none"}, {.purge_requested = true}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.none"));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(Purge, OfATableWithoutSnapshotsRemovesItsMetadataAndDirectories) {
  const std::string location = MakeTable("t");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  ASSERT_THAT(Tree(location), SizeIs(4));
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_FALSE(fs::exists(location));
}

TEST_F(Purge, ReadsTheManifestsOfVersion1Snapshots) {
  const std::string location = MakeTable("t", {{"format-version", "1"}});
  const std::string data = Touch(location + "/data/a.parquet");
  const std::string manifest = location + "/metadata/m0.avro";
  WriteManifest(manifest, 1, {{"file://" + data}});
  Json metadata = Load("t")["metadata"];
  const std::string first = Load("t")["metadata-location"];
  metadata["snapshots"] = {{{"snapshot-id", 1},
                            {"timestamp-ms", metadata["last-updated-ms"]},
                            {"manifests", {"file://" + manifest}}}};
  metadata["metadata-log"] = {
      {{"timestamp-ms", metadata["last-updated-ms"]}, {"metadata-file", first}}};
  const std::string file = location + "/metadata/00001-by-hand.metadata.json";
  std::ofstream(file) << metadata.dump();
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  ASSERT_THAT(catalog_->RegisterTable(
                  {"ns"}, Doc(Json{{"name", "t"}, {"metadata-location", "file://" + file}})),
              IsOk());
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_FALSE(fs::exists(location)) << ::testing::PrintToString(Tree(location));
}

// Two tables at one location: each file that both need stays, and so does all of the other's.
TEST_F(Purge, SparesATableThatSharesTheLocation) {
  const std::string location = MakeTable("t");
  MakeTable("neighbour", Json::object(), location);
  AddSmallSnapshot("t", location, "own");
  AddSmallSnapshot("neighbour", location, "other");
  const std::string shared_data = Touch(location + "/data/shared.parquet");
  const std::string shared_manifest = location + "/metadata/shared-m0.avro";
  const std::string mixed_manifest = location + "/metadata/mixed-m0.avro";
  WriteManifest(shared_manifest, 2, {{"file://" + shared_data}});
  WriteManifest(mixed_manifest, 2,
                {{shared_data}, {"file:" + Touch(location + "/data/mixed.parquet")}});
  const std::string own_list = location + "/metadata/snap-own2.avro";
  const std::string other_list = location + "/metadata/snap-other2.avro";
  WriteManifestList(own_list, 2, {{shared_manifest}, {mixed_manifest}});
  WriteManifestList(other_list, 2, {{"file://" + shared_manifest}});
  AddSnapshots("t", {own_list});
  AddSnapshots("neighbour", {other_list});
  const Json neighbour = Load("neighbour");

  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_EQ(Load("neighbour"), neighbour);
  std::vector<std::string> left = Tree(location);
  for (const char* name :
       {"data/other.parquet", "data/shared.parquet", "metadata/other-m0.avro",
        "metadata/shared-m0.avro", "metadata/snap-other.avro", "metadata/snap-other2.avro"}) {
    EXPECT_THAT(left, Contains(std::string("ns/t/") + name));
  }
  for (const char* name : {"data/own.parquet", "data/mixed.parquet", "metadata/own-m0.avro",
                           "metadata/mixed-m0.avro", "metadata/snap-own.avro"}) {
    EXPECT_THAT(left, Not(Contains(std::string("ns/t/") + name)));
  }
  ASSERT_THAT(DropAndPurge("neighbour"), IsOk());
  EXPECT_FALSE(fs::exists(location)) << ::testing::PrintToString(Tree(location));
}

TEST_F(Purge, KeepsTheEmptyDirectoriesOfATableThatSharesTheLocation) {
  const std::string location = MakeTable("t");
  MakeTable("neighbour", Json::object(), location);
  AddSmallSnapshot("t", location, "own");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_TRUE(fs::is_directory(location + "/data"));
}

// The same metadata file under two names: nothing of it goes before both are gone, even where one
// has moved to another location.
TEST_F(Purge, SparesATableThatWasRegisteredTwice) {
  const std::string location = MakeTable("t");
  AddSmallSnapshot("t", location, "a");
  ASSERT_THAT(catalog_->RegisterTable(
                  {"ns"}, Doc(Json{{"name", "twin"},
                                   {"metadata-location", Load("t")["metadata-location"]}})),
              IsOk());
  const std::vector<std::string> before = Tree(location);
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_EQ(Tree(location), before);
  Commit("twin",
         Json{{"action", "set-location"}, {"location", "file://" + warehouse() + "/elsewhere"}});
  ASSERT_THAT(
      catalog_->RegisterTable(
          {"ns"}, Doc(Json{{"name", "t"},
                           {"metadata-location",
                            Load("twin")["metadata"]["metadata-log"].back()["metadata-file"]}})),
      IsOk());
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_EQ(Tree(location), before);
  ASSERT_THAT(DropAndPurge("twin"), IsOk());
  EXPECT_THAT(Tree(location), Not(Contains("ns/t/data/a.parquet")));
}

TEST_F(Purge, KeepsDataWhereTheTableDoesNotOwnIt) {
  const std::string location = MakeTable("t", {{"gc.enabled", "False"}});
  AddSmallSnapshot("t", location, "a");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(Tree(location), ElementsAre("ns/t/data", "ns/t/data/a.parquet", "ns/t/metadata",
                                          "ns/t/metadata/a-m0.avro", "ns/t/metadata/snap-a.avro"));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(Purge, NeverLeavesTheAllowedLocations) {
  const std::string location = MakeTable("t");
  const std::string outside = Touch(directory_ / "outside/x.parquet");
  const std::string behind_link = Touch(directory_ / "outside/y.parquet");
  fs::create_directory_symlink(directory_ / "outside", location + "/link");
  const std::string inside = Touch(location + "/data/a.parquet");
  const std::string manifest = location + "/metadata/m0.avro";
  WriteManifest(manifest, 2,
                {{"file://" + outside},
                 {location + "/../../../outside/x.parquet"},
                 {location + "/link/y.parquet"},
                 {"s3://bucket/z.parquet"},
                 {"relative.parquet"},
                 {location},
                 {"file://" + inside}});
  WriteManifestList(location + "/metadata/snap.avro", 2, {{"file://" + manifest}});
  AddSnapshots("t", {location + "/metadata/snap.avro"});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_TRUE(fs::exists(outside));
  EXPECT_TRUE(fs::exists(behind_link));
  EXPECT_THAT(Tree(location), ElementsAre("ns/t/link"));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(Purge, SparesFilesInTheLocationOfAnotherTable) {
  const std::string location = MakeTable("t");
  const std::string other = MakeTable("other");
  AddSmallSnapshot("other", other, "o");
  const std::string manifest = location + "/metadata/m0.avro";
  WriteManifest(
      manifest, 2,
      {{"file://" + other + "/data/o.parquet"}, {std::string(Load("other")["metadata-location"])}});
  WriteManifestList(location + "/metadata/snap.avro", 2, {{"file://" + manifest}});
  AddSnapshots("t", {location + "/metadata/snap.avro"});
  const std::vector<std::string> before = Tree(other);
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_EQ(Tree(other), before);
  EXPECT_EQ(totals_.files_kept, 2);
  EXPECT_FALSE(fs::exists(location));
}

// A view at the location of a table whose metadata claims the view's file.
TEST_F(Purge, SparesTheMetadataOfAView) {
  const std::string location = MakeTable("t");
  AddSmallSnapshot("t", location, "a");
  const Json version = Json::parse(R"({"version-id": 1, "timestamp-ms": 1, "schema-id": 0,
    "summary": {}, "default-namespace": ["ns"],
    "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}]})");
  Result<Document> view =
      catalog_->CreateView({"ns"}, Doc(Json{{"name", "v"},
                                            {"location", "file://" + location},
                                            {"schema", TableRequest("t")["schema"]},
                                            {"view-version", version},
                                            {"properties", Json::object()}}));
  ASSERT_THAT(view, IsOk());
  const std::string file = Dom(*view)["metadata-location"];
  Commit("t", Json{{"action", "set-statistics"},
                   {"statistics",
                    {{"snapshot-id", 1001},
                     {"statistics-path", file},
                     {"file-size-in-bytes", 7},
                     {"file-footer-size-in-bytes", 1},
                     {"blob-metadata", Json::array()}}}});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(catalog_->LoadView({{"ns"}, "v"}), IsOk());
  EXPECT_EQ(totals_.files_kept, 1);
  EXPECT_THAT(Tree(location), Not(Contains("ns/t/data/a.parquet")));
}

TEST_F(Purge, OfATableAtTheWarehouseRootLeavesTheRootAndTheTablesBelow) {
  MakeTable("at_root", Json::object(), warehouse());
  const std::string other = MakeTable("other");
  AddSmallSnapshot("at_root", warehouse(), "r");
  AddSmallSnapshot("other", other, "o");
  const std::vector<std::string> before = Tree(other);
  ASSERT_THAT(DropAndPurge("at_root"), IsOk());
  EXPECT_EQ(Tree(other), before);
  EXPECT_FALSE(fs::exists(warehouse() + "/data"));
  EXPECT_FALSE(fs::exists(warehouse() + "/metadata"));
  ASSERT_THAT(DropAndPurge("other"), IsOk());
  EXPECT_FALSE(fs::exists(other));
  EXPECT_THAT(Tree(warehouse()), ElementsAre("ns"));

  MakeTable("alone", Json::object(), warehouse());
  fs::remove(warehouse() + "/ns");
  ASSERT_THAT(DropAndPurge("alone"), IsOk());
  EXPECT_TRUE(fs::is_directory(warehouse()));
  EXPECT_THAT(Tree(warehouse()), IsEmpty());
}

TEST_F(Purge, GoesAroundADamagedManifest) {
  const std::string location = MakeTable("t");
  AddSmallSnapshot("t", location, "a");
  AddSmallSnapshot("t", location, "b");
  std::ofstream(location + "/metadata/a-m0.avro", std::ios::trunc) << "no Avro";
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(Tree(location), ElementsAre("ns/t/data", "ns/t/data/a.parquet"));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(Purge, OfATableWhoseMetadataCannotBeReadRemovesNothing) {
  const std::string damaged = MakeTable("damaged");
  const std::string missing = MakeTable("missing");
  AddSmallSnapshot("damaged", damaged, "a");
  AddSmallSnapshot("missing", missing, "b");
  std::ofstream(PathOf(Load("damaged")["metadata-location"]), std::ios::trunc) << "{}";
  fs::remove(PathOf(Load("missing")["metadata-location"]));
  const std::vector<std::string> before = Tree(warehouse());
  catalog_ = Open();  // whose cache knows neither
  EXPECT_THAT(DropAndPurge("damaged"), IsOk());
  EXPECT_THAT(DropAndPurge("missing"), IsOk());
  EXPECT_EQ(Tree(warehouse()), before);
  EXPECT_THAT(Owed(), IsEmpty());
}

// It is not known what the neighbour needs; so nothing may go before it is known.
TEST_F(Purge, WaitsWhereANeighbourCannotBeRead) {
  const std::string location = MakeTable("t");
  MakeTable("neighbour", Json::object(), location);
  AddSmallSnapshot("t", location, "own");
  const std::string neighbour = PathOf(Load("neighbour")["metadata-location"]);
  const std::string good = FileText(neighbour);
  std::ofstream(neighbour, std::ios::trunc) << "damaged";
  const std::vector<std::string> before = Tree(location);
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_EQ(Tree(location), before);
  EXPECT_THAT(Owed(), SizeIs(1));
  std::ofstream(neighbour, std::ios::trunc) << good;
  catalog_->FinishPurges();
  EXPECT_EQ(Tree(location), before) << "tried again too early";
  MakeRetriesDue();
  catalog_->FinishPurges();
  EXPECT_THAT(Tree(location), ElementsAre("ns/t/data", "ns/t/metadata",
                                          fs::path(neighbour).lexically_relative(warehouse())));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(Purge, CarriesOutManyDropsAtOnce) {
  std::vector<std::string> locations;
  for (int i = 0; i < 20; ++i) {
    locations.push_back(MakeTable("t" + std::to_string(i)));
    AddSmallSnapshot("t" + std::to_string(i), locations.back(), "a");
  }
  const std::string stays = MakeTable("stays");
  std::vector<std::thread> threads;
  threads.reserve(20);
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      EXPECT_THAT(catalog_->DropTable({{"ns"}, "t" + std::to_string(i)}, {.purge_requested = true}),
                  IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(catalog_->FinishPurges().tables, 20);
  for (const std::string& location : locations) EXPECT_FALSE(fs::exists(location));
  EXPECT_TRUE(fs::exists(stays));
}

// Goal: a purge that ends anywhere is taken up and loses nothing. Method: from the n-th removal on
// all fail, for n = 0, 1, ... until none does; then the next catalog on the file starts over.
TEST_F(Purge, IsTakenUpWhereverItEnded) {
  int faults = 0;
  bool met_fault = true;
  for (int n = 0; met_fault; ++n) {
    met_fault = false;
    catalog_ = Open();
    const std::string location = MakeTable("t");
    AddSnapshots("t", {MakeSmallList(location, "a"), MakeSmallList(location + "/deep/er", "b")});
    TouchWithChecksum(location + "/data/a.parquet");
    catalog_ = nullptr;
    int removals = 0;
    catalog_ = OpenGuarded([&](const std::string&) -> Status {
      if (removals++ < n) return {};
      met_fault = true;
      return Error{ErrorKind::kUnavailable, "the disk is gone"};
    });
    ASSERT_THAT(DropAndPurge("t"), IsOk());
    EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
    catalog_ = nullptr;
    MakeRetriesDue();
    catalog_ = Open();
    catalog_->FinishPurges();
    EXPECT_THAT(Owed(), IsEmpty()) << n;
    EXPECT_FALSE(fs::exists(location)) << n << ::testing::PrintToString(Tree(location));
    faults += met_fault ? 1 : 0;
    ASSERT_LT(n, 1000);
  }
  EXPECT_GT(faults, 20);
}

TEST_F(Purge, EndsWithTheCatalogAndIsTakenUpByTheNext) {
  const std::string location = MakeTable("t");
  for (const char* tag : {"a", "b", "c"}) AddSmallSnapshot("t", location, tag);
  std::latch reached(1);
  std::latch released(1);
  std::atomic<int> removals = 0;
  catalog_ = OpenGuarded([&](const std::string&) -> Status {
    if (removals++ != 3) return {};
    reached.count_down();
    released.wait();
    return {};
  });
  std::thread dropper([&] {
    EXPECT_THAT(catalog_->DropTable({{"ns"}, "t"}, {.purge_requested = true}), IsOk());
  });
  reached.wait();
  dropper.join();
  EXPECT_THAT(Owed(), SizeIs(1));
  std::thread closer([&] { catalog_ = nullptr; });
  released.count_down();
  closer.join();
  catalog_ = Open();
  catalog_->FinishPurges();
  EXPECT_FALSE(fs::exists(location));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST(IsWithin, GoesByWholeNames) {
  EXPECT_TRUE(catalog::IsWithin("/a/b", "/a/b"));
  EXPECT_TRUE(catalog::IsWithin("/a/b/c", "/a/b"));
  EXPECT_TRUE(catalog::IsWithin("/a", "/"));
  EXPECT_FALSE(catalog::IsWithin("/a/bc", "/a/b"));
  EXPECT_FALSE(catalog::IsWithin("/a", "/a/b"));
  EXPECT_FALSE(catalog::IsWithin("/a", ""));
  EXPECT_EQ(catalog::DirectoryOf("/a/b"), "/a");
  EXPECT_EQ(catalog::DirectoryOf("/a"), "/");
  EXPECT_EQ(catalog::DirectoryOf("a"), "");
}

// A disk that cannot be looked at for a while.
class BlindFileIO final : public ForwardingFileIO {
 public:
  using ForwardingFileIO::ForwardingFileIO;
  bool is_blind = false;

  Status CheckWritable(const std::string& location) const override {
    if (is_blind) return Error{ErrorKind::kUnavailable, "blind"};
    return ForwardingFileIO::CheckWritable(location);
  }
};

TEST_F(PurgeTest, IsNeverForgottenByADrop) {
  const std::string location = MakeTable("t");
  auto file_io = std::make_shared<BlindFileIO>(*MakeLocalFileIO({warehouse()}));
  auto catalog =
      Catalog::Open(directory_ / "lake.db", {.file_io = file_io, .environment = &environment_});
  ASSERT_THAT(catalog, IsOk());
  file_io->is_blind = true;
  EXPECT_THAT((*catalog)->DropTable({{"ns"}, "t"}, {.purge_requested = true}),
              IsError(ErrorKind::kUnavailable, "blind"));
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(true));
  file_io->is_blind = false;
  ASSERT_THAT((*catalog)->DropTable({{"ns"}, "t"}, {.purge_requested = true}), IsOk());
  (*catalog)->FinishPurges();
  EXPECT_FALSE(std::filesystem::exists(location));
}

}  // namespace
}  // namespace berglite::testing
