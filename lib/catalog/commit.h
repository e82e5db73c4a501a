// The commit protocol: the only code that moves the pointer of a table or view.
//
// A commit reads the bases of its changes in one snapshot, plans their next metadata, writes and
// syncs the new metadata files with no lock of the file held, and then moves all pointers in one
// transaction, each compared with its base, as are those that the commit names but leaves as they
// are. Where a comparison fails, somebody else was faster: the files are removed and the commit
// starts over on the new bases, so a client that is out of date but whose requirements still hold
// succeeds. One that is overtaken again and again is in the end carried out within the transaction,
// where nobody can overtake it.
//
// What metadata says is the planners' business; here it is a text to store.
//
// Threads: every method may be called from any thread at the same time.
// Ownership: Store and FileIO are borrowed and must outlive the Committer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/counters.h"
#include "berglite/document.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/counter.h"
#include "lib/catalog/idempotency.h"
#include "lib/catalog/key_locks.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// The metadata of a table or view, and where it is stored.
struct StoredMetadata {
  std::string location;
  Document document;
};

// What a commit makes of one table or view.
struct Plan {
  enum class Step {
    kKeep,   // nothing: `next` is what there is
    kPoint,  // moves the pointer to a file that is there already (a registered one)
    kWrite,  // writes a new file and moves the pointer to it
  };
  Step step;
  // What the name stands for after the commit.
  StoredMetadata next;
  // kPoint: the uuid of the table whose files are taken over with the pointer. Refused while these
  // are still to be removed.
  std::string table_uuid = {};
  // Where the table or view is to be from now on; empty where it stays. Refused where the catalog
  // may not write.
  std::string new_home = {};
  // Files of which nobody has use after the commit; they are deleted then.
  std::vector<std::string> superseded = {};
  // Called when the commit is durable; may be null.
  std::function<void()> on_committed = {};
};

// Plans one part of a commit from the entry that has its name now; null where there is none. Called
// again after a lost race.
using Planner = std::function<Result<Plan>(const store::Entry* entry)>;

struct Change {
  store::EntryKind kind;
  TableIdentifier name;
  Planner plan;
};

class Committer {
 public:
  Committer(store::Store& store, FileIO& file_io) : store_(store), file_io_(file_io) {}

  // Carries out all changes or none, and returns what each name then stands for, in the same order.
  // `changes` must not hold a name twice. The answer that `mutation` keeps is the location of the
  // first. Errors: those of the planners; kNoSuchNamespace for a create without its namespace;
  // kUnavailable, kCommitStateUnknown.
  Result<std::vector<StoredMetadata>> Commit(const std::vector<Change>& changes,
                                             Mutation& mutation);

  // Sets those of commits.
  void ReadCounters(Counters& counters) const;

 private:
  struct Move;
  struct Round;

  using Entries = std::vector<std::optional<store::Entry>>;  // one a change

  Result<std::vector<StoredMetadata>> CommitInRounds(const std::vector<Change>& changes,
                                                     Mutation& mutation);
  Result<std::vector<StoredMetadata>> CommitWhileOthersWait(const std::vector<Change>& changes,
                                                            Mutation& mutation);
  Result<Entries> ReadEntries(const std::vector<Change>& changes);
  static Result<Entries> FindEntries(store::Reader& reader, const std::vector<Change>& changes);
  // Whether any of the pointers stands elsewhere by now.
  Result<bool> HaveMoved(const std::vector<Change>& changes, const Entries& entries);
  Result<Round> PlanRound(const std::vector<Change>& changes, const Entries& entries);
  Status WriteFiles(const std::vector<Move>& moves);
  Status MovePointers(const Round& round, Mutation& mutation, bool& raced);
  Status MovePointer(store::Writer& writer, const Move& move, bool& raced);
  Status CheckTakeover(store::Writer& writer, const Move& move);
  static Result<bool> AreLanded(store::Reader& reader, const std::vector<Move>& moves);
  void DeleteFiles(const std::vector<Move>& moves);
  void DeleteSuperseded(const std::string& file);
  void Finish(const std::vector<Move>& moves);

  store::Store& store_;
  FileIO& file_io_;
  KeyLocks locks_;
  Counter commits_;
  Counter conflicts_;
  Counter races_lost_;
};

}  // namespace berglite::catalog
