// Kills the program with SIGKILL amid changes, and looks at what is left.
//
//   berglite_crash --program <path> [--kills <n>] [--seed <n>]
//
// Goal: what was acknowledged is there exactly once and in its order, what was not is there whole
// or not at all, its repetition under the same Idempotency-Key makes it exactly once, and nothing
// needs repair. Method: sixteen writers commit to tables of their own and to shared ones, to two
// tables at once, and create, rename and drop others, until the server is killed 20 to 200 ms after
// they have begun. Some of its lives end while it still starts. It is started again on the same
// file, and before anybody goes on, the file, the metadata files and the server's answers are
// compared with what the writers know. Every few lives all that is unknown is settled by
// repetition, and new tables are begun, so that no history grows long; all of them stay in the
// file.
//
// The seed decides what is sent and when the kills fall; the threads are the machine's, so a run is
// only roughly repeated. The machine stays up: what was written but not synced survives here. Lost
// syncs are the business of the fault tests below the catalog.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <CLI/CLI.hpp>

#include "tests/bench/harness.h"
#include "tests/crash/stored.h"
#include "tests/crash/writer.h"
#include "tests/support/temp_dir.h"

namespace berglite::crash {
namespace {

using bench::HttpClient;
using bench::ServerProcess;
using nlohmann::json;

constexpr int kWriters = 16;
constexpr int kLivesPerGeneration = 10;
constexpr auto kLifeMin = std::chrono::microseconds(20'000);
constexpr auto kLifeMax = std::chrono::microseconds(200'000);
// A release build is ready after some 10 ms.
constexpr auto kStartMax = std::chrono::microseconds(20'000);
constexpr int kOneInStarts = 8;

struct Options {
  std::string program;
  int kills = 20;
  uint64_t seed = std::random_device{}();
};

struct Figures {
  int kills = 0;
  int kills_of_starts = 0;
  int64_t unknown = 0;
  int64_t unknown_made = 0;
};

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options), chance_(options.seed), file_(directory_ / "lake.db"), stored_(file_) {
    for (int i = 0; i < kWriters; ++i) writers_.emplace_back(i, chance_());
  }

  // Throws Wrong.
  void All() {
    auto server = Start();
    for (int generation = 0; figures_.kills < options_.kills; ++generation) {
      Begin(server->port(), "crash" + std::to_string(generation));
      for (int i = 0; i < kLivesPerGeneration && figures_.kills < options_.kills; ++i) {
        server = OneLife(std::move(server));
        Check(server->port());
      }
      AllWriters(server->port(),
                 [](Writer& writer, HttpClient& client) { writer.Resolve(client); });
      Check(server->port());
      Prune();
    }
    if (const int code = server->Stop(); code != 0) {
      throw Wrong("expected exit code 0, found " + std::to_string(code));
    }
    for (const auto& [name_space, tables] : stored_.ReadPointers()) {
      for (const auto& [name, location] : tables) Stored::ReadMetadata(location);
    }
  }

  void Print() const {
    int64_t acknowledged = 0;
    int64_t refused = 0;
    double slowest_ms = 0;
    for (const Writer& writer : writers_) {
      acknowledged += writer.acknowledged();
      refused += writer.refused();
      slowest_ms = std::max(slowest_ms, writer.slowest_ms());
    }
    std::printf(
        "%d kills amid changes, %d amid starts; %lld changes acknowledged, %lld refused, "
        "%lld commits without an answer of which %lld had been made; slowest answer %.0f ms\n",
        figures_.kills, figures_.kills_of_starts, static_cast<long long>(acknowledged),
        static_cast<long long>(refused), static_cast<long long>(figures_.unknown),
        static_cast<long long>(figures_.unknown_made), slowest_ms);
  }

 private:
  std::vector<std::string> Command() const {
    return {options_.program, "serve", "--file", file_, "--port", "0", "--log-level", "warn"};
  }

  std::chrono::microseconds RandomTime(std::chrono::microseconds least,
                                       std::chrono::microseconds most) {
    return std::chrono::microseconds(
        std::uniform_int_distribution<int64_t>(least.count(), most.count())(chance_));
  }

  std::unique_ptr<ServerProcess> Start() {
    while (chance_() % kOneInStarts == 0) {
      ServerProcess unborn(Command(), {}, 0);
      std::this_thread::sleep_for(RandomTime({}, kStartMax));
      unborn.Kill();
      ++figures_.kills_of_starts;
    }
    return std::make_unique<ServerProcess>(Command());
  }

  void Begin(int port, const std::string& name_space) {
    namespace_ = name_space;
    HttpClient client(port);
    bench::Check(client.Send("POST", "/v1/namespaces", json{{"namespace", {namespace_}}}.dump()),
                 "namespace");
    for (int i = 0; i < kSharedTables; ++i) {
      bench::Check(client.Send("POST", "/v1/namespaces/" + namespace_ + "/tables",
                               CreateTableBody(SharedTable(i))),
                   "create");
    }
    for (Writer& writer : writers_) writer.Begin(client, namespace_);
  }

  // Returns the server of the next life.
  std::unique_ptr<ServerProcess> OneLife(std::unique_ptr<ServerProcess> server) {
    std::atomic<bool> is_killed = false;
    std::thread killer([&] {
      std::this_thread::sleep_for(RandomTime(kLifeMin, kLifeMax));
      is_killed = true;
      server->Kill();
    });
    try {
      AllWriters(server->port(), [&](Writer& writer, HttpClient& client) {
        try {
          writer.Work(client);
        } catch (const Wrong&) {
          throw;
        } catch (const std::runtime_error& broken) {
          if (!is_killed) throw Wrong(std::string("a living server: ") + broken.what());
        }
      });
    } catch (...) {
      killer.join();
      throw;
    }
    killer.join();
    ++figures_.kills;
    return Start();
  }

  // Each writer in a thread and with a connection of its own. Throws what the first of them threw.
  void AllWriters(int port, const std::function<void(Writer&, HttpClient&)>& work) {
    std::mutex mutex;
    std::exception_ptr thrown;
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < kWriters; ++i) clients.push_back(std::make_unique<HttpClient>(port));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < writers_.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          work(writers_[i], *clients[i]);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!thrown) thrown = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (thrown) std::rethrow_exception(thrown);
  }

  // Compares what is stored with what the writers know.
  void Check(int port) {
    std::map<std::string, std::string> pointers = stored_.ReadPointers()[namespace_];
    std::map<std::string, std::vector<Commit>> commits;
    for (const Writer& writer : writers_) {
      for (const auto& [table, some] : writer.commits()) {
        commits[table].insert(commits[table].end(), some.begin(), some.end());
      }
    }
    histories_.clear();
    Names found;
    HttpClient client(port);
    for (const auto& [name, location] : pointers) {
      const json metadata = Stored::ReadMetadata(location);
      CheckAnswer(client, name, location, metadata);
      if (name.starts_with("made")) {
        found[name] = metadata["table-uuid"];
        continue;
      }
      histories_[name] = stored_.ReadHistory(metadata, location);
      if (const auto fault = FindFault(commits[name], histories_[name])) {
        throw Wrong(namespace_ + "." + name + ": " + *fault);
      }
    }
    if (histories_.size() != kSharedTables + 2 * kWriters) throw Wrong("a table is gone");
    CheckTransactions();
    CheckNames(found);
    CountUnknown();
  }

  void CheckAnswer(HttpClient& client, const std::string& name, const std::string& location,
                   const json& metadata) const {
    const bench::Reply reply =
        client.Send("GET", "/v1/namespaces/" + namespace_ + "/tables/" + name + "?snapshots=all");
    bench::Check(reply, "load of " + name);
    const json loaded = json::parse(reply.body);
    if (loaded["metadata-location"] != location || loaded["metadata"] != metadata) {
      throw Wrong(name + ": the answer differs from the file " + location);
    }
  }

  void CheckTransactions() {
    const std::set<uint64_t> shared = IdsOf(histories_[SharedTable(1)]);
    for (int i = 0; i < kWriters; ++i) {
      const std::set<uint64_t> own = IdsOf(histories_["twin" + std::to_string(i)]);
      for (const uint64_t id : writers_[static_cast<size_t>(i)].transactions()) {
        if (own.contains(id) != shared.contains(id)) {
          throw Wrong("half of the transaction " + std::to_string(id));
        }
      }
    }
  }

  void CheckNames(const Names& found) const {
    Names expected;
    for (const Writer& writer : writers_) expected.merge(writer.ExpectedNames(found));
    if (const auto fault = FindFault(expected, found)) throw Wrong(namespace_ + ": " + *fault);
  }

  void CountUnknown() {
    std::set<uint64_t> made;
    for (const auto& [name, history] : histories_) made.merge(IdsOf(history));
    for (const Writer& writer : writers_) {
      figures_.unknown += writer.has_unknown() ? 1 : 0;
      figures_.unknown_made += writer.IsMade(made) ? 1 : 0;
    }
  }

  void Prune() {
    for (const auto& [name, history] : histories_) stored_.Prune(history);
  }

  const Options options_;
  std::mt19937_64 chance_;
  const testing::TempDir directory_;
  const std::string file_;
  Stored stored_;
  std::vector<Writer> writers_;
  std::string namespace_;
  std::map<std::string, History> histories_;  // as last checked
  Figures figures_;
};

int Main(const Options& options) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  Run run(options);
  try {
    run.All();
  } catch (const std::exception& e) {
    run.Print();
    std::printf("%s\n", e.what());
    return 1;
  }
  run.Print();
  std::printf("nothing lost, forged, made twice or out of order\n");
  return 0;
}

}  // namespace
}  // namespace berglite::crash

int main(int argc, char** argv) {
  berglite::crash::Options options;
  CLI::App app("Kills the program berglite amid changes and looks at what is left");
  app.add_option("--program", options.program, "The built program")->required();
  app.add_option("--kills", options.kills, "How often it is killed");
  app.add_option("--seed", options.seed, "For the choices of the writers and the kills");
  CLI11_PARSE(app, argc, argv);
  return berglite::crash::Main(options);
}
