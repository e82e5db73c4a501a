#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class CommitTest : public CatalogTest {
 protected:
  Result<LoadedTable> Commit(const std::string& name, const Json& request) {
    return catalog_->UpdateTable({{"ns"}, name}, Doc(request));
  }

  // How many metadata files the table has.
  size_t FileCount(const std::string& name) {
    size_t count = 0;
    fs::path directory = PathOf(Load(name)["metadata"]["location"]) + "/metadata";
    for ([[maybe_unused]] const auto& file : fs::directory_iterator(directory)) ++count;
    return count;
  }

  static Json Requirement(const Json& requirement, Json request) {
    request["requirements"].push_back(requirement);
    return request;
  }
};

// Another process that is always faster: whenever this one has written a file, or is about to read
// one, it moves the pointer.
class OvertakenFileIO final : public FileIO {
 public:
  explicit OvertakenFileIO(std::shared_ptr<FileIO> files) : files_(std::move(files)) {}
  std::function<void()> overtake = [] {};
  std::function<void()> overtake_reading = [] {};
  int written = 0;

  Result<std::string> Read(const std::string& location, size_t size_max) override {
    overtake_reading();
    return files_->Read(location, size_max);
  }
  Result<bool> Exists(const std::string& location) override { return files_->Exists(location); }
  Status WriteNew(const std::string& location, std::string_view bytes) override {
    ++written;
    Status status = files_->WriteNew(location, bytes);
    overtake();
    return status;
  }
  Status Delete(const std::string& location) override { return files_->Delete(location); }
  Status CreateDirectory(const std::string& location) override {
    return files_->CreateDirectory(location);
  }
  Result<bool> RemoveEmptyDirectory(const std::string& location) override {
    return files_->RemoveEmptyDirectory(location);
  }
  Status CheckWritable(const std::string& location) const override {
    return files_->CheckWritable(location);
  }

 private:
  std::shared_ptr<FileIO> files_;
};

TEST_F(CommitTest, WritesTheNextFileAndMovesThePointer) {
  Json created = CreateTable("t");
  environment_.SetNowMs(environment_.NowMs() + 5);
  auto committed = Commit("t", SetProperty("k", "v"));
  ASSERT_THAT(committed, IsOk());
  std::string location = Dom(*committed)["metadata-location"];
  EXPECT_THAT(location, HasSubstr("/metadata/00001-"));
  EXPECT_EQ(Json::parse(FileText(PathOf(location))), Dom(*committed)["metadata"]);
  EXPECT_EQ(Dom(*committed)["metadata"]["metadata-log"],
            Json::array({{{"timestamp-ms", created["metadata"]["last-updated-ms"]},
                          {"metadata-file", created["metadata-location"]}}}));
  EXPECT_EQ(Load("t")["metadata-location"], location);
}

TEST_F(CommitTest, ThatChangesNothingWritesNothing) {
  Json created = CreateTable("t");
  for (const char* request :
       {"{}", R"({"requirements":[],"updates":[]})", R"({"properties":{"a":"b"}})",
        R"({"updates":[{"action":"remove-snapshot-ref","ref-name":"none"}]})"}) {
    auto committed = catalog_->UpdateTable({{"ns"}, "t"}, Doc(request));
    ASSERT_THAT(committed, IsOk()) << request;
    EXPECT_EQ(Dom(*committed)["metadata-location"], created["metadata-location"]);
    EXPECT_EQ(Dom(*committed)["metadata"], created["metadata"]);
  }
  EXPECT_EQ(FileCount("t"), 1u);
}

TEST_F(CommitTest, IsRefusedWhenARequirementDoesNotHold) {
  Json created = CreateTable("t");
  Json request =
      Requirement({{"type", "assert-table-uuid"}, {"uuid", "9c12d441-03fe-4693-9a96-a0705ddf69c1"}},
                  SetProperty("k", "v"));
  EXPECT_THAT(Commit("t", request), IsError(ErrorKind::kCommitFailed,
                                            HasSubstr("Requirement failed: UUID does not match")));
  EXPECT_EQ(Load("t"), created);
  EXPECT_EQ(FileCount("t"), 1u);
}

TEST_F(CommitTest, WithAnUnknownActionOrRequirementChangesNothing) {
  Json created = CreateTable("t");
  Json mixed = SetProperty("k", "v");
  mixed["updates"].push_back({{"action", "frobnicate"}});
  EXPECT_THAT(Commit("t", mixed), IsError(ErrorKind::kInvalidArgument, HasSubstr("frobnicate")));
  EXPECT_THAT(Commit("t", Requirement({{"type", "assert-foo"}}, SetProperty("k", "v"))),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("assert-foo")));
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc("[]")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("expected an object")));
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(R"({"updates":{}})")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("expected an array")));
  EXPECT_EQ(Load("t"), created);
  EXPECT_EQ(FileCount("t"), 1u);
}

TEST_F(CommitTest, OfAStaleClientWhoseRequirementsHoldSucceeds) {
  Json created = CreateTable("t");
  std::unique_ptr<Catalog> other = Open();
  ASSERT_THAT(other->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("a", "1"))), IsOk());
  auto committed = Commit(
      "t", Requirement({{"type", "assert-table-uuid"}, {"uuid", created["metadata"]["table-uuid"]}},
                       SetProperty("b", "2")));
  ASSERT_THAT(committed, IsOk());
  EXPECT_EQ(Dom(*committed)["metadata"]["properties"]["a"], "1");
  EXPECT_EQ(Dom(*committed)["metadata"]["properties"]["b"], "2");
}

TEST_F(CommitTest, CreatesAStagedTable) {
  CreateNamespace({"ns"});
  Json request = TableRequest("t");
  request["stage-create"] = true;
  Json staged = Dom(*catalog_->CreateTable({"ns"}, Doc(request)))["metadata"];
  Json commit{{"requirements", {{{"type", "assert-create"}}}},
              {"updates",
               {{{"action", "assign-uuid"}, {"uuid", staged["table-uuid"]}},
                {{"action", "upgrade-format-version"}, {"format-version", 2}},
                {{"action", "add-schema"}, {"schema", staged["schemas"][0]}},
                {{"action", "set-current-schema"}, {"schema-id", -1}},
                {{"action", "add-spec"}, {"spec", staged["partition-specs"][0]}},
                {{"action", "set-default-spec"}, {"spec-id", -1}},
                {{"action", "add-sort-order"}, {"sort-order", staged["sort-orders"][0]}},
                {{"action", "set-default-sort-order"}, {"sort-order-id", -1}},
                {{"action", "set-location"}, {"location", staged["location"]}}}}};
  auto committed = Commit("t", commit);
  ASSERT_THAT(committed, IsOk());
  EXPECT_EQ(Dom(*committed)["metadata"]["table-uuid"], staged["table-uuid"]);
  EXPECT_THAT(std::string(Dom(*committed)["metadata-location"]), HasSubstr("/metadata/00000-"));
  EXPECT_THAT(Commit("t", commit),
              IsError(ErrorKind::kCommitFailed, "Requirement failed: table already exists"));
  EXPECT_THAT(catalog_->UpdateTable({{"x"}, "t"}, Doc(commit)),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("Namespace does not exist: x")));
  EXPECT_EQ(FileCount("t"), 1u);
}

TEST_F(CommitTest, MovesTheTableOnlyWithinTheAllowedRoots) {
  Json created = CreateTable("t");
  Json commit = SetProperty("k", "v");
  commit["updates"].push_back({{"action", "set-location"}, {"location", "file:///etc/x"}});
  EXPECT_THAT(Commit("t", commit), IsError(ErrorKind::kInvalidArgument, HasSubstr("/etc/x")));
  EXPECT_THAT(Commit("t", SetProperty("write.metadata.path", "file:///etc/x")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("/etc/x")));
  EXPECT_EQ(Load("t"), created);
  commit["updates"][1]["location"] = catalog_->warehouse() + "/moved";
  auto moved = Commit("t", commit);
  ASSERT_THAT(moved, IsOk());
  EXPECT_THAT(std::string(Dom(*moved)["metadata-location"]),
              HasSubstr("/warehouse/moved/metadata/00001-"));
}

TEST_F(CommitTest, DeletesSupersededFilesWhenTheTableSaysSo) {
  CreateTable("t");
  Json properties = SetProperty("write.metadata.delete-after-commit.enabled", "true");
  properties["updates"][0]["updates"]["write.metadata.previous-versions-max"] = "2";
  ASSERT_THAT(Commit("t", properties), IsOk());
  for (int i = 0; i < 5; ++i) ASSERT_THAT(Commit("t", SetProperty("k", std::to_string(i))), IsOk());
  EXPECT_EQ(FileCount("t"), 3u);
}

TEST_F(CommitTest, ThatFailsToCreateLeavesNothingInTheWay) {
  CreateNamespace({"ns"});
  auto files = MakeLocalFileIO({catalog_->warehouse()});
  ASSERT_THAT(files, IsOk());
  auto overtaken = std::make_shared<OvertakenFileIO>(*files);
  auto slow = Catalog::Open(directory_ / "lake.db", {.file_io = overtaken});
  ASSERT_THAT(slow, IsOk());
  // The namespace goes while the file is written, so the create is refused after that.
  overtaken->overtake = [&] { ASSERT_THAT(catalog_->DropNamespace({"ns"}), IsOk()); };
  EXPECT_THAT((*slow)->CreateTable({"ns"}, Doc(TableRequest("t"))),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("Namespace does not exist: ns")));
  EXPECT_FALSE(fs::exists(PathOf(catalog_->warehouse()) + "/ns/t"));
  EXPECT_EQ(CreateTable("t")["metadata"]["location"], catalog_->warehouse() + "/ns/t");
}

TEST_F(CommitTest, NeverDeletesAFileThatAnotherTablePointsTo) {
  Json created = CreateTable("t");
  Json request{{"name", "twin"}, {"metadata-location", created["metadata-location"]}};
  ASSERT_THAT(catalog_->RegisterTable({"ns"}, Doc(request)), IsOk());
  Json properties = SetProperty("write.metadata.delete-after-commit.enabled", "true");
  properties["updates"][0]["updates"]["write.metadata.previous-versions-max"] = "1";
  ASSERT_THAT(Commit("t", properties), IsOk());
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Commit("t", SetProperty("k", std::to_string(i))), IsOk());
  EXPECT_EQ(Load("twin"), created);
  EXPECT_EQ(FileCount("t"), 3u);
}

TEST_F(CommitTest, RacingOnOneTableLosesNoneAndLeavesNoFileBehind) {
  CreateTable("t");
  constexpr int kThreads = 8;
  constexpr int kCommits = 10;
  std::unique_ptr<Catalog> other = Open();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Catalog& catalog = t % 4 == 0 ? *other : *catalog_;
      for (int i = 0; i < kCommits; ++i) {
        std::string key = std::to_string(t) + "." + std::to_string(i);
        if (!catalog.UpdateTable({{"ns"}, "t"}, Doc(SetProperty(key, "v")))) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Load("t")["metadata"]["properties"].size(), kThreads * kCommits + 1u);
  EXPECT_EQ(FileCount("t"), kThreads * kCommits + 1u);
}

TEST_F(CommitTest, WhoseBaseIsDeletedBeforeItIsReadStartsOver) {
  CreateTable("t");
  Json properties = SetProperty("write.metadata.delete-after-commit.enabled", "true");
  properties["updates"][0]["updates"]["write.metadata.previous-versions-max"] = "1";
  ASSERT_THAT(Commit("t", properties), IsOk());
  auto files = MakeLocalFileIO({catalog_->warehouse()});
  ASSERT_THAT(files, IsOk());
  auto overtaken = std::make_shared<OvertakenFileIO>(*files);
  auto slow = Catalog::Open(directory_ / "lake.db", {.file_io = overtaken});
  ASSERT_THAT(slow, IsOk());
  int reads = 0;
  overtaken->overtake_reading = [&] {
    if (++reads > 2) return;
    ASSERT_THAT(Commit("t", SetProperty("a", std::to_string(reads))), IsOk());
    ASSERT_THAT(Commit("t", SetProperty("b", std::to_string(reads))), IsOk());
  };
  ASSERT_THAT((*slow)->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("slow", "v"))), IsOk());
  EXPECT_EQ(reads, 3);
  Json found = Load("t")["metadata"]["properties"];
  EXPECT_EQ(found["a"], "2");
  EXPECT_EQ(found["slow"], "v");
  // A base that is gone though its row still names it is the damage it looks like.
  std::string location = Load("t")["metadata-location"];
  fs::remove(PathOf(location));
  EXPECT_THAT(Commit("t", SetProperty("k", "v")),
              IsError(ErrorKind::kNotFound, HasSubstr(location)));
}

TEST_F(CommitTest, ThatIsAlwaysOvertakenIsMadeWhileOthersWait) {
  CreateTable("t");
  auto files = MakeLocalFileIO({catalog_->warehouse()});
  ASSERT_THAT(files, IsOk());
  auto overtaken = std::make_shared<OvertakenFileIO>(*files);
  auto slow = Catalog::Open(directory_ / "lake.db", {.file_io = overtaken});
  ASSERT_THAT(slow, IsOk());
  int overtakings = 0;
  overtaken->overtake = [&] {
    if (overtakings == limits::kCommitRacesMax) return;  // now the file is locked
    auto faster = catalog_->UpdateTable({{"ns"}, "t"},
                                        Doc(SetProperty(std::to_string(overtakings), "faster")));
    ASSERT_THAT(faster, IsOk());
    ++overtakings;
  };
  auto committed = (*slow)->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("slow", "v")));
  ASSERT_THAT(committed, IsOk());
  EXPECT_EQ(overtaken->written, limits::kCommitRacesMax + 1);
  EXPECT_EQ(Dom(*committed)["metadata-location"], Load("t")["metadata-location"]);
  EXPECT_EQ(Load("t")["metadata"]["properties"].size(), limits::kCommitRacesMax + 2u);
  EXPECT_EQ(FileCount("t"), limits::kCommitRacesMax + 2u);
}

TEST_F(CommitTest, OfConflictingRequirementsHasOneWinner) {
  Json created = CreateTable("t");
  Json request = Requirement({{"type", "assert-current-schema-id"}, {"current-schema-id", 0}},
                             Json{{"requirements", Json::array()}});
  Json schema = created["metadata"]["schemas"][0];
  schema["fields"].push_back({{"id", 3}, {"name", "c"}, {"type", "int"}, {"required", false}});
  request["updates"] = {{{"action", "add-schema"}, {"schema", schema}},
                        {{"action", "set-current-schema"}, {"schema-id", -1}}};
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      auto committed = Commit("t", request);
      if (committed) {
        ++won;
      } else if (committed.error().kind == ErrorKind::kCommitFailed) {
        ++lost;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 7);
  EXPECT_EQ(FileCount("t"), 2u);
}

TEST_F(CommitTest, ParallelCreatesOfOneNameHaveOneWinner) {
  CreateNamespace({"ns"});
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      auto created = catalog_->CreateTable({"ns"}, Doc(TableRequest("t")));
      if (created) {
        ++won;
      } else if (created.error().kind == ErrorKind::kAlreadyExists) {
        ++lost;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 15);
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PathOf(catalog_->warehouse()))) {
    if (entry.is_regular_file()) ++files;
  }
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace berglite::testing
