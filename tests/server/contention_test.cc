// Many clients of the built program on one table, as engines append: each on the snapshot that it
// saw, starting over where another was first.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/server/program.h"
#include "tests/server/raw_client.h"

namespace berglite::testing {
namespace {

using nlohmann::json;

constexpr int kClients = 16;
constexpr int kAppendsPerClient = 6;
constexpr char kTable[] = "/v1/namespaces/ns/tables/t";

std::string Append(const json& metadata, int64_t id) {
  const json refs = metadata.value("refs", json::object());
  const json parent = refs.contains("main") ? refs["main"]["snapshot-id"] : json();
  const int64_t sequence = metadata["last-sequence-number"].get<int64_t>() + 1;
  json snapshot{{"snapshot-id", id},
                {"sequence-number", sequence},
                {"timestamp-ms", 1'700'000'000'000 + sequence},
                {"manifest-list", "file:///none/" + std::to_string(id)},
                {"schema-id", 0},
                {"summary", {{"operation", "append"}}}};
  if (!parent.is_null()) snapshot["parent-snapshot-id"] = parent;
  const json commit{
      {"requirements",
       {{{"type", "assert-ref-snapshot-id"}, {"ref", "main"}, {"snapshot-id", parent}}}},
      {"updates",
       {{{"action", "add-snapshot"}, {"snapshot", snapshot}},
        {{"action", "set-snapshot-ref"},
         {"ref-name", "main"},
         {"type", "branch"},
         {"snapshot-id", id}}}}};
  return Post(kTable, commit.dump());
}

json MetadataIn(const RawReply& reply) { return json::parse(reply.body)["metadata"]; }

// Appends until so many have landed; returns how many were refused.
int AppendAll(int port, int client_number) {
  RawClient client(port);
  int refused = 0;
  for (int landed = 0; landed < kAppendsPerClient;) {
    const RawReply loaded = client.Ask(Get(kTable));
    EXPECT_EQ(loaded.status, 200);
    if (loaded.status != 200) return refused;
    const RawReply reply =
        client.Ask(Append(MetadataIn(loaded), client_number * 1000 + landed + 1));
    EXPECT_THAT(reply.status, ::testing::AnyOf(200, 409)) << reply.body;
    if (reply.status != 200 && reply.status != 409) return refused;
    ++(reply.status == 200 ? landed : refused);
  }
  return refused;
}

TEST(Contention, HasOneWinnerAVersionAndStarvesNobody) {
  const TempDir directory;
  Program program(directory, {"serve", "--port", "0"});
  const int port = program.Port();
  RawClient client(port);
  ASSERT_EQ(client.Ask(CreateNamespace("ns")).status, 200);
  ASSERT_EQ(client.Ask(CreateTable("ns", "t")).status, 200);
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 1; i <= kClients; ++i) {
    threads.emplace_back([&, i] { refused += AppendAll(port, i); });
  }
  for (std::thread& thread : threads) thread.join();
  const json metadata = MetadataIn(client.Ask(Get(kTable)));
  const json& snapshots = metadata["snapshots"];
  ASSERT_EQ(snapshots.size(), size_t{kClients} * kAppendsPerClient);
  for (size_t i = 1; i < snapshots.size(); ++i) {
    EXPECT_EQ(snapshots[i]["parent-snapshot-id"], snapshots[i - 1]["snapshot-id"]);
  }
  // That they met at all: otherwise the test has shown nothing.
  EXPECT_GT(refused, 0);
  EXPECT_EQ(program.Stop(), 0);
}

}  // namespace
}  // namespace berglite::testing
