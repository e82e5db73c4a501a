#include "lib/store/metrics_rows.h"

#include "lib/base/limits.h"
#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MetricsRowsTest : public ::testing::Test {
 protected:
  // Reports on the table with the numbers from `first` up to and without `end`.
  void Add(const EntryKey& table, int64_t first, int64_t end) {
    std::vector<MetricsRecord> reports;
    for (int64_t i = first; i < end; ++i) reports.push_back({table, i, std::to_string(i)});
    ASSERT_THAT(
        store_->Write([&](Writer& writer) { return writer.AddMetrics(reports); }, NeverAsked),
        IsOk());
  }

  // The texts of the reports that are kept.
  std::vector<std::string> List(const EntryKey& table) {
    auto reports = ReadOne(*store_, [&](Reader& reader) { return reader.ListMetrics(table); });
    EXPECT_THAT(reports, IsOk());
    std::vector<std::string> texts;
    if (!reports) return texts;
    for (const MetricsRecord& report : *reports) {
      EXPECT_EQ(report.text, std::to_string(report.received_ms));
      texts.push_back(report.text);
    }
    return texts;
  }

  testing::TempDir dir_;
  std::unique_ptr<Store> store_ = OpenOrDie(dir_ / "lake.db");
};

TEST_F(MetricsRowsTest, AreListedForTheirTableNewestFirst) {
  Add({{"ns"}, "t"}, 1, 4);
  Add({{"ns"}, "u"}, 7, 8);
  EXPECT_THAT(List({{"ns"}, "t"}), ElementsAre("3", "2", "1"));
  EXPECT_THAT(List({{"ns"}, "u"}), ElementsAre("7"));
  EXPECT_THAT(List({{"n"}, "t"}), IsEmpty());
}

TEST_F(MetricsRowsTest, OfATableAreTheLastHundred) {
  Add({{"ns"}, "u"}, 5, 6);
  Add({{"ns"}, "t"}, 0, limits::kMetricsPerTableMax);
  EXPECT_EQ(List({{"ns"}, "t"}).back(), "0");
  Add({{"ns"}, "t"}, limits::kMetricsPerTableMax, limits::kMetricsPerTableMax + 1);
  EXPECT_EQ(List({{"ns"}, "t"}).back(), "1");
  EXPECT_EQ(List({{"ns"}, "t"}).size(), limits::kMetricsPerTableMax);
  EXPECT_THAT(List({{"ns"}, "u"}), ElementsAre("5"));
}

TEST_F(MetricsRowsTest, OfAFileAreTheLastTenThousand) {
  Add({{"ns"}, "first"}, 0, 1);
  int64_t tables = limits::kMetricsMax / limits::kMetricsPerTableMax;
  for (int64_t i = 1; i < tables; ++i) {
    Add({{"ns"}, std::to_string(i)}, 0, limits::kMetricsPerTableMax);
  }
  Add({{"ns"}, "last"}, 0, limits::kMetricsPerTableMax - 1);
  EXPECT_THAT(List({{"ns"}, "first"}), ElementsAre("0"));
  Add({{"ns"}, "one more"}, 0, 1);
  EXPECT_THAT(List({{"ns"}, "first"}), IsEmpty());
  EXPECT_EQ(List({{"ns"}, "1"}).size(), limits::kMetricsPerTableMax);
}

}  // namespace
}  // namespace berglite::store
