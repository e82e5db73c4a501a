// The limits of purges, with the parts that hold them: how many files a batch of dropped tables may
// have, and how often a removal is put off because a pointer has moved.
#include "lib/catalog/kept_files.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "lib/catalog/sweeper.h"
#include "lib/metadata/metadata_file.h"
#include "tests/catalog/forwarding_store.h"
#include "tests/catalog/purge_fixture.h"

namespace berglite::catalog {
namespace {

using ::berglite::testing::ForwardingStore;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

// Of a table with one small snapshot: two metadata files, the list, the manifest, the data file.
constexpr size_t kFilesOfATable = 5;

class PurgeLimits : public ::berglite::testing::PurgeTest {
 protected:
  // Makes a table with one small snapshot.
  void MakeSmallTable(const std::string& name) {
    const std::string location = MakeTable(name);
    AddSmallSnapshot(name, location, "a");
  }

  DroppedTable Dropped(const std::string& name) {
    const Json loaded = Load(name);
    return {.metadata_location = loaded["metadata-location"],
            .files = metadata::FilesNamedIn(loaded["metadata"])};
  }

  // Drops a table as DropTable does, but for the request to begin.
  void Owe(const std::string& name) {
    const std::string location = Load(name)["metadata-location"];
    EXPECT_THAT(store_->Write(
                    [&](store::Writer& writer) -> Status {
                      BERGLITE_RETURN_IF_ERROR(
                          writer.DeleteEntry({{"ns"}, name}, store::EntryKind::kTable));
                      return writer.OweDeletion(location, name, environment_.NowMs());
                    },
                    [](store::Reader&) -> Result<bool> { return true; }),
                IsOk());
  }

  PurgeTotals Sweep(size_t files_max) {
    MetadataReader<metadata::TableMetadata> tables(store::EntryKind::kTable, *store_, *file_io_,
                                                   limits::kMetadataCacheBytesMax);
    return Sweeper(*store_, *file_io_, tables, environment_, files_max).Finish();
  }

  bool IsThere(const std::string& name) const { return fs::exists(warehouse() + "/ns/" + name); }

  const StopSign never_ = [] { return false; };
  std::unique_ptr<store::Store> store_ = *store::Store::Open(directory_ / "lake.db", {});
  std::shared_ptr<FileIO> file_io_ = *MakeLocalFileIO({warehouse()});
};

TEST_F(PurgeLimits, KeptFilesTakeAsManyCandidatesAsTheLimitAndNotOneMore) {
  MakeSmallTable("a");
  const auto add = [&](size_t candidates_max) {
    return KeptFiles(*store_, *file_io_, never_, KeptFiles::Purpose::kPurge, candidates_max)
        .AddDropped(Dropped("a"));
  };
  EXPECT_THAT(add(kFilesOfATable), IsOk());
  EXPECT_THAT(add(kFilesOfATable - 1),
              IsError(ErrorKind::kUnavailable, "There are more than 4 files to look at"));
}

TEST_F(PurgeLimits, KeptFilesForgetTheCandidatesOfATableThatWasTooLarge) {
  MakeSmallTable("a");
  MakeSmallTable("b");
  AddSmallSnapshot("b", warehouse() + "/ns/b", "more");
  KeptFiles kept(*store_, *file_io_, never_, KeptFiles::Purpose::kPurge, kFilesOfATable);
  EXPECT_THAT(kept.AddDropped(Dropped("b")),
              IsError(ErrorKind::kUnavailable, HasSubstr("more than 5 files")));
  EXPECT_THAT(kept.AddDropped(Dropped("a")), IsOk());
}

TEST_F(PurgeLimits, TablesThatAreTooManyTogetherArePurgedOneAfterTheOther) {
  for (const char* name : {"a", "b", "c"}) {
    MakeSmallTable(name);
    Owe(name);
  }
  const PurgeTotals totals = Sweep(2 * kFilesOfATable - 1);
  EXPECT_EQ(totals.tables, 3);
  EXPECT_EQ(totals.obstacle, "");
  EXPECT_THAT(Owed(), IsEmpty());
  for (const char* name : {"a", "b", "c"}) EXPECT_FALSE(IsThere(name)) << name;
}

TEST_F(PurgeLimits, ATableThatIsTooLargeAloneStaysAndHoldsNobodyUp) {
  MakeSmallTable("large");
  AddSmallSnapshot("large", warehouse() + "/ns/large", "more");
  MakeSmallTable("small");
  Owe("large");
  Owe("small");
  const PurgeTotals totals = Sweep(kFilesOfATable);
  EXPECT_EQ(totals.tables, 1);
  EXPECT_EQ(totals.obstacle, "There are more than 5 files to look at");
  EXPECT_THAT(Owed(), SizeIs(1));
  EXPECT_TRUE(IsThere("large"));
  EXPECT_FALSE(IsThere("small"));
}

// A pointer moves just before each go, as often as `moves_left` says.
class RacyStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::function<void()> move = {};
  int moves_left = 0;
  int goes = 0;

  Status ReadAlone(const std::function<Status(store::Reader&)>& body) override {
    ++goes;
    if (moves_left > 0) {
      --moves_left;
      move();
    }
    return ForwardingStore::ReadAlone(body);
  }
};

// Tells of each metadata file that is read.
class ToldFileIO final : public ::berglite::testing::ForwardingFileIO {
 public:
  using ForwardingFileIO::ForwardingFileIO;
  std::function<void()> on_read = {};

  Result<std::string> Read(const std::string& location, size_t size_max) override {
    if (on_read) on_read();
    return ForwardingFileIO::Read(location, size_max);
  }
};

// Goal: others may write while a new pointer is followed, but they cannot put a removal off for
// ever. Method: a table is made before each go; whether somebody else could write is asked whenever
// its metadata is read.
TEST_F(PurgeLimits, ARemovalIsPutOffAsOftenAsTheLimitAndThenOthersWait) {
  MakeSmallTable("a");
  RacyStore store(*store::Store::Open(directory_ / "lake.db", {}));
  ToldFileIO file_io(file_io_);
  KeptFiles kept(store, file_io, never_, KeptFiles::Purpose::kPurge);
  ASSERT_THAT(kept.Collect(), IsOk());
  int made = 0;
  store.move = [&] { MakeTable("new" + std::to_string(++made)); };
  const auto eager = *Catalog::Open(directory_ / "lake.db", {.busy_timeout_ms = 0});
  std::vector<bool> others_wrote;
  file_io.on_read = [&] {
    const Json properties{{"updates", {{"k", std::to_string(others_wrote.size())}}}};
    others_wrote.push_back(
        eager->UpdateProperties({"ns"}, ::berglite::testing::Doc(properties)).has_value());
  };

  store.moves_left = limits::kPurgeRacesMax + 1;
  int removals = 0;
  EXPECT_THAT(kept.WhileNothingChanges([&] { ++removals; }), IsOk());
  EXPECT_EQ(removals, 1);
  EXPECT_EQ(store.goes, limits::kPurgeRacesMax + 1);
  std::vector<bool> expected(limits::kPurgeRacesMax, true);
  expected.push_back(false);
  EXPECT_EQ(others_wrote, expected);

  others_wrote.clear();
  store.goes = 0;
  store.moves_left = limits::kPurgeRacesMax;
  EXPECT_THAT(kept.WhileNothingChanges([&] { ++removals; }), IsOk());
  EXPECT_EQ(removals, 2);
  EXPECT_EQ(store.goes, limits::kPurgeRacesMax + 1);
  expected.pop_back();
  EXPECT_EQ(others_wrote, expected);
}

}  // namespace
}  // namespace berglite::catalog
