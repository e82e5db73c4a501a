// The commit protocol: the only code that moves the pointer of a table.
//
// A commit reads the bases of its tables in one snapshot, plans their next metadata, writes and
// syncs the new metadata files with no lock of the file held, and then moves all pointers in one
// transaction, each compared with its base. Where a comparison fails, somebody else was faster: the
// files are removed and the commit starts over on the new bases, so a client that is out of date
// but whose requirements still hold succeeds.
//
// Threads: every method may be called from any thread at the same time.
// Ownership: Store, FileIO, cache and Environment are borrowed and must outlive the Committer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/catalog/key_locks.h"
#include "lib/catalog/metadata_cache.h"
#include "lib/metadata/table_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// A table's metadata and where it is stored.
struct StoredTable {
  std::string location;
  metadata::TableMetadata metadata;
};

// What a commit makes of one table.
struct Plan {
  // The table before the commit; nullopt where the commit creates it.
  std::optional<metadata::TableMetadata> base;
  // nullopt: the commit changes nothing.
  std::optional<metadata::TableMetadata> next;
  // Where `next` is stored already (a registered file); empty: a new file is to be written.
  std::string stored_at;
};

// Plans one table's part of a commit from the entry that has its name now; null where there is
// none. Called again after a lost race.
using Planner = std::function<Result<Plan>(const store::Entry* entry)>;

struct TableChange {
  TableIdentifier table;
  Planner plan;
};

class Committer {
 public:
  Committer(store::Store& store, FileIO& file_io, MetadataCache& cache, Environment& environment)
      : store_(store), file_io_(file_io), cache_(cache), environment_(environment) {}

  // Carries out all changes or none, and returns where each table then stands, in the same order.
  // `changes` must not name a table twice. Errors: those of the planners; kNoSuchNamespace for a
  // create without its namespace; kAlreadyExists where the name of a create is a view's;
  // kCommitFailed after too many lost races; kUnavailable, kCommitStateUnknown.
  Result<std::vector<StoredTable>> Commit(const std::vector<TableChange>& changes);

  // The current state of a table, from the cache where it is there. nullopt where the table does
  // not exist. Errors: kNotFound where its metadata file does not, kValidation where that is
  // damaged.
  Result<std::optional<StoredTable>> Load(const TableIdentifier& table);

  // Reads and checks a metadata file. Errors: as Load.
  Result<metadata::TableMetadata> ReadMetadata(const std::string& location);

 private:
  struct Move;
  struct Round;

  Result<Round> PlanRound(const std::vector<TableChange>& changes);
  Status CheckLocations(const Move& move) const;
  Status WriteFiles(const std::vector<Move>& moves);
  Status MovePointers(const std::vector<Move>& moves, bool& raced);
  Status MovePointer(store::Writer& writer, const Move& move, bool& raced);
  void DeleteFiles(const std::vector<Move>& moves);
  void Finish(const std::vector<Move>& moves);

  store::Store& store_;
  FileIO& file_io_;
  MetadataCache& cache_;
  Environment& environment_;
  KeyLocks locks_;
};

}  // namespace berglite::catalog
