// The checker finds each kind of fault. Without this, "nothing was lost" could mean that nobody
// looked.
#include "tests/crash/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::crash {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Writer 1 has done 1 and 2, writer 2 an append after both; writer 3 does not know.
std::vector<Commit> SomeCommits() {
  return {
      {.id = 1, .writer = 1, .outcome = Outcome::kDone, .sent = 10, .answered = 20},
      {.id = 2,
       .writer = 1,
       .outcome = Outcome::kDone,
       .sent = 21,
       .answered = 30,
       .location = "b"},
      {.id = 7,
       .writer = 2,
       .appends = true,
       .outcome = Outcome::kDone,
       .sent = 31,
       .answered = 40},
      {.id = 9, .writer = 3, .outcome = Outcome::kUnknown, .sent = 5, .answered = kNever},
      {.id = 10, .writer = 2, .outcome = Outcome::kRefused, .sent = 41, .answered = 50},
  };
}

History Stored(std::vector<Version> versions, std::vector<uint64_t> snapshots = {7}) {
  versions.insert(versions.begin(), Version{.id = 0, .location = "0"});
  return {.versions = std::move(versions), .snapshots = std::move(snapshots)};
}

TEST(FindFault, LetsAnUnknownCommitBeThereOrNot) {
  EXPECT_EQ(FindFault(SomeCommits(), Stored({{1, "a"}, {2, "b"}, {7, "c"}})), std::nullopt);
  EXPECT_EQ(FindFault(SomeCommits(), Stored({{1, "a"}, {9, "x"}, {2, "b"}, {7, "c"}})),
            std::nullopt);
}

TEST(FindFault, FindsALostCommit) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {7, "c"}})),
              Optional(HasSubstr("lost: commit 2 of writer 1")));
}

TEST(FindFault, FindsAForgedOne) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {2, "b"}, {7, "c"}, {8, "d"}})),
              Optional(HasSubstr("forged: version 4 has the commit 8")));
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {2, "b"}, {7, "c"}, {10, "d"}})),
              Optional(HasSubstr("forged: the refused commit 10")));
}

TEST(FindFault, FindsOneThatIsMadeTwice) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{9, "x"}, {1, "a"}, {2, "b"}, {7, "c"}, {9, "y"}})),
              Optional(HasSubstr("made twice: commit 9")));
}

TEST(FindFault, FindsDisorderOfOneWriterAndOfTime) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{2, "b"}, {1, "a"}, {7, "c"}})),
              Optional(HasSubstr("out of order: commit 1 of writer 1 after 2")));
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {7, "c"}, {2, "b"}})),
              Optional(HasSubstr("answered before commit 7")));
}

TEST(FindFault, FindsAnAnswerThatNamesAnotherFile) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {2, "z"}, {7, "c"}})),
              Optional(HasSubstr("answered with b, stored as z")));
}

TEST(FindFault, FindsSnapshotsThatAreNotThoseOfTheCommits) {
  EXPECT_THAT(FindFault(SomeCommits(), Stored({{1, "a"}, {2, "b"}, {7, "c"}}, {})),
              Optional(HasSubstr("expected 1 snapshots")));
}

TEST(FindFault, ComparesNames) {
  const Names expected{{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(FindFault(expected, expected), std::nullopt);
  EXPECT_THAT(FindFault(expected, {{"a", "1"}}), Optional(HasSubstr("lost: the table b")));
  EXPECT_THAT(FindFault(expected, {{"a", "1"}, {"b", "3"}}), Optional(HasSubstr("found 3")));
  EXPECT_THAT(FindFault(expected, {{"a", "1"}, {"b", "2"}, {"c", "3"}}),
              Optional(HasSubstr("forged: the table c")));
}

TEST(AfterUnknown, TakesAChangeWholeOrNotAtAll) {
  const Names before{{"a", "1"}};
  const auto fault = [&](const NameChange& change, const Names& found) {
    return FindFault(AfterUnknown(before, change, found), found);
  };
  const NameChange create{.from = "", .to = "b"};
  const NameChange drop{.from = "a", .to = ""};
  const NameChange rename{.from = "a", .to = "b"};
  for (const NameChange& change : {create, drop, rename}) {
    EXPECT_EQ(fault(change, before), std::nullopt);
  }
  EXPECT_EQ(fault(create, {{"a", "1"}, {"b", "2"}}), std::nullopt);
  EXPECT_EQ(fault(drop, {}), std::nullopt);
  EXPECT_EQ(fault(rename, {{"b", "1"}}), std::nullopt);
  EXPECT_THAT(fault(create, {{"b", "2"}}), Optional(HasSubstr("lost: the table a")));
  EXPECT_THAT(fault(rename, {}), Optional(HasSubstr("lost: the table a")));
  EXPECT_THAT(fault(rename, {{"a", "1"}, {"b", "1"}}), Optional(HasSubstr("forged: the table a")));
  EXPECT_THAT(fault(rename, {{"b", "2"}}), Optional(HasSubstr("expected the UUID 1, found 2")));
}

}  // namespace
}  // namespace berglite::crash
