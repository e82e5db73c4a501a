// The records of idempotency keys: found for as long as they are kept, on whatever clock.
#include "lib/store/key_rows.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::berglite::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr int64_t kHourMs = 3'600'000;
const KeyRecord kRecord{"print", "success", "answer"};

class KeyRowsTest : public ::testing::Test {
 protected:
  std::optional<KeyRecord> Find(const std::string& key, int64_t now_ms) {
    Result<std::optional<KeyRecord>> found =
        ReadOne(*store_, [&](Reader& reader) { return reader.FindKeyRecord(key, now_ms); });
    EXPECT_THAT(found, IsOk());
    return found ? *found : std::nullopt;
  }

  Result<bool> Insert(const std::string& key, int64_t now_ms, const KeyRecord& record = kRecord) {
    return WriteOne(*store_,
                    [&](Writer& writer) { return writer.InsertKeyRecord(key, record, now_ms); });
  }

  std::string Count() {
    return RawDatabase(path_).Run("SELECT count(*) FROM berglite_idempotency_keys").front();
  }

  TempDir dir_;
  std::string path_ = dir_ / "lake.db";
  std::unique_ptr<Store> store_ = OpenOrDie(path_);
};

TEST_F(KeyRowsTest, FindsWhatWasInsertedAlsoAfterOpeningTheFileAgain) {
  EXPECT_EQ(Find("k", kStartMs), std::nullopt);
  EXPECT_THAT(Insert("k", kStartMs), IsOkAndHolds(true));
  EXPECT_THAT(Find("k", kStartMs), Optional(Eq(kRecord)));
  EXPECT_EQ(Find("K", kStartMs), std::nullopt);
  store_ = OpenOrDie(path_);
  EXPECT_THAT(Find("k", kStartMs), Optional(Eq(kRecord)));
}

TEST_F(KeyRowsTest, KeepsTheFirstRecordOfAKey) {
  ASSERT_THAT(Insert("k", kStartMs), IsOkAndHolds(true));
  EXPECT_THAT(Insert("k", kStartMs + 1, {"other", "success", ""}), IsOkAndHolds(false));
  EXPECT_THAT(Find("k", kStartMs), Optional(Eq(kRecord)));
}

TEST_F(KeyRowsTest, ARecordGoesWithTheChangesOfItsTransaction) {
  Status status = store_->Write(
      [](Writer& writer) -> Status {
        EXPECT_THAT(writer.InsertKeyRecord("k", kRecord, kStartMs), IsOkAndHolds(true));
        return Error{ErrorKind::kValidation, "undo"};
      },
      NeverAsked);
  EXPECT_THAT(status, IsError(ErrorKind::kValidation, "undo"));
  EXPECT_EQ(Find("k", kStartMs), std::nullopt);
}

TEST_F(KeyRowsTest, EachCatalogOfAFileHasItsOwnKeys) {
  ASSERT_THAT(Insert("k", kStartMs), IsOkAndHolds(true));
  store_ = OpenOrDie(path_, {.catalog_name = "other"});
  EXPECT_EQ(Find("k", kStartMs), std::nullopt);
  EXPECT_THAT(Insert("k", kStartMs), IsOkAndHolds(true));
}

TEST_F(KeyRowsTest, ARecordExpiresAtItsTimeAndNotBefore) {
  ASSERT_THAT(Insert("k", kStartMs), IsOkAndHolds(true));
  const int64_t end_ms = kStartMs + limits::kIdempotencyKeyKeptMs;
  EXPECT_THAT(Find("k", end_ms - 1), Optional(Eq(kRecord)));
  EXPECT_EQ(Find("k", end_ms), std::nullopt);
  EXPECT_THAT(Insert("k", end_ms - 1), IsOkAndHolds(false));
  EXPECT_THAT(Insert("k", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), "1");
}

TEST_F(KeyRowsTest, AClockThatIsSetBackEndsNoRecordEarly) {
  ASSERT_THAT(Insert("before", kStartMs), IsOkAndHolds(true));
  const int64_t back_ms = kStartMs - 24 * kHourMs;
  EXPECT_THAT(Find("before", back_ms), Optional(Eq(kRecord)));
  ASSERT_THAT(Insert("after", back_ms), IsOkAndHolds(true));
  const int64_t end_ms = back_ms + limits::kIdempotencyKeyKeptMs;
  EXPECT_THAT(Find("before", end_ms - 1), Optional(Eq(kRecord)));
  EXPECT_THAT(Find("after", end_ms - 1), Optional(Eq(kRecord)));
}

TEST_F(KeyRowsTest, AClockThatIsSetBackKeepsNoRecordForEver) {
  // Written while the clock was years ahead.
  ASSERT_THAT(Insert("before", kStartMs + 100'000 * kHourMs), IsOkAndHolds(true));
  ASSERT_THAT(Insert("after", kStartMs), IsOkAndHolds(true));
  const int64_t end_ms = kStartMs + limits::kIdempotencyKeyKeptMs;
  EXPECT_EQ(Find("before", end_ms), std::nullopt);
  EXPECT_EQ(Find("after", end_ms), std::nullopt);
  ASSERT_THAT(Insert("last", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), "1");
}

TEST_F(KeyRowsTest, TimeCountsAcrossManyRecords) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_THAT(Insert(std::to_string(i), kStartMs + i * 60'000), IsOkAndHolds(true));
  }
  const int64_t end_ms = kStartMs + limits::kIdempotencyKeyKeptMs;
  EXPECT_EQ(Find("3", end_ms + 3 * 60'000), std::nullopt);
  EXPECT_THAT(Find("4", end_ms + 3 * 60'000), Optional(Eq(kRecord)));
}

TEST_F(KeyRowsTest, AnInsertionSweepsSomeOfTheExpired) {
  const int count = static_cast<int>(limits::kIdempotencySweepMax) * 2 + 3;
  for (int i = 0; i < count; ++i) {
    ASSERT_THAT(Insert("old" + std::to_string(i), kStartMs), IsOkAndHolds(true));
  }
  const int64_t end_ms = kStartMs + limits::kIdempotencyKeyKeptMs;
  const auto left = [&](int insertions) {
    return std::to_string(count + insertions -
                          insertions * static_cast<int>(limits::kIdempotencySweepMax));
  };
  ASSERT_THAT(Insert("new1", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), left(1));
  ASSERT_THAT(Insert("new2", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), left(2));
  ASSERT_THAT(Insert("new3", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), "3");
  ASSERT_THAT(Insert("new4", end_ms), IsOkAndHolds(true));
  EXPECT_EQ(Count(), "4");
}

// The order of insertion is that of expiry, also where all that was there has been swept.
TEST_F(KeyRowsTest, TheClockStartsAnewWithAnEmptyTable) {
  ASSERT_THAT(Insert("old", kStartMs), IsOkAndHolds(true));
  const int64_t end_ms = kStartMs + limits::kIdempotencyKeyKeptMs;
  ASSERT_THAT(Insert("old", end_ms), IsOkAndHolds(true));
  EXPECT_THAT(RawDatabase(path_).Run("SELECT id FROM berglite_idempotency_keys"), ElementsAre("1"));
  EXPECT_THAT(Find("old", end_ms + limits::kIdempotencyKeyKeptMs - 1), Optional(Eq(kRecord)));
  EXPECT_EQ(Find("old", end_ms + limits::kIdempotencyKeyKeptMs), std::nullopt);
}

}  // namespace
}  // namespace berglite::store
