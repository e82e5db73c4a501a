// One client that changes tables until the server is gone, and remembers what it was told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/http_client.h"
#include "tests/crash/history.h"

namespace berglite::crash {

// The server said or kept what it must not.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr int kSharedTables = 2;
std::string SharedTable(int number);
// The request that makes a table whose metadata log forgets nothing.
std::string CreateTableBody(const std::string& name);

// Threads: one at a time. What it remembers is of the present namespace alone.
class Writer {
 public:
  Writer(int number, uint64_t seed) : number_(number), chance_(seed) {}

  // Forgets the tables of before and makes its own in `name_space`.
  void Begin(bench::HttpClient& client, const std::string& name_space);

  // Changes tables for as long as the server lives. First of all it repeats, under the same
  // Idempotency-Key, the change whose answer did not come. Throws std::runtime_error when the
  // connection breaks, Wrong for an answer that must not be.
  void Work(bench::HttpClient& client);
  // Only the repetition.
  void Resolve(bench::HttpClient& client);

  bool has_unknown() const { return pending_.has_value(); }
  // Whether its unknown commit, if it is one, is among `made`.
  bool IsMade(const std::set<uint64_t>& made) const;
  const std::map<std::string, std::vector<Commit>>& commits() const { return commits_; }
  const std::set<uint64_t>& transactions() const { return transactions_; }
  // The tables that it has created, with a change that it does not know the outcome of.
  Names ExpectedNames(const Names& found) const;

  int64_t acknowledged() const { return acknowledged_; }
  int64_t refused() const { return refused_; }
  double slowest_ms() const { return slowest_ms_; }

 private:
  struct Pending {
    std::string method;
    std::string target;
    std::string body;
    uint64_t id = 0;
    std::vector<std::string> tables;  // of a commit
    NameChange names;                 // of anything else
    bool may_be_refused = false;      // with 409, since others write too
  };
  struct Head {
    uint64_t snapshot = 0;  // 0 where there is none
    int64_t sequence = 0;
  };

  void Step(bench::HttpClient& client);
  void CommitToOwn(bench::HttpClient& client);
  void CommitToShared(bench::HttpClient& client);
  void CommitToBoth(bench::HttpClient& client);
  void ChangeNames(bench::HttpClient& client);
  void CommitTo(bench::HttpClient& client, const std::string& table, const Head* head);
  Head LoadHead(bench::HttpClient& client, const std::string& table);

  void Make(bench::HttpClient& client, Pending pending);
  void Book(const bench::Reply& reply);
  void BookNames(const bench::Reply& reply);
  uint64_t NextId() { return (static_cast<uint64_t>(number_) << 40) + ++count_; }
  std::string TableTarget(const std::string& table) const;
  std::string own() const { return "own" + std::to_string(number_); }
  std::string twin() const { return "twin" + std::to_string(number_); }

  const int number_;
  std::mt19937_64 chance_;
  uint64_t count_ = 0;
  std::string namespace_;
  Head own_head_;
  std::optional<Pending> pending_;
  std::map<std::string, std::vector<Commit>> commits_;  // by table
  std::set<uint64_t> transactions_;
  Names names_;
  int64_t acknowledged_ = 0;
  int64_t refused_ = 0;
  double slowest_ms_ = 0;
};

}  // namespace berglite::crash
