// The calls that are disturbed, what they start from, and what a catalog looks like to its users.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/catalog/fixture.h"

namespace berglite::testing {

struct Scenario {
  std::string name;
  std::function<Status(Catalog&)> run;
  // What a repeated call may be answered after the first was carried out, besides a success.
  std::vector<ErrorKind> when_done = {};
  std::string gone = {};  // the directory in the warehouse that it removes; empty: none
};

inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

// Makes the namespace `ns` with the tables `one`, `two` and `old`, which has data, and the view
// `v`; a metadata file at <warehouse>/left/metadata that no table has; and a commit to `one` under
// an idempotency key.
std::vector<Scenario> Furnishing();

// Calls on what Furnishing makes. But for the one that repeats a key each changes something, and
// could come first.
std::vector<Scenario> Scenarios();

// All namespaces, tables and views with their metadata as text, without what differs between two
// runs of one call. A failed test where a part of it cannot be read: what a pointer leads to is
// always there.
std::string Describe(Catalog& catalog);

// Files and directories, sorted.
std::vector<std::string> FilesBelow(const std::string& directory);

}  // namespace berglite::testing
