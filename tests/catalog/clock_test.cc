// A wall clock that is set back or forward by hours while a catalog is open.
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite {
namespace {

using ::berglite::testing::Doc;
using ::berglite::testing::IsOk;
using ::berglite::testing::SetProperty;

constexpr int64_t kHourMs = 3'600'000;

class ClockTest : public ::berglite::testing::CatalogTest {
 protected:
  void SetClock(int64_t change_ms) { environment_.SetNowMs(environment_.NowMs() + change_ms); }
  int64_t LastUpdated() { return Load("t")["metadata"]["last-updated-ms"].get<int64_t>(); }
  void Commit(const std::string& value) {
    ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("a", value))), IsOk());
  }
};

// Readers refuse a table whose logs go back by more than a minute.
TEST_F(ClockTest, SetBackLetsNoTableGrowYounger) {
  CreateTable("t");
  Commit("1");
  const int64_t before = LastUpdated();
  SetClock(-3 * kHourMs);
  Commit("2");
  EXPECT_EQ(LastUpdated(), before);
  SetClock(kHourMs);
  Commit("3");
  EXPECT_EQ(LastUpdated(), before);
  int64_t last = 0;
  const Json log = Load("t")["metadata"]["metadata-log"];
  for (const Json& entry : log) {
    EXPECT_GE(entry["timestamp-ms"].get<int64_t>(), last);
    last = entry["timestamp-ms"].get<int64_t>();
  }
  EXPECT_EQ(last, before);
  SetClock(2 * kHourMs + 5);
  Commit("4");
  EXPECT_EQ(LastUpdated(), before + 5);
}

TEST_F(ClockTest, SetForwardAndBackLetsATableTakeCommits) {
  CreateTable("t");
  SetClock(9000 * kHourMs);
  Commit("1");
  const int64_t ahead = LastUpdated();
  SetClock(-9000 * kHourMs);
  Commit("2");
  EXPECT_EQ(LastUpdated(), ahead);
  catalog_ = Open();
  Commit("3");
  EXPECT_EQ(LastUpdated(), ahead);
}

TEST_F(ClockTest, SetBackLetsAViewTakeCommits) {
  ASSERT_THAT(catalog_->CreateNamespace(Doc(R"({"namespace":["v"]})")), IsOk());
  const Document request = Doc(R"({"name":"v","schema":{"type":"struct","fields":[]},
    "view-version":{"version-id":1,"timestamp-ms":1,"schema-id":0,"summary":{},
      "default-namespace":["v"],"representations":[
        {"type":"sql","sql":"select 1","dialect":"d"}]},
    "properties":{}})");
  ASSERT_THAT(catalog_->CreateView({"v"}, request), IsOk());
  SetClock(-3 * kHourMs);
  EXPECT_THAT(catalog_->ReplaceView({{"v"}, "v"}, Doc(SetProperty("a", "1"))), IsOk());
  EXPECT_THAT(catalog_->LoadView({{"v"}, "v"}), IsOk());
}

}  // namespace
}  // namespace berglite
