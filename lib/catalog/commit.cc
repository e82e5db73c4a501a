#include "lib/catalog/commit.h"

#include <optional>
#include <utility>

#include "lib/base/limits.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/metadata/metadata_file.h"

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

}  // namespace

Result<std::vector<StoredMetadata>> Committer::Commit(const std::vector<Change>& changes,
                                                      Mutation& mutation) {
  std::vector<std::string> keys;
  keys.reserve(changes.size());
  for (const Change& change : changes) keys.push_back(LockKeyOf(change.name));
  KeyLocks::Guard guard = locks_.Lock(std::move(keys));

  for (int round_number = 0; round_number < limits::kCommitRoundsMax; ++round_number) {
    BERGLITE_ASSIGN_OR_RETURN(Round round, PlanRound(changes));
    mutation.SetAnswer(round.outcomes.front().location);
    if (round.moves.empty()) return std::move(round.outcomes);
    bool raced = false;
    Status written = WriteFiles(round.moves);
    Status moved = written ? MovePointers(round.moves, mutation, raced) : written;
    bool unknown = !moved && moved.error().kind == ErrorKind::kCommitStateUnknown;
    if (!moved && !unknown) DeleteFiles(round.moves);
    if (raced) continue;
    BERGLITE_RETURN_IF_ERROR(moved);
    Finish(round.moves);
    return std::move(round.outcomes);
  }
  return Error{ErrorKind::kCommitFailed, "Commit failed: other commits won " +
                                             std::to_string(limits::kCommitRoundsMax) +
                                             " times in a row: " + ToString(changes.front().name)};
}

Result<Committer::Round> Committer::PlanRound(const std::vector<Change>& changes) {
  std::vector<std::optional<Entry>> entries;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
    entries.clear();
    for (const Change& change : changes) {
      BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(change.name)));
      entries.push_back(std::move(entry));
    }
    return {};
  }));

  Round round;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Entry* entry = entries[i] ? &*entries[i] : nullptr;
    BERGLITE_ASSIGN_OR_RETURN(Plan plan, changes[i].plan(entry));
    round.outcomes.push_back(plan.next);
    if (plan.step == Plan::Step::kKeep) continue;
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

Status Committer::MovePointers(const std::vector<Move>& moves, Mutation& mutation, bool& raced) {
  return mutation.Write(
      [&](store::Writer& writer) -> Status {
        raced = false;
        for (const Move& move : moves) BERGLITE_RETURN_IF_ERROR(MovePointer(writer, move, raced));
        return {};
      },
      [&](store::Reader& reader) -> Result<bool> {
        for (const Move& move : moves) {
          BERGLITE_ASSIGN_OR_RETURN(bool landed,
                                    IsLanded(reader, move.key(), move.from, move.to()));
          if (!landed) return false;
        }
        return true;
      });
}

// An error with `raced` set means that the pointer is not where the base was.
Status Committer::MovePointer(store::Writer& writer, const Move& move, bool& raced) {
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

// What fails here leaves files that nothing refers to: they cost space and harm nobody.
void Committer::DeleteFiles(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (move.writes()) (void)file_io_.Delete(move.to()).has_value();
  }
}

void Committer::Finish(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (move.plan.on_committed) move.plan.on_committed();
    for (const std::string& file : move.plan.superseded) (void)file_io_.Delete(file).has_value();
  }
}

}  // namespace berglite::catalog
