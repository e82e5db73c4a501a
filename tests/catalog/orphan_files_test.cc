// FindOrphanFiles and RemoveOrphanFiles: exactly what nothing reaches goes, and nothing where that
// cannot be told.

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/warehouses.h"
#include "tests/catalog/purge_fixture.h"

namespace berglite::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;
namespace fs = std::filesystem;

using ShortAge = OrphanFilesOptions::ShortAge;

// The clock of the catalog is ten days ahead of that of the file system, so that all files are old.
class OrphanFilesTest : public BigTable {
 protected:
  void SetUp() override {
    BigTable::SetUp();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    environment_.SetNowMs(
        std::chrono::duration_cast<std::chrono::milliseconds>(now + kDay * 10).count());
  }

  static void MakeYounger(const std::string& path, std::chrono::hours age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() + kDay * 10 - age);
  }

  // Paths of what is found.
  std::vector<std::string> Find(const OrphanFilesOptions& options = {}) {
    return Take(catalog_->FindOrphanFiles(options));
  }
  std::vector<std::string> Remove(const OrphanFilesOptions& options = {}) {
    const std::vector<std::string> paths = Take(catalog_->RemoveOrphanFiles(options));
    for (const std::string& path : paths) EXPECT_FALSE(fs::exists(path)) << path;
    for (const OrphanFile& orphan : report_.orphans) EXPECT_TRUE(orphan.removed) << orphan.obstacle;
    return paths;
  }
  std::vector<std::string> Take(const Result<OrphanFilesReport>& report) {
    EXPECT_THAT(report, IsOk());
    if (!report) return {"?"};
    report_ = *report;
    std::vector<std::string> paths;
    for (const OrphanFile& orphan : report->orphans) paths.push_back(PathOf(orphan.location));
    return paths;
  }
  std::string Reasons() const {
    std::string text;
    for (const auto& passed : report_.passed_over) {
      text += passed.table.name + ": " + passed.reason + "\n";
    }
    return text;
  }

  static constexpr std::chrono::hours kDay{24};
  OrphanFilesReport report_;
};

TEST_F(OrphanFilesTest, AreAllThatNothingReaches) {
  Make(10);
  const std::vector<std::string> before = Tree(location_);
  const std::vector<std::string> planted{
      Touch(location_ + "/data/day=3/hour=1/lost.parquet"),
      Touch(location_ + "/data/_day=3/lost.parquet"),
      Touch(location_ + "/data/a-1%20b.parquet"),
      Touch(location_ + "/metadata/00007-lost.metadata.json"),
      Touch(location_ + "/metadata/lost-m0.avro"),
      Touch(location_ + "/lost"),
  };
  TouchWithChecksum(planted.front());
  EXPECT_THAT(Find(), UnorderedElementsAreArray(planted));
  EXPECT_EQ(report_.tables, 1);
  EXPECT_EQ(report_.orphans.front().bytes, 7);
  EXPECT_FALSE(report_.orphans.front().removed);
  for (const std::string& path : planted) EXPECT_TRUE(fs::exists(path));
  EXPECT_THAT(Remove(), UnorderedElementsAreArray(planted));
  fs::remove(location_ + "/data/_day=3");
  EXPECT_EQ(Tree(location_), before);
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(OrphanFilesTest, AreNotHiddenNotLinksAndNoVersionHint) {
  Make(1);
  const std::string outside = Touch(directory_ / "warehouse/elsewhere/x.parquet");
  fs::create_symlink(outside, location_ + "/data/link.parquet");
  fs::create_directory_symlink(directory_ / "warehouse/elsewhere", location_ + "/data/links");
  Touch(location_ + "/data/.hidden");
  Touch(location_ + "/data/_temporary/0/part");
  Touch(location_ + "/metadata/version-hint.text");
  EXPECT_THAT(Remove(), IsEmpty());
  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(OrphanFilesTest, AreOldOnes) {
  Make(1);
  const std::string old = Touch(location_ + "/data/old.parquet");
  const std::string young = Touch(location_ + "/data/young.parquet");
  MakeYounger(old, kDay * 3 + std::chrono::hours(1));
  MakeYounger(young, kDay * 3 - std::chrono::hours(1));
  EXPECT_THAT(Find(), ElementsAre(old));
  EXPECT_THAT(Find({.older_than = kDay * 2}), UnorderedElementsAre(old, young));
}

TEST_F(OrphanFilesTest, OfLessThanADayNeedASayingSo) {
  Make(1);
  const std::string young = Touch(location_ + "/data/young.parquet");
  MakeYounger(young, std::chrono::hours(2));
  const OrphanFilesOptions hour{.older_than = std::chrono::hours(1)};
  EXPECT_THAT(catalog_->RemoveOrphanFiles(hour),
              IsError(ErrorKind::kInvalidArgument,
                      AllOf(HasSubstr("at least 24 hours"), HasSubstr("found 3600000 ms"))));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_THAT(Find({.older_than = kOrphanAgeMin}), IsEmpty());
  EXPECT_THAT(Remove({.older_than = std::chrono::hours(1), .short_age = ShortAge::kTake}),
              ElementsAre(young));
  EXPECT_THAT(catalog_->FindOrphanFiles(
                  {.older_than = std::chrono::milliseconds(-1), .short_age = ShortAge::kTake}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("at least 0 hours")));
}

// The neighbours need files at the same place, in another catalog of the file too.
TEST_F(OrphanFilesTest, AreNotWhatNeighboursNeed) {
  Make(2);
  MakeTable("neighbour", Json::object(), location_);
  AddSmallSnapshot("neighbour", location_, "n");
  MakeTable("far");
  const std::string shared = Touch(location_ + "/data/with space%20.parquet");
  AddSnapshotOf("far", location_ + "/metadata", "f",
                {{"file:" + location_ + "/data/with space%2520.parquet"}});
  const std::string inner = MakeTable("inner", Json::object(), location_ + "/data/inner");
  const std::string of_inner = Touch(inner + "/lost.parquet");
  catalog_.reset();
  auto warehouses = Warehouses::Open(directory_ / "lake.db", {.environment = &environment_});
  ASSERT_THAT(warehouses, IsOk());
  ASSERT_THAT((*warehouses)->Add("second", ""), IsOk());
  catalog_ = Open("second", {warehouse()});
  MakeTable("other");
  AddSnapshotOf("other", location_ + "/metadata", "o",
                {{Touch(location_ + "/data/other.parquet")}});
  catalog_ = Open("default");
  const std::string lost = Touch(location_ + "/data/lost.parquet");
  EXPECT_THAT(Find({.name_space = {"ns"}, .name = "big"}), ElementsAre(lost));
  EXPECT_THAT(Remove({.name_space = {"ns"}}), UnorderedElementsAre(lost, of_inner));
  EXPECT_TRUE(fs::exists(shared));
}

TEST_F(OrphanFilesTest, AreLookedForWhereAsked) {
  const std::string a = Touch(MakeTable("a") + "/data/lost");
  const std::string b = Touch(MakeTable("b") + "/data/lost");
  EXPECT_THAT(Find({.name_space = {"ns"}, .name = "a"}), ElementsAre(a));
  EXPECT_THAT(Find(), UnorderedElementsAre(a, b));
  EXPECT_EQ(report_.tables, 2);
  EXPECT_THAT(catalog_->FindOrphanFiles({.name_space = {"ns"}, .name = "c"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.c"));
  EXPECT_THAT(catalog_->FindOrphanFiles({.name_space = {"no"}}),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("no")));
}

TEST_F(OrphanFilesTest, AreNoneWhereSomethingCannotBeRead) {
  Make(2);
  const std::string other = MakeTable("other");
  AddSmallSnapshot("other", other, "o");
  const std::string lost = Touch(location_ + "/data/lost.parquet");
  for (const char* name : {"/metadata/o-m0.avro", "/metadata/snap-o.avro"}) {
    const std::string text = FileText(other + name);
    std::ofstream(other + name) << "damaged";
    EXPECT_THAT(catalog_->RemoveOrphanFiles({.name_space = {"ns"}, .name = "big"}),
                IsError(ErrorKind::kUnavailable, HasSubstr(name)));
    // Nor where it is missing: it may come back.
    fs::remove(other + name);
    EXPECT_THAT(catalog_->RemoveOrphanFiles({.name_space = {"ns"}, .name = "big"}),
                IsError(ErrorKind::kUnavailable, HasSubstr(name)));
    std::ofstream(other + name) << text;
  }
  const std::string metadata = PathOf(Load("other")["metadata-location"]);
  fs::rename(metadata, directory_ / "aside");
  EXPECT_THAT(catalog_->RemoveOrphanFiles({.name_space = {"ns"}, .name = "big"}),
              IsError(ErrorKind::kUnavailable, HasSubstr(metadata)));
  EXPECT_TRUE(fs::exists(lost));
  fs::rename(directory_ / "aside", metadata);
  EXPECT_THAT(Remove(), ElementsAre(lost));
}

TEST_F(OrphanFilesTest, AreNotLookedForWhereTheyMayBeOthers) {
  Touch(MakeTable("foreign", {{"gc.enabled", "FALSE"}}) + "/data/lost");
  const std::string shared = MakeTable("shared");
  MakeTable("guest", {{"gc.enabled", "false"}}, shared);
  Touch(shared + "/data/lost");
  const std::string data = directory_ / "warehouse/apart";
  Touch(data + "/lost");
  MakeTable("apart", {{"write.data.path", "file://" + data}});
  MakeTable("whole", Json::object(), warehouse());
  EXPECT_THAT(Remove(), IsEmpty());
  EXPECT_THAT(Reasons(), AllOf(HasSubstr("foreign: gc.enabled"), HasSubstr("guest: gc.enabled"),
                               HasSubstr("apart: Its files at file://" + data),
                               HasSubstr("whole: Its location holds the whole warehouse")));
}

TEST_F(OrphanFilesTest, AreNotLookedForOutsideOfTheAllowedLocations) {
  catalog_ = Open("", {directory_ / "outside"});
  const std::string lost = Touch(MakeTable("t", {}, directory_ / "outside/t") + "/data/lost");
  catalog_ = Open("", {});
  EXPECT_THAT(Remove(), IsEmpty());
  EXPECT_THAT(Reasons(), HasSubstr("t: Location file://" + lost.substr(0, lost.find("/data"))));
  EXPECT_TRUE(fs::exists(lost));
}

// A purge that is owed would not find its files without the manifests.
TEST_F(OrphanFilesTest, AreNotWhatAnOwedPurgeHasToFind) {
  const std::string location = MakeTable("t");
  MakeTable("neighbour", Json::object(), location);
  AddSmallSnapshot("t", location, "own");
  catalog_ = OpenGuarded([](const std::string&) -> Status {
    return Error{ErrorKind::kUnavailable, "not now"};
  });
  ASSERT_THAT(DropAndPurge("t"), IsOk());
  ASSERT_THAT(Owed(), ::testing::SizeIs(1));
  catalog_ = Open();
  EXPECT_THAT(Find(), IsEmpty());
  // Some of it has been removed already.
  fs::remove(location + "/data/own.parquet");
  fs::remove(location + "/metadata/own-m0.avro");
  EXPECT_THAT(Find(), IsEmpty());
}

// When the removal begins, a commit has taken one of them up.
TEST_F(OrphanFilesTest, AreNotWhatACommitTakesUpMeanwhile) {
  const std::string location = MakeTable("t");
  const std::string taken = Touch(location + "/data/taken.parquet");
  const std::string lost = Touch(location + "/data/lost.parquet");
  bool is_committed = false;
  const OrphanFilesOptions options{
      .on_progress = [&](OrphanFilesOptions::Step step, size_t, size_t) {
        if (step != OrphanFilesOptions::Step::kRemoveFiles || is_committed) return;
        is_committed = true;
        AddSnapshotOf("t", location + "/metadata", "t", {{"file://" + taken}});
      }};
  EXPECT_THAT(Remove(options), ElementsAre(lost));
  EXPECT_TRUE(is_committed);
  EXPECT_TRUE(fs::exists(taken));
}

TEST_F(OrphanFilesTest, ThatCannotBeRemovedSayWhy) {
  const std::string location = MakeTable("t");
  const std::string stuck = Touch(location + "/data/stuck.parquet");
  const std::string moved = Touch(location + "/data/sub/moved.parquet");
  const std::string lost = Touch(location + "/data/lost.parquet");
  catalog_ = OpenGuarded([&](const std::string& path) -> Status {
    if (!path.ends_with("stuck.parquet")) return {};
    return Error{ErrorKind::kUnavailable, "the disk says no"};
  });
  const OrphanFilesOptions options{
      .on_progress = [&](OrphanFilesOptions::Step step, size_t, size_t) {
        if (step != OrphanFilesOptions::Step::kRemoveFiles) return;
        fs::rename(location + "/data/sub", directory_ / "warehouse/sub");
        fs::create_directory_symlink(directory_ / "warehouse/sub", location + "/data/sub");
      }};
  Take(catalog_->RemoveOrphanFiles(options));
  std::vector<std::string> outcomes;
  for (const OrphanFile& orphan : report_.orphans) {
    outcomes.push_back(fs::path(orphan.location).stem().string() +
                       (orphan.removed ? " removed" : ": " + orphan.obstacle));
  }
  EXPECT_THAT(outcomes, UnorderedElementsAre("lost removed", "stuck: the disk says no",
                                             "moved: A link leads elsewhere from file://" + moved));
  EXPECT_TRUE(fs::exists(directory_ / "warehouse/sub/moved.parquet"));
}

}  // namespace
}  // namespace berglite::testing
