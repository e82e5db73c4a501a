#include "lib/auth/failure_limit.h"

#include <gtest/gtest.h>

namespace berglite::auth {
namespace {

void Fail(FailureLimit& limit, const std::string& name, int times, int64_t now_ms) {
  for (int i = 0; i < times; ++i) limit.Note(name, now_ms);
}

TEST(FailureLimit, IsPerName) {
  FailureLimit limit;
  Fail(limit, "a", FailureLimit::kFailuresPerNameMax - 1, 1000);
  EXPECT_TRUE(limit.Allows("a", 1000));
  limit.Note("a", 1000);
  EXPECT_FALSE(limit.Allows("a", 1000));
  EXPECT_TRUE(limit.Allows("b", 1000));
}

TEST(FailureLimit, IsOverallToo) {
  FailureLimit limit;
  for (int i = 0; i < FailureLimit::kFailuresMax; ++i) {
    EXPECT_TRUE(limit.Allows("new", 1000)) << i;
    limit.Note("name" + std::to_string(i), 1000);
  }
  EXPECT_FALSE(limit.Allows("new", 1000));
}

TEST(FailureLimit, EndsWithItsWindow) {
  FailureLimit limit;
  Fail(limit, "a", FailureLimit::kFailuresMax, 1000);
  const int64_t begin_ms = 1000;
  // The first window began at 0, where no time has passed.
  EXPECT_FALSE(limit.Allows("a", FailureLimit::kWindowMs - 1));
  EXPECT_TRUE(limit.Allows("a", begin_ms + FailureLimit::kWindowMs));
}

TEST(FailureLimit, DoesNotOutliveAClockThatIsSetBack) {
  FailureLimit limit;
  Fail(limit, "a", FailureLimit::kFailuresMax, 1'000'000);
  EXPECT_FALSE(limit.Allows("a", 1'000'000));
  EXPECT_TRUE(limit.Allows("a", 500'000));
}

}  // namespace
}  // namespace berglite::auth
