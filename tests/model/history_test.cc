// Many threads, on one Catalog and on two for one file. Afterwards the history of each table is
// read from its metadata files: each acknowledged commit is one version and no version is anybody
// else's, and versions come in the order in which calls came and returned.
#include <array>
#include <atomic>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include "tests/catalog/fixture.h"
#include "tests/model/settings.h"

namespace berglite::testing {
namespace {

constexpr int kThreads = 6;
constexpr int kTables = 2;

// One call that has returned. Times are ticks of one counter.
struct Call {
  int64_t began;
  int64_t returned;
  int table;
  std::string key;       // that a commit has set; empty for a load
  std::string location;  // in the answer; empty for a transaction, which answers nothing
};

std::string TableName(int number) { return "t" + std::to_string(number); }

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto& catalog : catalogs_) {
      auto opened = Catalog::Open(directory_ / "lake.db");
      ASSERT_THAT(opened, IsOk());
      catalog = *std::move(opened);
    }
    ASSERT_THAT(catalogs_[0]->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
    for (int i = 0; i < kTables; ++i) {
      Json request = TableRequest(TableName(i));
      // No version is forgotten.
      request["properties"] = {{"write.metadata.previous-versions-max", "1000000"}};
      ASSERT_THAT(catalogs_[0]->CreateTable({"ns"}, Doc(request)), IsOk());
    }
  }

  // The calls of a thread; each acknowledged.
  std::vector<Call> RunThread(Catalog& catalog, int thread, int count) {
    std::mt19937 random(SeedOfThisRun() * 1000 + static_cast<uint32_t>(thread));
    std::vector<Call> calls;
    for (int i = 0; i < count; ++i) {
      const std::string key = "test." + std::to_string(thread) + "." + std::to_string(i);
      switch (random() % 6) {
        case 0:
          Transact(catalog, key, calls);
          break;
        case 1:
        case 2:
          Load(catalog, static_cast<int>(random() % kTables), calls);
          break;
        default:
          Commit(catalog, static_cast<int>(random() % kTables), key, calls);
      }
    }
    return calls;
  }

  void Commit(Catalog& catalog, int table, const std::string& key, std::vector<Call>& calls) {
    const int64_t began = ++ticks_;
    const auto done = catalog.UpdateTable({{"ns"}, TableName(table)}, Doc(SetProperty(key, "v")));
    ASSERT_THAT(done, IsOk());
    calls.push_back({began, ++ticks_, table, key, Dom(*done)["metadata-location"]});
  }

  void Load(Catalog& catalog, int table, std::vector<Call>& calls) {
    const int64_t began = ++ticks_;
    const auto loaded = catalog.LoadTable({{"ns"}, TableName(table)}, {});
    ASSERT_THAT(loaded, IsOk());
    calls.push_back({began, ++ticks_, table, "", Dom(*loaded)["metadata-location"]});
  }

  void Transact(Catalog& catalog, const std::string& key, std::vector<Call>& calls) {
    Json request{{"table-changes", Json::array()}};
    for (int i = 0; i < kTables; ++i) {
      Json change = SetProperty(key, "v");
      change["identifier"] = {{"namespace", {"ns"}}, {"name", TableName(i)}};
      request["table-changes"].push_back(change);
    }
    const int64_t began = ++ticks_;
    ASSERT_THAT(catalog.CommitTransaction(Doc(request)), IsOk());
    const int64_t returned = ++ticks_;
    for (int i = 0; i < kTables; ++i) calls.push_back({began, returned, i, key, ""});
  }

  std::vector<Call> RunAll(size_t catalogs) {
    const int count = StepsOfThisRun(240) / kThreads;
    std::vector<std::vector<Call>> calls(kThreads);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back(
          [&, i] { calls[i] = RunThread(*catalogs_[i % catalogs], static_cast<int>(i), count); });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Call> all;
    for (const auto& some : calls) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

  // The metadata files of a table, oldest first, by what the last of them says.
  std::vector<std::string> Chain(int table) {
    std::vector<std::string> chain;
    const auto loaded = catalogs_[1]->LoadTable({{"ns"}, TableName(table)}, {});
    EXPECT_THAT(loaded, IsOk());
    if (!loaded) return chain;
    for (const Json& earlier : Dom(*loaded)["metadata"]["metadata-log"]) {
      chain.push_back(earlier["metadata-file"]);
    }
    chain.push_back(Dom(*loaded)["metadata-location"]);
    return chain;
  }

  // Gives each call of a table the number of the version that it made or saw, and checks that each
  // version after the first was made by one commit.
  static void Number(const std::vector<std::string>& chain, const std::vector<Call>& calls,
                     std::vector<size_t>& versions) {
    std::map<std::string, size_t> version_of_file;
    std::map<std::string, size_t> version_of_key;
    for (size_t i = 0; i < chain.size(); ++i) {
      version_of_file[chain[i]] = i;
      const Json metadata = Json::parse(FileText(PathOf(chain[i])));
      size_t keys = 0;
      for (const auto& [key, value] : metadata["properties"].items()) {
        if (!key.starts_with("test.")) continue;
        ++keys;
        version_of_key.emplace(key, i);
      }
      ASSERT_EQ(keys, i) << "a version holds its predecessor and one change: " << chain[i];
    }
    size_t commits = 0;
    for (const Call& call : calls) {
      const bool is_commit = !call.key.empty();
      commits += is_commit ? 1 : 0;
      ASSERT_TRUE(!is_commit || version_of_key.contains(call.key)) << "lost: " << call.key;
      ASSERT_TRUE(call.location.empty() || version_of_file.contains(call.location)) << "forged";
      versions.push_back(is_commit ? version_of_key[call.key] : version_of_file[call.location]);
      if (call.location.empty()) continue;
      ASSERT_EQ(chain[versions.back()], call.location) << "not the version of the answer";
    }
    ASSERT_EQ(commits + 1, chain.size());
    ASSERT_EQ(commits, version_of_key.size());
  }

  // A call that came after another had returned saw its version or made a later one.
  static void CheckOrder(const std::vector<Call>& calls, const std::vector<size_t>& versions) {
    for (size_t later = 0; later < calls.size(); ++later) {
      for (size_t earlier = 0; earlier < calls.size(); ++earlier) {
        if (calls[earlier].returned >= calls[later].began) continue;
        const size_t least = versions[earlier] + (calls[later].key.empty() ? 0 : 1);
        ASSERT_GE(versions[later], least)
            << "stale after " << calls[earlier].key << calls[earlier].location;
      }
    }
  }

  void RunAndCheck(size_t catalogs) {
    const std::vector<Call> all = RunAll(catalogs);
    ASSERT_FALSE(HasFailure());
    for (int table = 0; table < kTables; ++table) {
      std::vector<Call> calls;
      for (const Call& call : all) {
        if (call.table == table) calls.push_back(call);
      }
      std::vector<size_t> versions;
      Number(Chain(table), calls, versions);
      ASSERT_FALSE(HasFailure());
      CheckOrder(calls, versions);
      std::cout << "calls: " << calls.size() << "\n";
    }
  }

  TempDir directory_;
  std::atomic<int64_t> ticks_ = 0;
  std::array<std::unique_ptr<Catalog>, 2> catalogs_;
};

TEST_F(HistoryTest, OfThreadsOnOneCatalogIsLinearizable) { RunAndCheck(1); }

TEST_F(HistoryTest, OfThreadsOnTwoCatalogsOfOneFileIsLinearizable) { RunAndCheck(2); }

}  // namespace
}  // namespace berglite::testing
