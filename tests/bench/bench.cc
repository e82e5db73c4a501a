// Measures the built program from outside, as ratios to what the machine itself can do in the same
// minute: disks drift by a factor of two, so no absolute figure means anything alone.
//
//   berglite_bench --program <path> --trivial-server <path> [--seconds <per trial>] [--trials <n>]
//                  [--names <rows>]
//
// Loads are told in units of what the same HTTP server does with a handler that hands out a
// constant text of the same size. f is the rate of small appends with fdatasync, measured before
// and after each trial of commits.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "tests/bench/http_client.h"
#include "tests/support/temp_dir.h"

extern char** environ;

namespace berglite::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

struct Options {
  std::string program;
  std::string trivial_server;
  double seconds = 2.0;
  int trials = 5;
  int names = 1'000'000;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A server, started on a free port and ended with the object.
class Program {
 public:
  explicit Program(std::vector<std::string> words) : start_(Clock::now()) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int failed = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    if (failed != 0) throw std::runtime_error("cannot start " + words[0]);
    port_ = ReadPort(out[0]);
    close(out[0]);
  }
  ~Program() {
    kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int port() const { return port_; }
  Clock::time_point start() const { return start_; }

  // Resident memory in MB.
  double MemoryMb() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024.0;
    }
    return 0;
  }

 private:
  // The first line names the URI: `... http://127.0.0.1:PORT ...`.
  static int ReadPort(int fd) {
    std::string text;
    char c = 0;
    while (read(fd, &c, 1) == 1 && c != '\n') text += c;
    size_t at = text.find("http://127.0.0.1:");
    if (at == std::string::npos) throw std::runtime_error("no URI in: " + text);
    return std::atoi(text.c_str() + at + 17);
  }

  Clock::time_point start_;
  pid_t pid_ = 0;
  int port_ = 0;
};

std::vector<std::string> ServeCommand(const Options& options, const std::string& directory) {
  return {options.program, "serve", "--file", directory + "/lake.db", "--port", "0"};
}

// Small durable appends a second, over `seconds`.
double SyncRate(const std::string& directory, double seconds) {
  std::string path = directory + "/sync";
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  char record[100] = {};
  int count = 0;
  Clock::time_point start = Clock::now();
  while (SecondsSince(start) < seconds) {
    if (write(fd, record, sizeof(record)) < 0 || fdatasync(fd) != 0) break;
    ++count;
  }
  double rate = count / SecondsSince(start);
  close(fd);
  return rate;
}

struct Load {
  double per_second = 0;
  double p99_ms = 0;
  double fairness = 0;  // the slowest client's count over the fastest one's
  int refused = 0;      // replies that were no 200, 204
};

// `clients` connections, each repeating its request (made anew for its n-th turn) for `seconds`.
Load Run(int port, int clients, double seconds,
         const std::function<Reply(HttpClient&, int client, int turn)>& request) {
  std::vector<std::vector<double>> times(static_cast<size_t>(clients));
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  Clock::time_point start = Clock::now();
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      HttpClient client(port);
      for (int turn = 0; SecondsSince(start) < seconds; ++turn) {
        Clock::time_point begin = Clock::now();
        int status = request(client, i, turn).status;
        if (status != 200 && status != 204) ++refused;
        times[static_cast<size_t>(i)].push_back(SecondsSince(begin) * 1000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  double elapsed = SecondsSince(start);
  std::vector<double> all;
  size_t least = SIZE_MAX;
  size_t most = 1;
  for (const auto& one : times) {
    all.insert(all.end(), one.begin(), one.end());
    least = std::min(least, one.size());
    most = std::max(most, one.size());
  }
  std::sort(all.begin(), all.end());
  Load load;
  load.per_second = static_cast<double>(all.size()) / elapsed;
  load.p99_ms = all[all.size() * 99 / 100];
  load.fairness = static_cast<double>(least) / static_cast<double>(most);
  load.refused = refused;
  return load;
}

void Check(const Reply& reply, const std::string& what) {
  if (reply.status == 200 || reply.status == 204) return;
  throw std::runtime_error(what + ": " + std::to_string(reply.status) + " " + reply.body);
}

std::string TableTarget(int table) {
  return "/v1/namespaces/bench/tables/t" + std::to_string(table);
}

json SnapshotUpdate(int n, const std::string& location) {
  json summary{{"operation", "append"}};
  for (int i = 0; i < 11; ++i)
    summary["added-something-" + std::to_string(i)] = std::to_string(i * 1000);
  json snapshot{{"snapshot-id", 1000 + n},
                {"sequence-number", n},
                {"timestamp-ms", 1'900'000'000'000 + n},
                {"manifest-list", location + "/metadata/snap-" + std::to_string(n) + ".avro"},
                {"schema-id", 0},
                {"summary", summary}};
  if (n > 1) snapshot["parent-snapshot-id"] = 999 + n;
  return {{"action", "add-snapshot"}, {"snapshot", snapshot}};
}

// A table of 20 columns and 10 snapshots, whose metadata log stays short.
void MakeTable(HttpClient& client, int table) {
  json fields = json::array();
  for (int i = 1; i <= 20; ++i) {
    fields.push_back({{"id", i},
                      {"name", "column_" + std::to_string(i)},
                      {"type", "long"},
                      {"required", false}});
  }
  json create{{"name", "t" + std::to_string(table)},
              {"schema", {{"type", "struct"}, {"fields", fields}}},
              {"properties",
               {{"write.metadata.previous-versions-max", "1"},
                {"write.metadata.delete-after-commit.enabled", "true"}}}};
  Reply created = client.Send("POST", "/v1/namespaces/bench/tables", create.dump());
  Check(created, "create");
  std::string location = json::parse(created.body)["metadata"]["location"];
  json updates = json::array();
  for (int n = 1; n <= 10; ++n) updates.push_back(SnapshotUpdate(n, location));
  updates.push_back({{"action", "set-snapshot-ref"},
                     {"ref-name", "main"},
                     {"type", "branch"},
                     {"snapshot-id", 1010}});
  Check(client.Send("POST", TableTarget(table), json{{"updates", updates}}.dump()), "snapshots");
}

Reply CommitTo(HttpClient& client, int table, int turn) {
  json commit{
      {"requirements", json::array()},
      {"updates", {{{"action", "set-properties"}, {"updates", {{"turn", std::to_string(turn)}}}}}}};
  return client.Send("POST", TableTarget(table), commit.dump());
}

void PrintStart(const Options& options, const std::string& directory) {
  { Program first(ServeCommand(options, directory)); }
  std::vector<double> ready_ms;
  std::vector<double> memory_mb;
  for (int i = 0; i < options.trials * 2 + 1; ++i) {
    Program program(ServeCommand(options, directory));
    HttpClient client(program.port());
    Check(client.Send("GET", "/v1/config"), "config");
    ready_ms.push_back(SecondsSince(program.start()) * 1000);
    memory_mb.push_back(program.MemoryMb());
  }
  std::printf("start on an existing file to first 200   %8.1f ms\n", Median(ready_ms));
  std::printf("memory when idle                         %8.1f MB\n\n", Median(memory_mb));
}

void PrintLoads(const Options& options, int port) {
  const auto load_table = [](HttpClient& client, int i, int) {
    return client.Send("GET", TableTarget(i) + "?snapshots=all");
  };
  HttpClient first(port);
  const size_t size = load_table(first, 0, 0).body.size();
  const Program trivial({options.trivial_server, std::to_string(size)});
  std::printf("%-42s %10s %9s %9s\n", "reads", "req/s", "p99 ms", "ratio");
  for (int clients : {1, 16, 64}) {
    std::vector<double> constant;
    std::vector<double> load;
    std::vector<double> p99;
    for (int trial = 0; trial < options.trials; ++trial) {
      constant.push_back(Run(trivial.port(), clients, options.seconds, load_table).per_second);
      Load result = Run(port, clients, options.seconds, load_table);
      load.push_back(result.per_second);
      p99.push_back(result.p99_ms);
    }
    std::printf("constant text of %zu bytes, %2d clients   %10.0f\n", size, clients,
                Median(constant));
    std::printf("load of a 10-snapshot table, %2d clients    %10.0f %9.2f %9.2f\n", clients,
                Median(load), Median(p99), Median(load) / Median(constant));
  }
}

void PrintCommits(const Options& options, int port, const std::string& directory) {
  std::printf("\n%-42s %10s %9s %9s %9s\n", "commits to 10-snapshot tables", "commits/s", "p99 ms",
              "fairness", "per f");
  struct Case {
    const char* name;
    int clients;
    bool one_table;
  };
  for (Case c :
       {Case{"1 client", 1, false}, Case{"16 clients, a table each", 16, false},
        Case{"64 clients, a table each", 64, false}, Case{"16 clients, one table", 16, true}}) {
    std::vector<double> rate;
    std::vector<double> p99;
    std::vector<double> fairness;
    std::vector<double> ratio;
    int refused = 0;
    for (int trial = 0; trial < options.trials; ++trial) {
      double before = SyncRate(directory, options.seconds / 8);
      Load result = Run(port, c.clients, options.seconds, [&](HttpClient& client, int i, int turn) {
        return CommitTo(client, c.one_table ? 0 : i, turn);
      });
      double f = (before + SyncRate(directory, options.seconds / 8)) / 2;
      rate.push_back(result.per_second);
      p99.push_back(result.p99_ms);
      fairness.push_back(result.fairness);
      ratio.push_back(result.per_second / f);
      refused += result.refused;
    }
    std::printf("%-42s %10.0f %9.2f %9.2f %9.2f%s\n", c.name, Median(rate), Median(p99),
                Median(fairness), Median(ratio), refused == 0 ? "" : "  (some refused!)");
  }
}

// Rows of the shared layout, written as another catalog would.
void InsertNames(const std::string& file, int names) {
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) throw std::runtime_error("cannot open " + file);
  std::string sql =
      "INSERT INTO iceberg_namespace_properties VALUES('default','many','exists','true');"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
      std::to_string(names) +
      ") INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
      "iceberg_type) SELECT 'default', 'many', printf('table_%08d', i), 'file:///none', 'TABLE' "
      "FROM n";
  char* message = nullptr;
  bool failed = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK;
  std::string text = failed && message != nullptr ? message : "";
  sqlite3_free(message);
  sqlite3_close(db);
  if (failed) throw std::runtime_error("cannot insert names: " + text);
}

void PrintList(const Options& options, int port, const std::string& directory) {
  InsertNames(directory + "/lake.db", options.names);
  HttpClient client(port);
  const std::string target = "/v1/namespaces/many/tables?pageSize=1000&pageToken=";
  std::string token;
  std::vector<double> first_ms;
  std::vector<double> deep_ms;
  for (int i = 0; i < 20; ++i) {
    Clock::time_point begin = Clock::now();
    Reply reply = client.Send("GET", target);
    first_ms.push_back(SecondsSince(begin) * 1000);
    Check(reply, "list");
    token = json::parse(reply.body).value("next-page-token", json()).is_string()
                ? json::parse(reply.body)["next-page-token"].get<std::string>()
                : "";
  }
  for (int i = 0; i < options.names / 2000 && !token.empty(); ++i) {
    Clock::time_point begin = Clock::now();
    Reply reply = client.Send("GET", target + token);
    deep_ms.push_back(SecondsSince(begin) * 1000);
    json next = json::parse(reply.body)["next-page-token"];
    token = next.is_string() ? next.get<std::string>() : "";
  }
  if (deep_ms.size() > 20) deep_ms.erase(deep_ms.begin(), deep_ms.end() - 20);
  std::printf("\na page of 1,000 names of %d: first %.2f ms", options.names, Median(first_ms));
  if (!deep_ms.empty()) {
    std::printf(", in the middle %.2f ms, ratio %.2f", Median(deep_ms),
                Median(deep_ms) / Median(first_ms));
  }
  std::printf("\n");
}

int Main(const Options& options) {
  testing::TempDir directory;
  std::string path = directory.path().string();
  PrintStart(options, path);
  Program program(ServeCommand(options, path));
  HttpClient client(program.port());
  Check(client.Send("POST", "/v1/namespaces", R"({"namespace":["bench"]})"), "namespace");
  for (int i = 0; i < 64; ++i) MakeTable(client, i);
  PrintLoads(options, program.port());
  PrintCommits(options, program.port(), path);
  std::printf("\nmemory after these loads                 %8.1f MB\n", program.MemoryMb());
  PrintList(options, program.port(), path);
  return 0;
}

}  // namespace
}  // namespace berglite::bench

int main(int argc, char** argv) {
  berglite::bench::Options options;
  CLI::App app("Measures the program berglite against what the machine can do");
  app.add_option("--program", options.program, "The built program")->required();
  app.add_option("--trivial-server", options.trivial_server, "The yardstick of loads, built")
      ->required();
  app.add_option("--seconds", options.seconds, "How long a trial takes");
  app.add_option("--trials", options.trials, "Trials of each case; their median is shown");
  app.add_option("--names", options.names, "Rows for the list of names");
  CLI11_PARSE(app, argc, argv);
  try {
    return berglite::bench::Main(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "berglite_bench: %s\n", e.what());
    return 1;
  }
}
