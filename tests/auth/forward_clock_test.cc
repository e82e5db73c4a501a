#include "lib/auth/forward_clock.h"

#include <gtest/gtest.h>

#include "tests/support/fake_environment.h"

namespace berglite::auth {
namespace {

using ::berglite::testing::FakeEnvironment;

constexpr int64_t kHourMs = 3'600'000;

class ForwardClockTest : public ::testing::Test {
 protected:
  void SetWall(int64_t change_ms) { environment_.SetNowMs(environment_.NowMs() + change_ms); }
  // On both clocks.
  void Pass(int64_t ms) {
    steady_ms_ += ms;
    SetWall(ms);
  }

  FakeEnvironment environment_;
  int64_t steady_ms_ = 77;
  const int64_t start_ms_ = environment_.NowMs();
  ForwardClock clock_{environment_, [this] { return steady_ms_; }};
};

TEST_F(ForwardClockTest, IsTheWallClock) {
  EXPECT_EQ(clock_.NowMs(), start_ms_);
  Pass(5);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 5);
}

TEST_F(ForwardClockTest, GoesOnWhereTheWallClockIsSetBack) {
  Pass(5);
  SetWall(-3 * kHourMs);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 5);
  Pass(kHourMs);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 5 + kHourMs);
  SetWall(3 * kHourMs);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 5 + kHourMs);
}

TEST_F(ForwardClockTest, FollowsAWallClockThatIsSetForward) {
  SetWall(2 * kHourMs);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 2 * kHourMs);
  SetWall(-2 * kHourMs);
  Pass(1);
  EXPECT_EQ(clock_.NowMs(), start_ms_ + 2 * kHourMs + 1);
}

}  // namespace
}  // namespace berglite::auth
