// What `/metrics` tells, read with a parser of its format of the test's own.
#include "shim/rest/metrics.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// `name{labels}` to value.
using Samples = std::map<std::string, double>;

// The metric that a sample belongs to: histograms and summaries have several names.
std::string FamilyOf(const std::string& name, const std::map<std::string, std::string>& types) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (!name.ends_with(suffix)) continue;
    const auto type = types.find(name.substr(0, name.size() - suffix.size()));
    const bool is_family =
        type != types.end() &&
        (type->second == "histogram" || (type->second == "summary" && suffix != "_bucket"));
    if (is_family) return type->first;
  }
  return name;
}

// Reads the text strictly: every family has its HELP and TYPE once and before its samples, and no
// sample comes twice. Anything else is a failure of the test.
Samples Parse(const std::string& text) {
  Samples samples;
  std::map<std::string, std::string> types;
  std::set<std::string> helps;
  EXPECT_TRUE(text.ends_with('\n'));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string keyword;
    std::string name;
    if (line.starts_with('#')) {
      words >> hash >> keyword >> name;
      std::string rest;
      std::getline(words >> std::ws, rest);
      EXPECT_NE(rest, "") << line;
      const bool is_new =
          keyword == "HELP" ? helps.insert(name).second : types.emplace(name, rest).second;
      EXPECT_TRUE(is_new) << line;
      continue;
    }
    const size_t space = line.rfind(' ');
    EXPECT_NE(space, std::string::npos) << line;
    const std::string sample = line.substr(0, space);
    const std::string value = line.substr(space + 1);
    const std::string family = FamilyOf(sample.substr(0, sample.find('{')), types);
    EXPECT_TRUE(helps.contains(family) && types.contains(family)) << line;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    EXPECT_EQ(*end, '\0') << line;
    EXPECT_TRUE(samples.emplace(sample, number).second) << line;
  }
  return samples;
}

class MetricsTest : public RestTest {
 protected:
  Samples Read() { return Parse(Ask("GET", "/metrics").body()); }
};

TEST_F(MetricsTest, IsTextOfTheFormatThatCollectorsAskFor) {
  const HttpReply reply = Ask("GET", "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(HeaderOf(reply, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(HeaderOf(reply, "Cache-Control"), "no-store");
  EXPECT_THAT(reply.body(), HasSubstr("# TYPE berglite_requests_total counter\n"));
  EXPECT_THAT(Parse(reply.body()), Contains(Pair(StartsWith("berglite_build_info{version=\""), 1)));
}

TEST_F(MetricsTest, CountsRequestsByOperationAndStatus) {
  Ask("GET", "/v1/config");
  Ask("GET", "/v1/config");
  Ask("GET", "/v1/namespaces/nowhere/tables/t");
  Ask("GET", "/v1/nothing");
  const Samples samples = Read();
  EXPECT_THAT(samples,
              Contains(Pair(R"(berglite_requests_total{operation="getConfig",status="200"})", 2)));
  EXPECT_THAT(samples,
              Contains(Pair(R"(berglite_requests_total{operation="loadTable",status="404"})", 1)));
  EXPECT_THAT(samples,
              Contains(Pair(R"(berglite_requests_total{operation="none",status="404"})", 1)));
}

TEST_F(MetricsTest, CountsNeitherItselfNorProbes) {
  Ask("GET", "/healthz");
  Ask("GET", "/readyz");
  Ask("GET", "/metrics");
  EXPECT_THAT(Read(), Not(Contains(Key(StartsWith("berglite_requests_total{")))));
}

TEST_F(MetricsTest, HasBucketsThatHoldThoseBelow) {
  Metrics metrics;
  using std::chrono::microseconds;
  const Operation& operation = Operations().front();
  for (int us : {999, 1'000, 1'001, 30'000, 60'000'000}) {
    metrics.Count(&operation, 200, microseconds(us));
  }
  const Samples samples = Parse(metrics.Text({}, nullptr));
  const std::string label = "{operation=\"" + std::string(operation.id) + "\"";
  const auto bucket = [&](const std::string& bound) {
    return samples.at("berglite_request_duration_seconds_bucket" + label + ",le=\"" + bound +
                      "\"}");
  };
  EXPECT_EQ(bucket("0.001000"), 2);
  EXPECT_EQ(bucket("0.005000"), 3);
  EXPECT_EQ(bucket("0.025000"), 3);
  EXPECT_EQ(bucket("0.100000"), 4);
  EXPECT_EQ(bucket("10.000000"), 4);
  EXPECT_EQ(bucket("+Inf"), 5);
  EXPECT_EQ(samples.at("berglite_request_duration_seconds_count" + label + "}"), 5);
  EXPECT_DOUBLE_EQ(samples.at("berglite_request_duration_seconds_sum" + label + "}"), 60.033);
}

TEST_F(MetricsTest, TellsWhatTheCatalogHasDone) {
  catalog_.counters = {.commits = 1,
                       .commit_conflicts = 2,
                       .commit_races_lost = 3,
                       .metadata_cache_hits = 4,
                       .metadata_cache_misses = 5,
                       .write_groups = 6,
                       .grouped_writes = 7,
                       .waiting_writes = 8,
                       .busy_waits = 9,
                       .owed_purges = 10};
  const Samples samples = Read();
  EXPECT_EQ(samples.at("berglite_commits_total"), 1);
  EXPECT_EQ(samples.at("berglite_commit_conflicts_total"), 2);
  EXPECT_EQ(samples.at("berglite_commit_races_lost_total"), 3);
  EXPECT_EQ(samples.at("berglite_metadata_cache_hits_total"), 4);
  EXPECT_EQ(samples.at("berglite_metadata_cache_misses_total"), 5);
  EXPECT_EQ(samples.at("berglite_write_group_size_count"), 6);
  EXPECT_EQ(samples.at("berglite_write_group_size_sum"), 7);
  EXPECT_EQ(samples.at("berglite_write_queue_length"), 8);
  EXPECT_EQ(samples.at("berglite_write_lock_waits_total"), 9);
  EXPECT_EQ(samples.at("berglite_owed_purges"), 10);
}

TEST_F(MetricsTest, LeavesOutWhatIsNotKnown) {
  catalog_.counters.owed_purges = std::nullopt;
  EXPECT_THAT(Read(), Not(Contains(Key("berglite_owed_purges"))));
  EXPECT_THAT(Read(), Not(Contains(Key("berglite_open_connections"))));
}

TEST_F(MetricsTest, TellsHowManyConnectionsAreOpen) {
  const std::atomic<size_t> open = 3;
  Service service(catalog_, {.open_connections = &open});
  const HttpReply reply = service.Handle({"GET", "/metrics", {}, {}});
  EXPECT_EQ(Parse(reply.body()).at("berglite_open_connections"), 3);
}

TEST_F(MetricsTest, IsNotForPagesUnderOtherNames) {
  const HttpReply reply = Ask("GET", "/metrics", {{"Host", "page.example"}});
  EXPECT_THAT(reply, IsErrorReply(403, "ForbiddenException", HasSubstr("page.example")));
}

TEST_F(MetricsTest, AnswersHeadWithoutABodyAndNothingElse) {
  EXPECT_EQ(Ask("HEAD", "/metrics").body(), "");
  const HttpReply reply = Ask("POST", "/metrics");
  EXPECT_THAT(reply, IsErrorReply(405, "MethodNotAllowedException", HasSubstr("POST /metrics")));
  EXPECT_EQ(HeaderOf(reply, "Allow"), "GET, HEAD");
}

}  // namespace
}  // namespace berglite::rest
