// What the benchmarks share: servers as child processes, clients that repeat requests, tables that
// are the same for every server.
//
// A failure of any kind throws std::runtime_error: a benchmark has nothing to mend.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tests/bench/http_client.h"

namespace berglite::bench {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start);
double Median(std::vector<double> values);

// A server on a free port, ended with the object.
class ServerProcess {
 public:
  // Starts the command, whose first line on stdout names its URI on 127.0.0.1.
  explicit ServerProcess(const std::vector<std::string>& words);
  // Starts the command with these lines added to its environment; it is known to listen on `port`.
  ServerProcess(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                int port);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  Clock::time_point start() const { return start_; }
  bool has_ended() const;
  // Ends it with SIGKILL.
  void Kill();
  // Ends it with SIGTERM; returns its exit code, or minus the signal that ended it.
  int Stop();
  // Resident memory in MB.
  double MemoryMb() const;
  int Threads() const;
  // Processor time used so far, in ticks of the system (100 a second).
  int64_t CpuTicks() const;

 private:
  int End(int signal);
  // A number in /proc/PID/status.
  double StatusOf(const std::string& name) const;
  void Spawn(const std::vector<std::string>& words, const std::vector<std::string>& environment,
             int out);

  Clock::time_point start_;
  pid_t pid_ = 0;
  int port_ = 0;
};

// Small durable appends a second, over `seconds`.
double SyncRate(const std::string& directory, double seconds);

struct Load {
  double per_second = 0;  // of requests that were answered with 200 or 204
  double p99_ms = 0;
  double fairness = 0;  // the slowest client's count over the fastest one's
  int refused = 0;      // other replies
};

// `clients` connections, each repeating its request (made anew for its n-th turn) for `seconds`.
Load Run(int port, int clients, double seconds,
         const std::function<Reply(HttpClient&, int client, int turn)>& request);

// Throws where the reply is neither 200 nor 204.
void Check(const Reply& reply, const std::string& what);

// Tables in the namespace `bench`.
std::string TableTarget(int table);
// A table of 20 columns and that many snapshots, whose metadata log stays short.
void MakeTable(HttpClient& client, int table, int snapshots);
// Sets a property to another value each turn.
Reply CommitTo(HttpClient& client, int table, int turn);

// Rows of tables `table_00000001`... in the namespace `many` of a catalog file in the layout that
// the SQL catalogs share, as another catalog would write them.
void InsertNames(const std::string& file, const std::string& catalog, int names);

}  // namespace berglite::bench
