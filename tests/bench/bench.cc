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
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tests/bench/connections.h"
#include "tests/bench/harness.h"
#include "tests/support/temp_dir.h"

namespace berglite::bench {
namespace {

using nlohmann::json;

struct Options {
  std::string program;
  std::string trivial_server;
  double seconds = 2.0;
  int trials = 5;
  int names = 1'000'000;
};

std::vector<std::string> ServeCommand(const Options& options, const std::string& directory) {
  return {options.program, "serve", "--file", directory + "/lake.db", "--port", "0"};
}

void PrintStart(const Options& options, const std::string& directory) {
  { ServerProcess first(ServeCommand(options, directory)); }
  std::vector<double> ready_ms;
  std::vector<double> memory_mb;
  for (int i = 0; i < options.trials * 2 + 1; ++i) {
    ServerProcess program(ServeCommand(options, directory));
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
  const ServerProcess trivial({options.trivial_server, std::to_string(size)});
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

void PrintList(const Options& options, int port, const std::string& directory) {
  InsertNames(directory + "/lake.db", "default", options.names);
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
  AllowManyFiles();
  testing::TempDir directory;
  std::string path = directory.path().string();
  PrintStart(options, path);
  ServerProcess program(ServeCommand(options, path));
  HttpClient client(program.port());
  Check(client.Send("POST", "/v1/namespaces", R"({"namespace":["bench"]})"), "namespace");
  for (int i = 0; i < 64; ++i) MakeTable(client, i, 10);
  PrintLoads(options, program.port());
  PrintCommits(options, program.port(), path);
  std::printf("\nmemory after these loads                 %8.1f MB\n", program.MemoryMb());
  PrintConnections(program, {.seconds = options.seconds, .count = options.trials});
  PrintList(options, program.port(), path);
  PrintStops([&] { return std::make_unique<ServerProcess>(ServeCommand(options, path)); },
             options.trials);
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
