// What was asked for, what is stored, and whether the two agree. Knows no server and no files.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berglite::crash {

enum class Outcome {
  kUnknown,  // sent, and no answer came
  kDone,
  kRefused,  // the answer said that nothing was changed
};

// A commit to one table, as its writer knows it. A transaction is one of these for each table, with
// the same id. Times are of one monotonic clock.
struct Commit {
  uint64_t id = 0;  // of this commit alone, in all tables and lives
  int writer = 0;
  bool appends = false;  // a snapshot whose id is `id`
  Outcome outcome = Outcome::kUnknown;
  int64_t sent = 0;
  int64_t answered = std::numeric_limits<int64_t>::max();
  std::string location = {};  // of the metadata, where the answer told it
};

// One metadata file in the history of a table, the first being that of its creation.
struct Version {
  uint64_t id = 0;  // of the commit that made it, 0 for the creation
  std::string location;
};

struct History {
  std::vector<Version> versions;    // oldest first, the last one is what the catalog points to
  std::vector<uint64_t> snapshots;  // in the order of the last version
};

// Says what is wrong, or nothing: a commit that was acknowledged and is not there exactly once, one
// that is there though nobody sent it or it was refused, one that is there twice, an order that
// contradicts that of any writer or of answers that came before other commits were sent.
std::optional<std::string> FindFault(const std::vector<Commit>& commits, const History& history);

// The ids of all versions.
std::set<uint64_t> IdsOf(const History& history);

// Names of tables and their UUIDs.
using Names = std::map<std::string, std::string>;

// A change of names whose answer did not come. A creation has no `from`, a drop no `to`.
struct NameChange {
  std::string from;
  std::string to;
};

// What `names` are to be once `change` is made, if `found` shows that it is: its source is gone or
// its destination there. A change that is made in part leaves `found` at odds with both.
Names AfterUnknown(Names names, const NameChange& change, const Names& found);

// Says what is wrong, or nothing.
std::optional<std::string> FindFault(const Names& expected, const Names& found);

}  // namespace berglite::crash
