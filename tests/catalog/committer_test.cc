#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/catalog/commit.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::catalog {
namespace {

using berglite::testing::IsOk;
using store::Entry;
using store::EntryKind;
using ::testing::ElementsAre;

// The tables `a` and `b`, whose metadata is at texts that only the test reads.
class CommitterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<store::Store>> store = store::Store::Open(directory_ / "lake.db", {});
    ASSERT_THAT(store, IsOk());
    store_ = *std::move(store);
    Result<std::shared_ptr<FileIO>> file_io = MakeLocalFileIO({directory_ / "warehouse"});
    ASSERT_THAT(file_io, IsOk());
    file_io_ = *std::move(file_io);
    ASSERT_THAT(
        Write([](store::Writer& writer) -> Status {
          BERGLITE_RETURN_IF_ERROR(writer.InsertNamespace({"ns"}, {}));
          for (const char* name : {"a", "b"}) {
            BERGLITE_RETURN_IF_ERROR(writer.InsertEntry({{"ns"}, name}, {EntryKind::kTable, "0"}));
          }
          return {};
        }),
        IsOk());
  }

  Status Write(const std::function<Status(store::Writer&)>& body) {
    return store_->Write(body, [](store::Reader&) -> Result<bool> { return true; });
  }

  // As another program would do it.
  void MoveBehindTheBack(const std::string& name, const std::string& from, const std::string& to) {
    ASSERT_THAT(
        Write([&](store::Writer& writer) -> Status {
          BERGLITE_RETURN_IF_ERROR(writer.MovePointer({{"ns"}, name}, EntryKind::kTable, from, to));
          return {};
        }),
        IsOk());
  }

  static Change MakeChange(const std::string& name, Planner plan) {
    return Change{EntryKind::kTable, {{"ns"}, name}, std::move(plan)};
  }

  berglite::testing::TempDir directory_;
  std::unique_ptr<store::Store> store_;
  std::shared_ptr<FileIO> file_io_;
};

// `a` is only required to be as it is. It changes after it was looked at and before `b` moves.
TEST_F(CommitterTest, LooksAgainWhenWhatItKeepsHasMoved) {
  Committer committer(*store_, *file_io_);
  Mutation mutation(*store_);
  std::vector<std::string> seen;
  auto keep_a = [&](const Entry* entry) -> Result<Plan> {
    seen.push_back(entry->metadata_location);
    return Plan{.step = Plan::Step::kKeep, .next = {entry->metadata_location, {}}};
  };
  const std::string file = directory_ / "warehouse/2";
  ASSERT_THAT(file_io_->WriteNew(file, "{}"), IsOk());
  auto move_b = [&](const Entry*) -> Result<Plan> {
    if (seen.size() == 1) MoveBehindTheBack("a", "0", "1");
    return Plan{.step = Plan::Step::kPoint, .next = {file, {}}};
  };
  ASSERT_THAT(committer.Commit({MakeChange("a", keep_a), MakeChange("b", move_b)}, mutation),
              IsOk());
  EXPECT_THAT(seen, ElementsAre("0", "1"));
}

}  // namespace
}  // namespace berglite::catalog
