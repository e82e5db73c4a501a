#include "tests/bench/connections.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace berglite::bench {
namespace {

constexpr int kIdle = 300;
constexpr int kBusy = 64;
constexpr int kSlow = 16;
constexpr int kManyIdle = 900;
constexpr int kManyBusy = 100;
constexpr int kTables = 64;

using Request = std::function<Reply(HttpClient&, int client, int turn)>;

struct Kind {
  const char* name;
  Request request;
};

std::vector<Kind> Kinds() {
  return {{"loads",
           [](HttpClient& client, int i, int) {
             return client.Send("GET", TableTarget(i % kTables) + "?snapshots=all");
           }},
          {"commits", [](HttpClient& client, int i, int turn) {
             return CommitTo(client, i % kTables, turn);
           }}};
}

// Each has asked once and is kept.
class IdleClients {
 public:
  IdleClients(int port, int count) {
    for (int i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<HttpClient>(port));
      Check(clients_.back()->Send("GET", "/v1/config"), "config");
    }
  }

 private:
  std::vector<std::unique_ptr<HttpClient>> clients_;
};

// Clients that send a byte a second: half of them in headers, half in bodies. One whose connection
// the server has ended begins anew.
class SlowClients {
 public:
  explicit SlowClients(int port) : port_(port), thread_([this] { Run(); }) {}
  ~SlowClients() {
    stopping_ = true;
    thread_.join();
  }
  SlowClients(const SlowClients&) = delete;

 private:
  void Run() {
    const std::string head = "POST /v1/namespaces HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ";
    const std::string body =
        "POST /v1/namespaces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{";
    std::vector<std::unique_ptr<HttpClient>> clients(kSlow);
    for (Clock::time_point next = Clock::now(); !stopping_;) {
      if (Clock::now() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      next += std::chrono::seconds(1);
      for (size_t i = 0; i < clients.size(); ++i) {
        if (clients[i] && clients[i]->SendBytes(" ")) continue;
        clients[i] = std::make_unique<HttpClient>(port_);
        clients[i]->SendBytes(i % 2 == 0 ? head : body);
      }
    }
  }

  const int port_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

struct Figures {
  std::vector<double> per_second;
  std::vector<double> p99_ms;
  int refused = 0;

  void Add(const Load& load) {
    per_second.push_back(load.per_second);
    p99_ms.push_back(load.p99_ms);
    refused += load.refused;
  }
  void Print(const std::string& what, double against) const {
    std::printf("%-46s %10.0f %9.2f %9.2f%s\n", what.c_str(), Median(per_second), Median(p99_ms),
                Median(per_second) / against, refused == 0 ? "" : "  (some refused!)");
  }
};

// The same load alone and beside others, in turn; `others` makes what lives through a trial.
template <typename Others>
void PrintBeside(int port, int clients, const std::string& whom, const Trials& trials,
                 Others others) {
  for (const Kind& kind : Kinds()) {
    Figures alone;
    Figures beside;
    for (int trial = 0; trial < trials.count; ++trial) {
      alone.Add(Run(port, clients, trials.seconds, kind.request));
      const auto company = others();
      beside.Add(Run(port, clients, trials.seconds, kind.request));
    }
    const std::string what = std::string(kind.name) + " of " + std::to_string(clients) + " clients";
    alone.Print(what, Median(alone.per_second));
    beside.Print(what + " beside " + whom, Median(alone.per_second));
  }
}

void PrintIdle(const ServerProcess& server, const Trials& trials) {
  const double memory_mb = server.MemoryMb();
  const IdleClients idle(server.port(), kIdle);
  const double seconds = trials.seconds * 2.5;
  // What is still to be written in the background is not of the connections.
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 2.0)));
  const int64_t ticks = server.CpuTicks();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  std::printf("%d idle connections for %.1f s: %lld ticks of a processor, %+.1f MB, %d threads\n",
              kIdle, seconds, static_cast<long long>(server.CpuTicks() - ticks),
              server.MemoryMb() - memory_mb, server.Threads());
}

void PrintMany(const ServerProcess& server, const Trials& trials) {
  const int threads = server.Threads();
  const double memory_mb = server.MemoryMb();
  const IdleClients idle(server.port(), kManyIdle);
  Figures figures;
  figures.Add(Run(server.port(), kManyBusy, trials.seconds, Kinds()[0].request));
  std::printf(
      "%d connections of which %d are idle: %.0f loads/s, p99 %.1f ms, %d refused; memory "
      "%.1f MB before and %.1f MB now, threads %d and %d\n",
      kManyIdle + kManyBusy, kManyIdle, figures.per_second[0], figures.p99_ms[0], figures.refused,
      memory_mb, server.MemoryMb(), threads, server.Threads());
}

}  // namespace

void AllowManyFiles() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void PrintConnections(const ServerProcess& server, const Trials& trials) {
  std::printf("\n%-46s %10s %9s %9s\n", "connections", "/s", "p99 ms", "ratio");
  const int port = server.port();
  PrintBeside(port, kBusy, std::to_string(kIdle) + " idle", trials,
              [port] { return std::make_unique<IdleClients>(port, kIdle); });
  PrintBeside(port, kSlow, std::to_string(kSlow) + " slow", trials,
              [port] { return std::make_unique<SlowClients>(port); });
  PrintIdle(server, trials);
  PrintMany(server, trials);
}

void PrintStops(const std::function<std::unique_ptr<ServerProcess>()>& start, int trials) {
  for (const int idle : {0, kIdle}) {
    std::vector<double> stop_ms;
    for (int trial = 0; trial < trials; ++trial) {
      const auto server = start();
      const IdleClients clients(server->port(), idle);
      const Clock::time_point begin = Clock::now();
      if (server->Stop() != 0) throw std::runtime_error("a server did not end well");
      stop_ms.push_back(SecondsSince(begin) * 1000);
    }
    std::printf("SIGTERM to the end with %3d idle connections  %8.1f ms\n", idle, Median(stop_ms));
  }
}

}  // namespace berglite::bench
