// DropTable with a purge, against all that could make it remove a file that somebody needs.

#include <atomic>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/warehouses.h"
#include "tests/catalog/purge_fixture.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class PurgeSafety : public PurgeTest {
 protected:
  // A table `t` and a table `other` elsewhere; both have directories of their own only.
  void MakeTwoTables() {
    location_ = MakeTable("t");
    other_ = MakeTable("other");
  }

  // Whether the file survives a purge of `t` whose one snapshot names it as `named`, while that of
  // `other` names it as `needed`.
  bool Survives(const std::string& file, const std::string& named, const std::string& needed) {
    AddSnapshotOf("t", location_ + "/metadata", "t", {{named}});
    AddSnapshotOf("other", other_ + "/metadata", "o", {{needed}});
    EXPECT_THAT(DropAndPurge("t"), IsOk());
    EXPECT_THAT(Owed(), IsEmpty());
    return fs::exists(file);
  }

  std::string location_;
  std::string other_;
};

// Nothing in their metadata but the manifest itself tells that they have a file in common.
TEST_F(PurgeSafety, KeepsAFileThatATableAtAnUnrelatedLocationReaches) {
  MakeTwoTables();
  const std::string shared = Touch(location_ + "/data/shared.parquet");
  const std::string own = Touch(location_ + "/data/own.parquet");
  AddSnapshotOf("t", location_ + "/metadata", "t", {{"file://" + shared}, {"file://" + own}});
  AddSnapshotOf("other", other_ + "/metadata", "o", {{"file:" + shared}});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(Tree(location_), ElementsAre("ns/t/data", "ns/t/data/shared.parquet"));
  EXPECT_EQ(totals_.files_kept, 1);
  EXPECT_THAT(Owed(), IsEmpty());
  ASSERT_THAT(DropAndPurge("other"), IsOk());
  EXPECT_FALSE(fs::exists(shared));
}

struct Spelling {
  std::string name;
  std::string file;    // below the location of `t`
  std::string named;   // by `t`; @ stands for the location
  std::string needed;  // by `other`
};

class EverySpelling : public PurgeSafety, public ::testing::WithParamInterface<Spelling> {
 protected:
  std::string Of(const std::string& pattern) const {
    const size_t at = pattern.find('@');
    return pattern.substr(0, at) + location_ + pattern.substr(at + 1);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Of, EverySpelling,
    ::testing::Values(
        Spelling{"Bare", "data/a", "file://@/data/a", "@/data/a"},
        Spelling{"OneSlash", "data/a", "@/data/a", "file:@/data/a"},
        Spelling{"Host", "data/a", "file:@/data/a", "file://localhost@/data/a"},
        Spelling{"AnyHost", "data/a", "file:@/data/a", "file://host@/data/a"},
        Spelling{"HostForADirectory", "data/a", "file:@/data/a", "file:/@/data/a"},
        Spelling{"UpperCase", "data/a", "file:@/data/a", "FILE://@/data/a"},
        Spelling{"Dots", "data/a", "file://@/data/a", "file://@//data/./a"},
        Spelling{"Parent", "data/a", "file://@/data/a", "file://@/metadata/../data/a"},
        Spelling{"ParentOfNothing", "data/a", "file://@/data/a", "file://@/none/../data/a"},
        Spelling{"Percent", "data/a b%c#d?e", "file://@/data/a b%c#d?e",
                 "file://@/data/a%20b%25c#d?e"},
        Spelling{"PercentAsItIs", "data/a%20b", "@/data/a%20b", "file://@/data/a%20b"},
        Spelling{"Link", "data/a", "@/data/a", "@/link/a"},
        Spelling{"ThroughALink", "data/a", "@/link/a", "@/data/a"},
        Spelling{"LinkedFile", "data/a", "@/data/a", "@/data/linked"},
        Spelling{"LinkBehindALink", "data/a", "@/link/a", "@/link/linked"},
        Spelling{"Checksum", "data/.a.crc", "@/data/a", "@/data/.a.crc"},
        Spelling{"Odd", "data/\xc3\xa9 \"'\\", "file:@/data/\xc3\xa9 \"'\\",
                 "@/data/\xc3\xa9 \"'\\"}),
    [](const auto& spelling) { return spelling.param.name; });

TEST_P(EverySpelling, OfAFileThatAnotherTableReachesIsKnown) {
  MakeTwoTables();
  const std::string file = Touch(location_ + "/" + GetParam().file);
  Touch(location_ + "/data/a");
  fs::create_directory_symlink(location_ + "/data", location_ + "/link");
  fs::create_symlink(location_ + "/data/a", location_ + "/data/linked");
  EXPECT_TRUE(Survives(file, Of(GetParam().named), Of(GetParam().needed)));
}

// A link is not of the table's making, and what it leads to may be anybody's.
TEST_F(PurgeSafety, RemovesNoLink) {
  MakeTwoTables();
  const std::string target = Touch(warehouse() + "/strange/a.parquet");
  fs::create_symlink(target, location_ + "/data/l.parquet");
  AddSnapshotOf("t", location_ + "/metadata", "t", {{location_ + "/data/l.parquet"}});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_TRUE(fs::exists(target));
  EXPECT_TRUE(fs::is_symlink(location_ + "/data/l.parquet"));
  EXPECT_EQ(totals_.files_refused, 1);
}

TEST_F(PurgeSafety, RemovesOneOfTwoHardLinks) {
  MakeTwoTables();
  const std::string file = Touch(location_ + "/data/a.parquet");
  fs::create_hard_link(file, other_ + "/data/a.parquet");
  EXPECT_FALSE(Survives(file, file, other_ + "/data/a.parquet"));
  EXPECT_EQ(FileText(other_ + "/data/a.parquet"), "content");
}

TEST_F(PurgeSafety, RemovesAFileWhoseNameLeavesNoRoomForAChecksum) {
  MakeTwoTables();
  const std::string file = Touch(location_ + "/data/" + std::string(255, 'x'));
  EXPECT_FALSE(Survives(file, file, other_ + "/data/none"));
}

// The catalog file in its own warehouse, under all the names that lead to it.
TEST_F(PurgeSafety, KeepsTheCatalogFile) {
  catalog_ = nullptr;
  fs::create_directories(warehouse());
  const std::string file = warehouse() + "/lake.db";
  fs::create_directory_symlink(warehouse(), warehouse() + "/again");
  const CatalogOptions options{.warehouse = warehouse(), .environment = &environment_};
  catalog_ = *Catalog::Open(file, options);
  location_ = MakeTable("t");
  std::vector<FileEntry> named;
  for (const std::string& directory : {warehouse(), warehouse() + "/again", location_ + "/../.."}) {
    for (const char* name : {"lake.db", "lake.db-wal", "lake.db-shm"}) {
      ASSERT_TRUE(fs::exists(directory + "/" + name));
      named.push_back({"file://" + directory + "/" + name});
    }
  }
  AddSnapshotOf("t", location_ + "/metadata", "t", named);
  Commit("t", Json{{"action", "set-statistics"},
                   {"statistics",
                    {{"snapshot-id", 1001},
                     {"statistics-path", file},
                     {"file-size-in-bytes", 7},
                     {"file-footer-size-in-bytes", 1},
                     {"blob-metadata", Json::array()}}}});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  for (const char* name : {"lake.db", "lake.db-wal", "lake.db-shm"}) {
    EXPECT_TRUE(fs::exists(warehouse() + "/" + name)) << name;
  }
  catalog_ = nullptr;
  catalog_ = *Catalog::Open(file, options);
  EXPECT_THAT(catalog_->NamespaceExists({"ns"}), IsOkAndHolds(true));
}

TEST_F(PurgeSafety, KeepsTheMetadataOfAFunction) {
  location_ = MakeTable("t");
  const std::string file = location_ + "/metadata/f.metadata.json";
  std::ofstream(file) << R"({"function-uuid": "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2",
    "format-version": 1, "definitions": [], "definition-log": []})";
  ASSERT_THAT(catalog_->RegisterFunction({{"ns"}, "f"}, "file://" + file), IsOk());
  AddSnapshotOf("t", location_ + "/metadata", "t", {{file}});
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(catalog_->LoadFunction({{"ns"}, "f"}), IsOk());
  EXPECT_THAT(Tree(location_), ElementsAre("ns/t/metadata", "ns/t/metadata/f.metadata.json"));
}

TEST_F(PurgeSafety, KeepsWhatAnotherCatalogOfTheFileReaches) {
  location_ = MakeTable("t");
  const std::string shared = Touch(location_ + "/data/shared.parquet");
  AddSnapshotOf("t", location_ + "/metadata", "t", {{shared}});
  std::unique_ptr<Catalog> mine = std::move(catalog_);
  catalog_ = *Catalog::Open(
      directory_ / "lake.db",
      {.name = "second", .warehouse = directory_ / "warehouse2", .environment = &environment_});
  const std::string other = MakeTable("other");
  AddSnapshotOf("other", other + "/metadata", "o", {{shared}});
  catalog_ = std::move(mine);
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_TRUE(fs::exists(shared));
}

// A deletion that is owed starts from its metadata file, so that another's must not remove it.
TEST_F(PurgeSafety, KeepsTheMetadataThatAnotherOwedPurgeStartsFrom) {
  location_ = MakeTable("t");
  AddSmallSnapshot("t", location_, "a");
  const std::string first = Load("t")["metadata-location"];
  ASSERT_THAT(Register("twin", first), IsOk());
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  AddSmallSnapshot("t", location_, "b");
  catalog_ = nullptr;
  catalog_ = OpenGuarded([&](const std::string& path) -> Status {
    if (path == PathOf(first)) return Error{ErrorKind::kUnavailable, "not yet"};
    return {};
  });
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "twin"}, {.purge_requested = true}), IsOk());
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}, {.purge_requested = true}), IsOk());
  EXPECT_TRUE(catalog_->FinishPurges().obstacle.ends_with("not yet"));
  EXPECT_TRUE(fs::exists(PathOf(first)));
  EXPECT_THAT(Owed(), SizeIs(1));
  catalog_ = nullptr;
  MakeRetriesDue();
  catalog_ = Open();
  catalog_->FinishPurges();
  EXPECT_THAT(Owed(), IsEmpty());
  EXPECT_FALSE(fs::exists(location_)) << ::testing::PrintToString(Tree(location_));
}

class Unreadable : public PurgeSafety {
 protected:
  // Purges `t` while `file` has another content, which must leave all as it is; and then again.
  void ExpectWaitsFor(const std::string& file, const std::string& content) {
    const std::string good = FileText(file);
    std::ofstream(file, std::ios::trunc) << content;
    const std::vector<std::string> before = Tree(location_);
    ASSERT_THAT(DropAndPurge("t"), IsOk());
    EXPECT_EQ(Tree(location_), before);
    ASSERT_THAT(Owed(), SizeIs(1));
    EXPECT_THAT(Owed().front().obstacle, HasSubstr("Cannot tell which files are needed by"));
    EXPECT_EQ(totals_.obstacle, Owed().front().obstacle);
    EXPECT_EQ(totals_.tables, 0);
    MakeRetriesDue();
    catalog_->FinishPurges();
    ASSERT_THAT(Owed(), SizeIs(1));
    EXPECT_EQ(Owed().front().attempts, 2);
    std::ofstream(file, std::ios::trunc) << good;
    MakeRetriesDue();
    catalog_->FinishPurges();
    EXPECT_THAT(Owed(), IsEmpty());
    EXPECT_FALSE(fs::exists(location_));
  }

  void Make() {
    MakeTwoTables();
    AddSmallSnapshot("t", location_, "t");
    AddSmallSnapshot("other", other_, "o");
  }

  // A purge of a table that has a file in common with one at `far`, while that is elsewhere.
  void ExpectWaitsForTableAt(const std::string& far) {
    MakeTwoTables();
    MakeTable("far", Json::object(), far);
    const std::string shared = Touch(location_ + "/data/shared.parquet");
    AddSnapshotOf("t", location_ + "/metadata", "t", {{shared}});
    AddSnapshotOf("far", far + "/metadata", "f", {{shared}});
    fs::rename(far, directory_ / "unmounted");
    ASSERT_THAT(DropAndPurge("t"), IsOk());
    EXPECT_TRUE(fs::exists(shared));
    EXPECT_THAT(Owed(), SizeIs(1));
    fs::rename(directory_ / "unmounted", far);
    MakeRetriesDue();
    catalog_->FinishPurges();
    EXPECT_TRUE(fs::exists(shared));
    EXPECT_THAT(Owed(), IsEmpty());
  }
};

TEST_F(Unreadable, MetadataOfAnotherTableMakesAPurgeWait) {
  Make();
  ExpectWaitsFor(PathOf(Load("other")["metadata-location"]), "damaged");
}

TEST_F(Unreadable, MetadataOfAVersionToComeMakesAPurgeWait) {
  Make();
  Json later = Load("other")["metadata"];
  later["format-version"] = 4;
  ExpectWaitsFor(PathOf(Load("other")["metadata-location"]), later.dump());
}

TEST_F(Unreadable, MetadataWithUnknownSnapshotsMakesAPurgeWait) {
  Make();
  Json later = Load("other")["metadata"];
  later["snapshots"][0].erase("manifest-list");
  ExpectWaitsFor(PathOf(Load("other")["metadata-location"]), later.dump());
}

TEST_F(Unreadable, IsWhateverIsOfAnUnknownKind) {
  Make();
  store::RawDatabase(directory_ / "lake.db")
      .Run(
          "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name,"
          " metadata_location, iceberg_type) VALUES ('x', 'ns', 'i', '/x/i.json', 'INDEX')");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(totals_.obstacle, HasSubstr("/x/i.json: it is of an unknown kind"));
  EXPECT_TRUE(fs::exists(location_ + "/data/t.parquet"));
}

TEST_F(Unreadable, ManifestListOfAnotherTableMakesAPurgeWait) {
  Make();
  ExpectWaitsFor(other_ + "/metadata/snap-o.avro", "damaged");
}

TEST_F(Unreadable, ManifestOfAnotherTableMakesAPurgeWait) {
  Make();
  const std::string manifest = other_ + "/metadata/o-m0.avro";
  ExpectWaitsFor(manifest, FileText(manifest).substr(0, 400));
}

// A file that is gone leads nowhere; but where nothing of the directory is there, a disk may be
// missing.
TEST_F(Unreadable, IsNotWhatIsGone) {
  Make();
  fs::remove(other_ + "/metadata/o-m0.avro");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_FALSE(fs::exists(location_));
}

TEST_F(Unreadable, IsATableWhoseDiskIsNotThere) { ExpectWaitsForTableAt(warehouse() + "/far"); }

// What is above it is there, and yet it may have been moved.
TEST_F(Unreadable, IsATableWhoseDirectoryIsNotThere) {
  Touch(warehouse() + "/eu/note");
  ExpectWaitsForTableAt(warehouse() + "/eu/far");
}

TEST_F(Unreadable, IsADroppedTableWhoseDiskIsNotThere) {
  const std::string far = warehouse() + "/far";
  MakeTable("far", Json::object(), far);
  AddSmallSnapshot("far", far, "a");
  fs::rename(far, directory_ / "unmounted");
  ASSERT_THAT(DropAndPurge("far"), IsOk());
  EXPECT_THAT(Owed(), SizeIs(1));
  fs::rename(directory_ / "unmounted", far);
  MakeRetriesDue();
  catalog_->FinishPurges();
  EXPECT_THAT(Owed(), IsEmpty());
  EXPECT_FALSE(fs::exists(far));
}

// Changes of the catalog while files are removed.
class PurgeMeanwhile : public PurgeSafety {
 protected:
  // Purges `t`; when its first file is about to be removed, `change` is made with another handle
  // on a thread of its own, as removals hold the writers off.
  void PurgeWhile(const std::function<void(Catalog&)>& change) {
    std::unique_ptr<Catalog> second = std::move(catalog_);
    std::atomic<bool> has_begun = false;
    std::thread changer;
    catalog_ = OpenGuarded([&](const std::string&) -> Status {
      if (!has_begun.exchange(true)) changer = std::thread([&] { change(*second); });
      return {};
    });
    EXPECT_THAT(DropAndPurge("t"), IsOk());
    changer.join();
    catalog_ = std::move(second);
  }
};

// Goal: whatever comes between the look at all tables and the removal of a file, a table that is
// there keeps its files. Method: 40 snapshots, each removed for itself; another table takes their
// files in while they go. What it gets it keeps.
TEST_F(PurgeMeanwhile, ATableThatTakesFilesInKeepsThem) {
  MakeTwoTables();
  std::vector<FileEntry> files;
  for (int i = 0; i < 40; ++i) {
    AddSmallSnapshot("t", location_, std::to_string(i));
    files.push_back({location_ + "/data/" + std::to_string(i) + ".parquet"});
  }
  const std::string manifest = Touch(other_ + "/metadata/taken-m0.avro");
  const std::string list = Touch(other_ + "/metadata/snap-taken.avro");
  WriteManifest(manifest, 2, files);
  WriteManifestList(list, 2, {{"file://" + manifest}});
  const Json snapshot{{"snapshot-id", 7},
                      {"sequence-number", 1},
                      {"timestamp-ms", environment_.NowMs()},
                      {"manifest-list", "file://" + list},
                      {"summary", {{"operation", "append"}}},
                      {"schema-id", 0}};
  const Json updates = {{{"action", "add-snapshot"}, {"snapshot", snapshot}}};
  auto count = [&] {
    return std::count_if(files.begin(), files.end(),
                         [](const FileEntry& file) { return fs::exists(file.path); });
  };
  std::atomic<ptrdiff_t> left = -1;
  PurgeWhile([&](Catalog& catalog) {
    EXPECT_THAT(catalog.UpdateTable({{"ns"}, "other"}, Doc(Json{{"updates", updates}})), IsOk());
    left = count();
  });
  EXPECT_EQ(count(), left);
}

TEST_F(PurgeMeanwhile, TheTableItselfCannotBeRegistered) {
  location_ = MakeTable("t");
  for (int i = 0; i < 10; ++i) AddSmallSnapshot("t", location_, std::to_string(i));
  const std::string metadata = Load("t")["metadata-location"];
  const std::string earlier = Load("t")["metadata"]["metadata-log"].back()["metadata-file"];
  for (const std::string& location : {metadata, earlier}) {
    std::atomic<bool> asks = true;
    PurgeWhile([&](Catalog& catalog) {
      if (!asks.exchange(false)) return;
      Result<LoadedTable> registered = catalog.RegisterTable(
          {"ns"}, Doc(Json{{"name", "again"}, {"metadata-location", location}}));
      // Then it is gone, or else still to be removed.
      ASSERT_FALSE(registered.has_value());
      if (registered.error().kind == ErrorKind::kNotFound) return;
      EXPECT_THAT(registered,
                  IsError(ErrorKind::kUnavailable,
                          "Cannot register ns.again: the table was dropped with a purge, and its "
                          "files are still to be removed"));
    });
    EXPECT_THAT(catalog_->TableExists({{"ns"}, "again"}), IsOkAndHolds(false));
    EXPECT_FALSE(fs::exists(location_));
    if (location == earlier) break;
    location_ = MakeTable("t", Json::object(), location_);
    for (int i = 0; i < 10; ++i) AddSmallSnapshot("t", location_, std::to_string(i));
  }
}

TEST_F(PurgeSafety, RefusesToRegisterATableThatIsStillToBeRemoved) {
  location_ = MakeTable("t");
  AddSmallSnapshot("t", location_, "a");
  const std::string metadata = Load("t")["metadata-location"];
  const std::string earlier = Load("t")["metadata"]["metadata-log"].back()["metadata-file"];
  catalog_ = nullptr;
  catalog_ = OpenGuarded([](const std::string&) -> Status {
    return Error{ErrorKind::kUnavailable, "not now"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  for (const std::string& location : {metadata, earlier, PathOf(metadata)}) {
    EXPECT_THAT(Register("t", location),
                IsError(ErrorKind::kUnavailable, HasSubstr("was dropped with a purge")));
  }
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
  // Others are none of its business, not even one at the same place.
  MakeTable("other", Json::object(), location_);
  const std::string others = Load("other")["metadata-location"];
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "other"}), IsOk());
  EXPECT_THAT(Register("u", others), IsOk());
}

// A table that is made where one is being removed has its directories and files.
TEST_F(PurgeSafety, LeavesATableThatIsMadeAtTheSamePlace) {
  location_ = MakeTable("t");
  AddSmallSnapshot("t", location_, "a");
  catalog_ = nullptr;
  std::atomic<bool> fails = true;
  catalog_ = OpenGuarded([&](const std::string&) -> Status {
    if (!fails) return {};
    return Error{ErrorKind::kUnavailable, "not now"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  MakeTable("t", Json::object(), location_);
  AddSmallSnapshot("t", location_, "b");
  fails = false;
  MakeRetriesDue();
  catalog_->FinishPurges();
  EXPECT_THAT(Owed(), IsEmpty());
  EXPECT_THAT(Tree(location_), Contains("ns/t/data/b.parquet"));
  EXPECT_THAT(Tree(location_), Contains("ns/t/metadata/snap-b.avro"));
  EXPECT_THAT(Tree(location_), Not(Contains("ns/t/data/a.parquet")));
  EXPECT_THAT(Load("t")["metadata"]["snapshots"], SizeIs(1));
}

// What is in the way of one does not keep others waiting, nor is it tried all the time.
TEST_F(PurgeSafety, OfAReadOnlyTableDoesNotHoldOthersUp) {
  location_ = MakeTable("t");
  const std::string other = MakeTable("other");
  AddSmallSnapshot("t", location_, "a");
  AddSmallSnapshot("other", other, "o");
  catalog_ = nullptr;
  std::atomic<int> attempts = 0;
  catalog_ = OpenGuarded([&](const std::string& path) -> Status {
    if (!path.starts_with(location_ + "/data/")) return {};
    ++attempts;
    return Error{ErrorKind::kUnavailable, "Cannot delete " + path + ": Permission denied"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  const int once = attempts;
  ASSERT_THAT(DropAndPurge("other"), IsOk());
  for (int i = 0; i < 10; ++i) catalog_->FinishPurges();
  EXPECT_FALSE(fs::exists(other));
  EXPECT_EQ(attempts, once);
  ASSERT_THAT(Owed(), SizeIs(1));
  EXPECT_THAT(Owed().front().obstacle, HasSubstr("Permission denied"));
  // All that leads to the file is there still.
  EXPECT_TRUE(fs::exists(location_ + "/metadata/a-m0.avro"));
  EXPECT_TRUE(fs::exists(location_ + "/metadata/snap-a.avro"));
  // Each attempt waits twice as long as the one before.
  int tries = 0;
  for (int minutes = 0; minutes < 24 * 60; minutes += 5) {
    environment_.SetNowMs(environment_.NowMs() + int64_t{5} * 60 * 1000);
    const int before = attempts;
    catalog_->FinishPurges();
    tries += attempts > before ? 1 : 0;
  }
  EXPECT_EQ(tries, 7);
}

// The program's commands may know other places than the server.
TEST_F(PurgeSafety, IsLeftToWhoMayTouchTheFiles) {
  location_ = MakeTable("t");
  AddSmallSnapshot("t", location_, "a");
  catalog_ = nullptr;
  std::atomic<bool> fails = true;
  catalog_ = OpenGuarded([&](const std::string&) -> Status {
    return Error{ErrorKind::kUnavailable, "not now"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  catalog_ = nullptr;
  MakeRetriesDue();
  catalog_ = *Catalog::Open(directory_ / "lake.db",
                            {.warehouse = directory_ / "elsewhere", .environment = &environment_});
  EXPECT_THAT(catalog_->FinishPurges().obstacle, HasSubstr("outside of the allowed locations"));
  EXPECT_THAT(Owed(), SizeIs(1));
  catalog_ = nullptr;
  environment_.SetNowMs(environment_.NowMs() + int64_t{24} * 3600 * 1000);
  catalog_ = *Catalog::Open(directory_ / "lake.db",
                            {.owed_purges = OwedPurges::kLeave, .environment = &environment_});
  catalog_ = nullptr;
  EXPECT_TRUE(fs::exists(location_ + "/data/a.parquet"));
  EXPECT_THAT(Owed(), SizeIs(1));
  catalog_ = Open();
  catalog_->FinishPurges();
  EXPECT_FALSE(fs::exists(location_));
  EXPECT_THAT(Owed(), IsEmpty());
}

TEST_F(PurgeSafety, OwedByAnyCatalogOfTheFileIsTakenUpWithIt) {
  catalog_ = nullptr;
  const CatalogOptions options{.environment = &environment_};
  {
    auto warehouses = *Warehouses::Open(directory_ / "lake.db", options);
    ASSERT_THAT(warehouses->Add("second", ""), IsOk());
  }
  auto file_io = std::make_shared<GuardedFileIO>(*MakeLocalFileIO({warehouse()}),
                                                 [](const std::string&) -> Status {
                                                   return Error{ErrorKind::kUnavailable, "not now"};
                                                 });
  catalog_ = *Catalog::Open(directory_ / "lake.db",
                            {.name = "second", .file_io = file_io, .environment = &environment_});
  location_ = MakeTable("t", Json::object(), warehouse() + "/second/t");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_THAT(Owed("second"), SizeIs(1));
  catalog_ = nullptr;
  MakeRetriesDue();
  auto warehouses = *Warehouses::Open(directory_ / "lake.db", options);
  while (!Owed("second").empty()) std::this_thread::yield();
  EXPECT_FALSE(fs::exists(location_));
}

// Of a catalog whose last row went with the table, the name is still known.
TEST_F(PurgeSafety, OwedByACatalogWithoutRowsIsTakenUp) {
  catalog_ = nullptr;
  const std::string file = directory_ / "prod.db";
  auto file_io = std::make_shared<GuardedFileIO>(*MakeLocalFileIO({warehouse()}),
                                                 [](const std::string&) -> Status {
                                                   return Error{ErrorKind::kUnavailable, "not now"};
                                                 });
  catalog_ =
      *Catalog::Open(file, {.name = "prod", .file_io = file_io, .environment = &environment_});
  location_ = MakeTable("t");
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  ASSERT_THAT(catalog_->DropNamespace({"ns"}), IsOk());
  catalog_ = nullptr;
  MakeRetriesDue();
  catalog_ = *Catalog::Open(file, {.environment = &environment_});
  EXPECT_EQ(catalog_->name(), "prod");
  EXPECT_EQ(catalog_->FinishPurges().tables, 1);
  EXPECT_FALSE(fs::exists(location_));
}

// With a location that is none of its own, a table has no say over directories.
TEST_F(PurgeSafety, RemovesNoDirectoriesForALocationAboveTheWarehouse) {
  location_ = MakeTable("t");
  const std::string empty = warehouse() + "/ns/staged/data";
  fs::create_directories(empty);
  Json metadata = Load("t")["metadata"];
  metadata["location"] = "file:///";
  const std::string file = warehouse() + "/ns/staged/data/00001-x.metadata.json";
  std::ofstream(file) << metadata.dump();
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  ASSERT_THAT(Register("t", file), IsOk());
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(fs::is_directory(empty));
}

}  // namespace
}  // namespace berglite::testing
