// Many threads, on one Catalog and on two for one file; and many processes, some of which die.
// Afterwards the history of each table is read from its metadata files: each acknowledged commit is
// one version, and no version is anybody else's; a commit whose process died is one version or
// none; and versions come in the order in which calls came and returned.
#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <random>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/catalog/fixture.h"
#include "tests/model/settings.h"

namespace berglite::testing {
namespace {

constexpr int kThreads = 6;
constexpr int kTables = 2;

constexpr int kProcesses = 4;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// One call. Times are ticks of one counter.
struct Call {
  int64_t began;
  int64_t returned;  // kNever: its process died before that
  int table;
  bool is_refused;          // an answer said that nothing was done
  char key[32] = {};        // that a commit has set; empty for a load
  char location[256] = {};  // in the answer; empty for a transaction, which answers nothing

  bool is_commit() const { return key[0] != '\0'; }
};

// What a thread or process did, in memory that outlives it.
struct Log {
  static constexpr int kCallsMax = 20'000;

  Call& Begin(int table, const std::string& key, int64_t began) {
    const int number = count;
    if (number == kCallsMax) std::abort();
    Call& call = calls[static_cast<size_t>(number)];
    call = {.began = began, .returned = kNever, .table = table, .is_refused = false};
    std::strncpy(call.key, key.c_str(), sizeof(call.key) - 1);
    count = number + 1;
    return call;
  }
  static void SetLocation(Call& call, const std::string& location) {
    ASSERT_LT(location.size(), sizeof(call.location));
    std::memcpy(call.location, location.c_str(), location.size() + 1);
  }

  std::atomic<int> count;
  std::array<Call, kCallsMax> calls;
};

// What all threads and processes share; zero at first.
struct Shared {
  std::atomic<int64_t> ticks;
  std::array<Log, kThreads> logs;
};

std::string TableName(int number) { return "t" + std::to_string(number); }

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = static_cast<Shared*>(memory);
    for (auto& catalog : catalogs_) catalog = Open();
    ASSERT_THAT(catalogs_[0]->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
    for (int i = 0; i < kTables; ++i) {
      Json request = TableRequest(TableName(i));
      // No version is forgotten.
      request["properties"] = {{"write.metadata.previous-versions-max", "1000000"}};
      ASSERT_THAT(catalogs_[0]->CreateTable({"ns"}, Doc(request)), IsOk());
    }
  }

  void TearDown() override { munmap(shared_, sizeof(Shared)); }

  std::unique_ptr<Catalog> Open() {
    auto opened = Catalog::Open(directory_ / "lake.db");
    EXPECT_THAT(opened, IsOk());
    return opened ? *std::move(opened) : nullptr;
  }

  void RunCalls(Catalog& catalog, int worker, int count) {
    Log& log = shared_->logs[static_cast<size_t>(worker)];
    std::mt19937 random(SeedOfThisRun() * 1000 + static_cast<uint32_t>(worker));
    for (int i = 0; i < count; ++i) {
      const std::string key = "test." + std::to_string(worker) + "." + std::to_string(i);
      switch (random() % 6) {
        case 0:
          Transact(catalog, key, log);
          break;
        case 1:
        case 2:
          Load(catalog, static_cast<int>(random() % kTables), log);
          break;
        default:
          Commit(catalog, static_cast<int>(random() % kTables), key, log);
      }
    }
  }

  int64_t Tick() { return ++shared_->ticks; }

  // Others may be in the way for so long that a call is given up.
  template <typename T>
  void End(Call& call, const Result<T>& result) {
    call.is_refused = !result;
    if (!result) {
      EXPECT_THAT(result, IsError(ErrorKind::kUnavailable, ::testing::_));
    }
    call.returned = Tick();
  }

  void Commit(Catalog& catalog, int table, const std::string& key, Log& log) {
    Call& call = log.Begin(table, key, Tick());
    const auto done = catalog.UpdateTable({{"ns"}, TableName(table)}, Doc(SetProperty(key, "v")));
    if (done) Log::SetLocation(call, Dom(*done)["metadata-location"]);
    End(call, done);
  }

  void Load(Catalog& catalog, int table, Log& log) {
    Call& call = log.Begin(table, "", Tick());
    const auto loaded = catalog.LoadTable({{"ns"}, TableName(table)}, {});
    if (loaded) Log::SetLocation(call, Dom(*loaded)["metadata-location"]);
    End(call, loaded);
  }

  void Transact(Catalog& catalog, const std::string& key, Log& log) {
    Json request{{"table-changes", Json::array()}};
    const int64_t began = Tick();
    std::vector<Call*> calls;
    for (int i = 0; i < kTables; ++i) {
      Json change = SetProperty(key, "v");
      change["identifier"] = {{"namespace", {"ns"}}, {"name", TableName(i)}};
      request["table-changes"].push_back(change);
      calls.push_back(&log.Begin(i, key, began));
    }
    const Status done = catalog.CommitTransaction(Doc(request));
    for (Call* call : calls) End(*call, done);
  }

  void RunThreads(size_t catalogs) {
    const int count = StepsOfThisRun(240) / kThreads;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back(
          [&, i] { RunCalls(*catalogs_[i % catalogs], static_cast<int>(i), count); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // Ends this process as a kill does, after some of its work: nothing of it runs after that.
  static void DieWithin(std::mt19937& random) {
    const itimerval when{
        .it_interval = {},
        .it_value = {.tv_sec = 0,
                     .tv_usec = static_cast<suseconds_t>(20'000 + random() % 300'000)}};
    setitimer(ITIMER_PROF, &when, nullptr);
  }

  pid_t StartProcess(int worker, int count) {
    const pid_t child = fork();
    if (child != 0) return child;
    const std::unique_ptr<Catalog> catalog = Open();
    std::mt19937 random(SeedOfThisRun() + static_cast<uint32_t>(worker));
    if (worker % 2 == 1) DieWithin(random);
    if (catalog != nullptr) RunCalls(*catalog, worker, count);
    _exit(HasFailure() ? 1 : 0);
  }

  // Returns how many died.
  int RunProcesses() {
    for (auto& catalog : catalogs_) catalog = nullptr;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(StartProcess(i, StepsOfThisRun(240) / kProcesses));
    }
    int deaths = 0;
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      if (WIFSIGNALED(status)) {
        EXPECT_EQ(WTERMSIG(status), SIGPROF);
        ++deaths;
      } else {
        EXPECT_EQ(WEXITSTATUS(status), 0);
      }
    }
    for (auto& catalog : catalogs_) catalog = Open();
    return deaths;
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

  // Gives each version the commit that made it, and checks that each after the first has one.
  static void ReadKeys(const std::vector<std::string>& chain,
                       std::map<std::string, size_t>& version_of_key) {
    for (size_t i = 0; i < chain.size(); ++i) {
      const Json metadata = Json::parse(FileText(PathOf(chain[i])));
      size_t keys = 0;
      for (const auto& [key, value] : metadata["properties"].items()) {
        if (!key.starts_with("test.")) continue;
        ++keys;
        version_of_key.emplace(key, i);
      }
      ASSERT_EQ(keys, i) << "a version holds its predecessor and one change: " << chain[i];
    }
  }

  // Gives each call of a table that had an effect or an answer the number of the version that it
  // made or saw.
  static void Number(const std::vector<std::string>& chain,
                     const std::map<std::string, size_t>& version_of_key, std::vector<Call>& calls,
                     std::vector<size_t>& versions) {
    std::map<std::string, size_t> version_of_file;
    for (size_t i = 0; i < chain.size(); ++i) version_of_file[chain[i]] = i;
    std::erase_if(calls, [&](const Call& call) {
      const bool is_there = call.is_commit() && version_of_key.contains(call.key);
      EXPECT_FALSE(is_there && call.is_refused) << "done all the same: " << call.key;
      return call.is_refused || (call.returned == kNever && !is_there);
    });
    size_t commits = 0;
    for (const Call& call : calls) {
      commits += call.is_commit() ? 1 : 0;
      ASSERT_TRUE(!call.is_commit() || version_of_key.contains(call.key)) << "lost: " << call.key;
      const bool has_location = call.location[0] != '\0';
      ASSERT_TRUE(!has_location || version_of_file.contains(call.location)) << "forged";
      versions.push_back(call.is_commit() ? version_of_key.at(call.key)
                                          : version_of_file[call.location]);
      if (!has_location) continue;
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
        const size_t least = versions[earlier] + (calls[later].is_commit() ? 1 : 0);
        ASSERT_GE(versions[later], least)
            << "stale after " << calls[earlier].key << calls[earlier].location;
      }
    }
  }

  // The calls on a table, in no order.
  std::vector<Call> CallsOn(int table) {
    std::vector<Call> calls;
    for (const Log& log : shared_->logs) {
      for (int i = 0; i < log.count; ++i) {
        const Call& call = log.calls[static_cast<size_t>(i)];
        if (call.table == table) calls.push_back(call);
      }
    }
    return calls;
  }

  void Check() {
    ASSERT_FALSE(HasFailure());
    std::array<std::map<std::string, size_t>, kTables> version_of_key;
    for (int table = 0; table < kTables; ++table) {
      std::map<std::string, size_t>& keys = version_of_key[static_cast<size_t>(table)];
      const std::vector<std::string> chain = Chain(table);
      ReadKeys(chain, keys);
      ASSERT_FALSE(HasFailure());
      std::vector<Call> calls = CallsOn(table);
      std::vector<size_t> versions;
      Number(chain, keys, calls, versions);
      ASSERT_FALSE(HasFailure());
      CheckOrder(calls, versions);
      std::cout << "calls: " << calls.size() << ", versions: " << chain.size() << "\n";
    }
    CheckTransactions(version_of_key);
  }

  // All of a transaction is there or nothing, though its process died.
  void CheckTransactions(const std::array<std::map<std::string, size_t>, kTables>& version_of_key) {
    std::map<std::string, int> parts;
    for (int table = 0; table < kTables; ++table) {
      for (const Call& call : CallsOn(table)) {
        if (call.is_commit()) ++parts[call.key];
      }
    }
    for (const auto& [key, count] : parts) {
      if (count < kTables) continue;
      for (const auto& keys : version_of_key) {
        EXPECT_EQ(keys.contains(key), version_of_key[0].contains(key)) << "half done: " << key;
      }
    }
  }

  TempDir directory_;
  Shared* shared_ = nullptr;
  std::array<std::unique_ptr<Catalog>, 2> catalogs_;
};

TEST_F(HistoryTest, OfThreadsOnOneCatalogIsLinearizable) {
  RunThreads(1);
  Check();
}

TEST_F(HistoryTest, OfThreadsOnTwoCatalogsOfOneFileIsLinearizable) {
  RunThreads(2);
  Check();
}

TEST_F(HistoryTest, OfProcessesOfWhichSomeDieIsLinearizable) {
  std::cout << "processes that died: " << RunProcesses() << "\n";
  Check();
}

}  // namespace
}  // namespace berglite::testing
