// Metrics reports, from the report to the list.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class MetricsTest : public CatalogTest {
 protected:
  Status Report(const std::string& name, const std::string& text) {
    Result<Document> report = Document::Parse(text);
    EXPECT_THAT(report, IsOk());
    return catalog_->ReportMetrics({{"ns"}, name}, *report);
  }

  // The reports that `catalog` lists, without the times.
  static Json List(Catalog& catalog, const std::string& name) {
    auto listed = catalog.ListMetrics({{"ns"}, name});
    EXPECT_THAT(listed, IsOk());
    Json reports = Json::array();
    if (!listed) return reports;
    for (const MetricsReport& item : *listed) {
      EXPECT_GT(item.received_ms, 0);
      reports.push_back(Dom(item.report));
    }
    return reports;
  }
};

TEST_F(MetricsTest, AreKeptForTheirTable) {
  CreateTable("t");
  CreateTable("u");
  ASSERT_THAT(Report("t", R"({"report-type":"scan-report","n":1})"), IsOk());
  ASSERT_THAT(Report("u", R"({"report-type":"scan-report","n":2})"), IsOk());
  ASSERT_THAT(Report("t", R"({"report-type":"commit-report","n":3})"), IsOk());
  EXPECT_EQ(List(*catalog_, "t"), Json::parse(R"([{"report-type":"commit-report","n":3},
                                                  {"report-type":"scan-report","n":1}])"));
  EXPECT_EQ(List(*catalog_, "u"), Json::parse(R"([{"report-type":"scan-report","n":2}])"));
  EXPECT_EQ(List(*Open(), "u"), List(*catalog_, "u"));
}

TEST_F(MetricsTest, AreWrittenWhenTheCatalogCloses) {
  CreateTable("t");
  ASSERT_THAT(Report("t", R"({"report-type":"scan-report"})"), IsOk());
  catalog_.reset();
  EXPECT_EQ(List(*Open(), "t").size(), 1);
}

TEST_F(MetricsTest, OfAFloodAreTheLastOnes) {
  const auto n_max = static_cast<int64_t>(limits::kMetricsWaitingMax) + limits::kMetricsPerTableMax;
  CreateTable("t");
  for (int64_t n = 0; n < n_max; ++n) {
    ASSERT_THAT(Report("t", R"({"report-type":"x","n":)" + std::to_string(n) + "}"), IsOk());
  }
  const Json kept = List(*catalog_, "t");
  ASSERT_EQ(kept.size(), static_cast<size_t>(limits::kMetricsPerTableMax));
  EXPECT_EQ(kept[0]["n"], n_max - 1);
}

TEST_F(MetricsTest, NeedTheirTable) {
  CreateNamespace({"ns"});
  EXPECT_THAT(Report("t", R"({"report-type":"scan-report"})"),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
  EXPECT_THAT(catalog_->ListMetrics({{"ns"}, "t"}),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
}

TEST_F(MetricsTest, AreReportsOfABoundedSize) {
  CreateTable("t");
  EXPECT_THAT(Report("t", "{}"),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: report-type"));
  std::string text = R"({"report-type":"x","pad":""})";
  std::string pad(limits::kMetricsReportBytesMax - text.size(), 'a');
  std::string largest = text.substr(0, text.size() - 2) + pad + "\"}";
  EXPECT_THAT(Report("t", largest), IsOk());
  EXPECT_THAT(Report("t", largest + " "),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("past the limit of 65536")));
  EXPECT_EQ(List(*catalog_, "t").size(), 1);
}

}  // namespace
}  // namespace berglite::testing
