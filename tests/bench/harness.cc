#include "tests/bench/harness.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sqlite3.h>

extern char** environ;

namespace berglite::bench {
namespace {

using nlohmann::json;

// The first line names the URI: `... http://127.0.0.1:PORT ...`.
int ReadPort(int fd) {
  std::string text;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') text += c;
  const size_t at = text.find("http://127.0.0.1:");
  if (at == std::string::npos) throw std::runtime_error("no URI in: " + text);
  return std::atoi(text.c_str() + at + 17);
}

// For the C functions that want arrays with a null at their end.
std::vector<char*> PointersTo(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The n-th of them; the last ones must not lie in the future.
json AddSnapshot(int n, const std::string& location) {
  constexpr int64_t kSomeTimeAgoMs = 1'700'000'000'000;
  json summary{{"operation", "append"}};
  for (int i = 0; i < 11; ++i) {
    summary["added-something-" + std::to_string(i)] = std::to_string(i * 1000);
  }
  json snapshot{{"snapshot-id", 1000 + n},
                {"sequence-number", n},
                {"timestamp-ms", kSomeTimeAgoMs + n},
                {"manifest-list", location + "/metadata/snap-" + std::to_string(n) + ".avro"},
                {"schema-id", 0},
                {"summary", summary}};
  if (n > 1) snapshot["parent-snapshot-id"] = 999 + n;
  return {{"action", "add-snapshot"}, {"snapshot", snapshot}};
}

}  // namespace

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

ServerProcess::ServerProcess(const std::vector<std::string>& words) : start_(Clock::now()) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  Spawn(words, {}, out[1]);
  close(out[1]);
  port_ = ReadPort(out[0]);
  close(out[0]);
}

ServerProcess::ServerProcess(const std::vector<std::string>& words,
                             const std::vector<std::string>& environment, int port)
    : start_(Clock::now()), port_(port) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  Spawn(words, environment, nowhere);
  close(nowhere);
}

void ServerProcess::Spawn(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  std::vector<std::string> arguments = words;
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  const int failed = posix_spawnp(&pid_, words[0].c_str(), &actions, nullptr,
                                  PointersTo(arguments).data(), PointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + words[0]);
}

ServerProcess::~ServerProcess() {
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
}

bool ServerProcess::has_ended() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

double ServerProcess::MemoryMb() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024.0;
  }
  return 0;
}

double SyncRate(const std::string& directory, double seconds) {
  const std::string path = directory + "/sync";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  char record[100] = {};
  int count = 0;
  const Clock::time_point start = Clock::now();
  while (SecondsSince(start) < seconds) {
    if (write(fd, record, sizeof(record)) < 0 || fdatasync(fd) != 0) break;
    ++count;
  }
  const double rate = count / SecondsSince(start);
  close(fd);
  return rate;
}

Load Run(int port, int clients, double seconds,
         const std::function<Reply(HttpClient&, int client, int turn)>& request) {
  std::vector<std::vector<double>> times(static_cast<size_t>(clients));
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      HttpClient client(port);
      for (int turn = 0; SecondsSince(start) < seconds; ++turn) {
        const Clock::time_point begin = Clock::now();
        const int status = request(client, i, turn).status;
        if (status != 200 && status != 204) ++refused;
        times[static_cast<size_t>(i)].push_back(SecondsSince(begin) * 1000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double elapsed = SecondsSince(start);
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
  load.per_second = (static_cast<double>(all.size()) - refused) / elapsed;
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

void MakeTable(HttpClient& client, int table, int snapshots) {
  constexpr int kSnapshotsPerCommit = 100;
  json fields = json::array();
  for (int i = 1; i <= 20; ++i) {
    fields.push_back({{"id", i},
                      {"name", "column_" + std::to_string(i)},
                      {"type", "long"},
                      {"required", false}});
  }
  const json create{{"name", "t" + std::to_string(table)},
                    {"schema", {{"type", "struct"}, {"fields", fields}}},
                    {"properties", {{"write.metadata.previous-versions-max", "1"}}}};
  const Reply created = client.Send("POST", "/v1/namespaces/bench/tables", create.dump());
  Check(created, "create");
  const std::string location = json::parse(created.body)["metadata"]["location"];
  for (int first = 1; first <= snapshots; first += kSnapshotsPerCommit) {
    const int last = std::min(first + kSnapshotsPerCommit - 1, snapshots);
    json updates = json::array();
    for (int n = first; n <= last; ++n) updates.push_back(AddSnapshot(n, location));
    updates.push_back({{"action", "set-snapshot-ref"},
                       {"ref-name", "main"},
                       {"type", "branch"},
                       {"snapshot-id", 1000 + last}});
    const json commit{{"requirements", json::array()}, {"updates", updates}};
    Check(client.Send("POST", TableTarget(table), commit.dump()), "snapshots");
  }
}

Reply CommitTo(HttpClient& client, int table, int turn) {
  const json commit{
      {"requirements", json::array()},
      {"updates", {{{"action", "set-properties"}, {"updates", {{"turn", std::to_string(turn)}}}}}}};
  return client.Send("POST", TableTarget(table), commit.dump());
}

void InsertNames(const std::string& file, const std::string& catalog, int names) {
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) throw std::runtime_error("cannot open " + file);
  sqlite3_busy_timeout(db, 60'000);
  const std::string quoted = "'" + catalog + "'";
  const std::string sql =
      "INSERT INTO iceberg_namespace_properties VALUES(" + quoted +
      ",'many','exists','true');"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
      std::to_string(names) +
      ") INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
      "iceberg_type) SELECT " +
      quoted + ", 'many', printf('table_%08d', i), 'file:///none', 'TABLE' FROM n";
  char* message = nullptr;
  const bool failed = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK;
  const std::string text = failed && message != nullptr ? message : "";
  sqlite3_free(message);
  sqlite3_close(db);
  if (failed) throw std::runtime_error("cannot insert names: " + text);
}

}  // namespace berglite::bench
