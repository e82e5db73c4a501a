#include "lib/catalog/commit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/limits.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/metadata/metadata_file.h"
#include "lib/storage/location.h"

namespace berglite::catalog {

using store::Entry;
using store::EntryKey;
using store::EntryKind;

// One pointer on its way from a base to the next metadata.
struct Committer::Move {
  EntryKind kind;
  TableIdentifier name;
  std::optional<std::string> from;  // nullopt: the table or view is created
  Plan plan;

  EntryKey key() const { return KeyOf(name); }
  const std::string& to() const { return plan.next.location; }
  bool writes() const { return plan.step == Plan::Step::kWrite; }
};

// One attempt at a commit: the pointers to move, and what every change comes to if that succeeds.
struct Committer::Round {
  std::vector<Move> moves;
  // What stays as it is, and where its pointer stood: what was required of it must hold still when
  // the others move.
  std::vector<std::pair<EntryKey, std::string>> kept;
  std::vector<StoredMetadata> outcomes;
};

namespace {

// A lock key that no other table or view has: levels and names hold neither NUL nor U+001F.
std::string LockKeyOf(const TableIdentifier& name) {
  std::string key;
  for (const std::string& level : name.name_space) key += level + '\x1f';
  return key + name.name;
}

// Whether the pointers stand as the commit wanted them. Asked while no other commit can be between,
// so a pointer that is neither the new nor the old one is another program's and proves nothing.
Result<bool> IsLanded(store::Reader& reader, const EntryKey& key,
                      const std::optional<std::string>& from, const std::string& to) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(key));
  if (entry && entry->metadata_location == to) return true;
  bool stands_at_base = entry ? from == entry->metadata_location : !from;
  if (stands_at_base) return false;
  return Error{ErrorKind::kCommitStateUnknown, "the pointer was moved by another program"};
}

Error IsBeingPurged(const TableIdentifier& name) {
  return Error{ErrorKind::kUnavailable,
               "Cannot register " + ToString(name) +
                   ": the table was dropped with a purge, and its files are still to be removed"};
}

}  // namespace

Result<std::vector<StoredMetadata>> Committer::Commit(const std::vector<Change>& changes,
                                                      Mutation& mutation) {
  std::vector<std::string> keys;
  keys.reserve(changes.size());
  for (const Change& change : changes) keys.push_back(LockKeyOf(change.name));
  KeyLocks::Guard guard = locks_.Lock(std::move(keys));
  Result<std::vector<StoredMetadata>> outcomes = CommitInRounds(changes, mutation);
  if (!outcomes && outcomes.error().kind == ErrorKind::kCommitFailed) conflicts_.Add();
  return outcomes;
}

Result<std::vector<StoredMetadata>> Committer::CommitInRounds(const std::vector<Change>& changes,
                                                              Mutation& mutation) {
  for (int lost = 0; lost < limits::kCommitRacesMax; ++lost) {
    BERGLITE_ASSIGN_OR_RETURN(Entries entries, ReadEntries(changes));
    Result<Round> planned = PlanRound(changes, entries);
    if (!planned && planned.error().kind == ErrorKind::kNotFound) {
      // A base may have been superseded, and deleted, since its row was read.
      BERGLITE_ASSIGN_OR_RETURN(bool have_moved, HaveMoved(changes, entries));
      if (have_moved) {
        races_lost_.Add();
        continue;
      }
    }
    BERGLITE_ASSIGN_OR_RETURN(Round round, std::move(planned));
    mutation.SetAnswer(round.outcomes.front().location);
    if (round.moves.empty()) return std::move(round.outcomes);
    bool raced = false;
    Status written = WriteFiles(round.moves);
    Status moved = written ? MovePointers(round, mutation, raced) : written;
    if (!moved && !IsStateUnknown(moved)) DeleteFiles(round.moves);
    if (raced) {
      races_lost_.Add();
      continue;
    }
    BERGLITE_RETURN_IF_ERROR(moved);
    Finish(round.moves);
    return std::move(round.outcomes);
  }
  return CommitWhileOthersWait(changes, mutation);
}

// For a commit that other processes keep overtaking: all of it happens within the one serialized
// transaction, so that nobody can be faster. The others wait for as long as its files take to be
// written, which is why this is not how commits are made in the first place.
Result<std::vector<StoredMetadata>> Committer::CommitWhileOthersWait(
    const std::vector<Change>& changes, Mutation& mutation) {
  Round round;
  Status moved = mutation.Write(
      [&](store::Writer& writer) -> Status {
        // Where this runs again, what the run before wrote is of no use.
        DeleteFiles(round.moves);
        round = Round();
        BERGLITE_ASSIGN_OR_RETURN(Entries entries, FindEntries(writer, changes));
        BERGLITE_ASSIGN_OR_RETURN(round, PlanRound(changes, entries));
        mutation.SetAnswer(round.outcomes.front().location);
        BERGLITE_RETURN_IF_ERROR(WriteFiles(round.moves));
        bool raced = false;
        for (const Move& move : round.moves) {
          BERGLITE_RETURN_IF_ERROR(MovePointer(writer, move, raced));
        }
        return {};
      },
      [&](store::Reader& reader) { return AreLanded(reader, round.moves); });
  if (!moved && !IsStateUnknown(moved)) DeleteFiles(round.moves);
  BERGLITE_RETURN_IF_ERROR(moved);
  Finish(round.moves);
  return std::move(round.outcomes);
}

Result<Committer::Entries> Committer::FindEntries(store::Reader& reader,
                                                  const std::vector<Change>& changes) {
  Entries entries;
  for (const Change& change : changes) {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(change.name)));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<Committer::Entries> Committer::ReadEntries(const std::vector<Change>& changes) {
  Entries entries;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(entries, FindEntries(reader, changes));
    return {};
  }));
  return entries;
}

Result<bool> Committer::HaveMoved(const std::vector<Change>& changes, const Entries& entries) {
  BERGLITE_ASSIGN_OR_RETURN(Entries now, ReadEntries(changes));
  return !std::equal(now.begin(), now.end(), entries.begin(), [](const auto& a, const auto& b) {
    return a.has_value() == b.has_value() && (!a || a->metadata_location == b->metadata_location);
  });
}

Result<Committer::Round> Committer::PlanRound(const std::vector<Change>& changes,
                                              const Entries& entries) {
  Round round;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Entry* entry = entries[i] ? &*entries[i] : nullptr;
    BERGLITE_ASSIGN_OR_RETURN(Plan plan, changes[i].plan(entry));
    round.outcomes.push_back(plan.next);
    if (plan.step == Plan::Step::kKeep) {
      round.kept.emplace_back(KeyOf(changes[i].name), plan.next.location);
      continue;
    }
    // The metadata file's own location is checked when it is written; this refuses a location that
    // no file of the catalog's would ever come to.
    if (!plan.new_home.empty()) BERGLITE_RETURN_IF_ERROR(file_io_.CheckWritable(plan.new_home));
    round.moves.push_back(
        Move{.kind = changes[i].kind,
             .name = changes[i].name,
             .from = entry ? std::optional(entry->metadata_location) : std::nullopt,
             .plan = std::move(plan)});
  }
  return round;
}

Status Committer::WriteFiles(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (!move.writes()) continue;
    BERGLITE_RETURN_IF_ERROR(file_io_.WriteNew(
        move.to(), metadata::EncodeMetadataFile(move.plan.next.document.text(), move.to())));
  }
  return {};
}

Status Committer::MovePointers(const Round& round, Mutation& mutation, bool& raced) {
  return mutation.Write(
      [&](store::Writer& writer) -> Status {
        raced = false;
        for (const auto& [key, location] : round.kept) {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(key));
          raced = !entry || entry->metadata_location != location;
          if (raced) return Error{ErrorKind::kCommitFailed, "The pointer changed: " + key.name};
        }
        for (const Move& move : round.moves) {
          BERGLITE_RETURN_IF_ERROR(MovePointer(writer, move, raced));
        }
        return {};
      },
      [&](store::Reader& reader) { return AreLanded(reader, round.moves); });
}

Result<bool> Committer::AreLanded(store::Reader& reader, const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    BERGLITE_ASSIGN_OR_RETURN(bool landed, IsLanded(reader, move.key(), move.from, move.to()));
    if (!landed) return false;
  }
  return true;
}

// While this runs no purge removes files. One that is owed will, and one that came between the plan
// and this has.
Status Committer::CheckTakeover(store::Writer& writer, const Move& move) {
  BERGLITE_ASSIGN_OR_RETURN(bool is_owed, writer.IsDeletionOwed(move.to(), move.plan.table_uuid));
  if (is_owed) return IsBeingPurged(move.name);
  BERGLITE_ASSIGN_OR_RETURN(bool exists, file_io_.Exists(move.to()));
  if (exists) return {};
  return Error{ErrorKind::kNotFound, "Failed to open input stream for file: " + move.to()};
}

// An error with `raced` set means that the pointer is not where the base was.
Status Committer::MovePointer(store::Writer& writer, const Move& move, bool& raced) {
  if (move.plan.step == Plan::Step::kPoint) BERGLITE_RETURN_IF_ERROR(CheckTakeover(writer, move));
  bool moved = false;
  if (move.from) {
    BERGLITE_ASSIGN_OR_RETURN(moved,
                              writer.MovePointer(move.key(), move.kind, *move.from, move.to()));
  } else {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(move.name.name_space));
    if (!exists) return NoNamespaceFor(move.kind, move.name);
    BERGLITE_ASSIGN_OR_RETURN(moved, writer.InsertEntry(move.key(), Entry{move.kind, move.to()}));
  }
  if (moved) return {};
  raced = true;
  return Error{ErrorKind::kCommitFailed, "The pointer changed: " + ToString(move.name)};
}

// What fails here leaves files that nothing refers to: they cost space and harm nobody. Directories
// that a create has made go, too: a later create of that name would take them for another table's.
void Committer::DeleteFiles(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (!move.writes()) continue;
    (void)file_io_.Delete(move.to()).has_value();
    if (move.from) continue;
    (void)file_io_.RemoveEmptyDirectory(move.to().substr(0, move.to().rfind('/'))).has_value();
    (void)file_io_.RemoveEmptyDirectory(move.plan.new_home).has_value();
  }
}

// Two tables may have been registered from one file, so what is superseded for one may be all that
// the other has. Where it cannot be told, the file stays.
void Committer::DeleteSuperseded(const std::string& file) {
  Result<std::string> path = storage::LocalPathOf(file);
  if (!path) return;
  bool is_needed = false;
  Status asked = store_.Read([&](store::Reader& reader) -> Status {
    // In every spelling that a row may have.
    for (const std::string& location : {file, *path, "file:" + *path, "file://" + *path}) {
      BERGLITE_ASSIGN_OR_RETURN(bool is_pointed_at, reader.IsPointedAt(location));
      is_needed = is_needed || is_pointed_at;
    }
    return {};
  });
  if (asked && !is_needed) (void)file_io_.Delete(file).has_value();
}

void Committer::Finish(const std::vector<Move>& moves) {
  if (!moves.empty()) commits_.Add();
  for (const Move& move : moves) {
    if (move.plan.on_committed) move.plan.on_committed();
    for (const std::string& file : move.plan.superseded) DeleteSuperseded(file);
  }
}

void Committer::ReadCounters(Counters& counters) const {
  counters.commits = commits_.value();
  counters.commit_conflicts = conflicts_.value();
  counters.commit_races_lost = races_lost_.value();
}

}  // namespace berglite::catalog
