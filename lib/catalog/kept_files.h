// KeptFiles: of files that could go, those that must stay because somebody needs them. What could
// go, the candidates, are the files of dropped tables, or those found where tables are.
//
// The rule is exact: a file stays that any table of the catalog file reaches, or a view or
// function, of whichever catalog in it and wherever its own files are. So every other table is
// walked through down to its manifests. That costs one read of each of them for every batch of
// drops, which is why it is done in the background; memory is taken for the candidates
// alone. A table that cannot be read, or is not understood, may need anything: while it is
// there, nothing is removed.
//
// What is true when it is looked at may not be true when a file is removed: a table may be
// registered, or commit a file of another. So files are removed only while nobody can write to the
// catalog file, not even other programs that know nothing of this, and after a look whether a
// pointer stands where none was seen. What was once seen to be needed is kept until the end.
//
// Two locations are one file where FileIO::RealLocation says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/limits.h"
#include "lib/catalog/file_reach.h"
#include "lib/metadata/named_files.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// A dropped table, and the files of it that are to go.
struct DroppedTable {
  std::string metadata_location;
  metadata::NamedFiles files;
};

// What becomes of a file.
enum class Fate {
  kGoes,
  kStays,    // somebody needs it
  kUnknown,  // it is no candidate
};

// Threads: one at a time.
// Ownership: all that is passed is borrowed.
// Errors of all methods: kUnavailable where it cannot be told now what must stay, saying why.
class KeptFiles {
 public:
  // What the answers are for.
  // kPurge: of what owed deletions start from, only that itself is needed; what a missing file led
  //   to is taken for gone with it.
  // kOrphanFiles: owed deletions need all that they reach, or they would not find it any more. What
  //   a missing file led to is not known: it may come back. Where a table does not own its data
  //   (gc.enabled=false), all that lies at its location stays.
  enum class Purpose { kPurge, kOrphanFiles };

  // `candidates_max` is smaller in tests alone.
  KeptFiles(store::Store& store, FileIO& file_io, const StopSign& stop, Purpose purpose,
            size_t candidates_max = limits::kPurgeFilesMax);

  // All candidates are added before anything else is asked. Errors: kUnavailable also where there
  // are more than the limit; then this table does not count.
  Status AddDropped(const DroppedTable& table);
  // A file at a real location.
  Status AddCandidate(const std::string& real);
  // A place, a real location, where candidates were found: that it is the location of a table, too,
  // or within one, makes nobody need them.
  void AddPlace(const std::string& real) { candidate_places_.push_back(real); }

  // Looks at all that is in the catalog file. `on_progress` is told how many of how many pointers
  // have been followed. May be empty.
  Status Collect(const std::function<void(size_t done, size_t total)>& on_progress = {});

  // Runs `remove` while all pointers are known and none can change. It must not use the Store.
  Status WhileNothingChanges(const std::function<void()>& remove);

  // Of the file at `real`, a real location, when the table with the metadata file `own_metadata`
  // (real, too; empty for none) is removed.
  Fate FateOf(const std::string& real, const std::string& own_metadata) const;
  // Whether clients of another table expect this directory, a real location.
  bool HoldsDirectory(const std::string& real) const { return directories_.contains(real); }

 private:
  struct Pointer {
    store::PointerKind kind;
    std::string metadata_location;
  };

  Result<std::vector<Pointer>> ListUnknown(store::Reader& reader);
  Status RemoveKnowing(const std::vector<Pointer>& unknown, const std::function<void()>& remove);
  Status AddNeeded(const Pointer& pointer);
  Status AddTable(const std::string& metadata_location, const metadata::NamedFiles& files);
  void AddPlaces(const std::string& metadata_location, const metadata::NamedFiles& files);
  bool IsDoneWith(const std::string& location, const Error& error) const;
  Status Keep(const std::string& location);
  void KeepReal(const std::string& real);
  bool IsCandidate(const std::string& real) const;

  store::Store& store_;
  FileIO& file_io_;
  const StopSign& stop_;
  const Purpose purpose_;
  const size_t candidates_max_;

  // Hashes of real locations, sorted: of two files that have the same one,
  // the one that could go stays.
  std::vector<uint64_t> candidates_;
  std::vector<std::string> candidate_places_;

  std::unordered_set<std::string> known_;  // metadata locations that have been looked at
  FileWalk walk_;                          // through all that is needed
  store::PointerKind walked_ = store::PointerKind::kLive;  // what the walk is from
  std::unordered_set<uint64_t> kept_;                      // of the candidates
  // The metadata files that owed deletions start from: as they stand there, and real.
  std::unordered_set<std::string> owed_locations_;
  std::unordered_set<std::string> owed_;
  std::unordered_set<std::string> locations_;  // of tables where no candidates were found
  std::unordered_set<std::string> directories_;
};

}  // namespace berglite::catalog
