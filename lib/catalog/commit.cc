#include "lib/catalog/commit.h"

#include <utility>

#include "lib/base/limits.h"
#include "lib/catalog/metadata_reading.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/metadata/metadata_file.h"

namespace berglite::catalog {

using metadata::TableMetadata;
using store::Entry;
using store::EntryKey;
using store::EntryKind;

// One pointer on its way from a base to the next metadata.
struct Committer::Move {
  TableIdentifier table;
  std::optional<std::string> from;  // nullopt: the table is created
  std::optional<TableMetadata> base;
  TableMetadata next;
  std::string to;
  bool is_new_file = false;  // `to` is written, and on failure deleted, by this commit

  EntryKey key() const { return EntryKey{table.name_space, table.name}; }
};

// One attempt at a commit: the pointers to move, and where every table stands if that succeeds.
struct Committer::Round {
  std::vector<Move> moves;
  // For each change: its place in `moves`, or the table as it already stands.
  std::vector<std::pair<size_t, std::optional<StoredTable>>> outcomes;
};

namespace {

constexpr size_t kNoMove = static_cast<size_t>(-1);

// A lock key that no other table has: names hold neither NUL nor U+001F.
std::string LockKeyOf(const TableIdentifier& table) {
  std::string key;
  for (const std::string& level : table.name_space) key += level + '\x1f';
  return key + table.name;
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

Result<std::vector<StoredTable>> Committer::Commit(const std::vector<TableChange>& changes) {
  std::vector<std::string> keys;
  keys.reserve(changes.size());
  for (const TableChange& change : changes) keys.push_back(LockKeyOf(change.table));
  KeyLocks::Guard guard = locks_.Lock(std::move(keys));

  for (int round_number = 0; round_number < limits::kCommitRoundsMax; ++round_number) {
    BERGLITE_ASSIGN_OR_RETURN(Round round, PlanRound(changes));
    bool raced = false;
    if (!round.moves.empty()) {
      Status written = WriteFiles(round.moves);
      Status moved = written ? MovePointers(round.moves, raced) : written;
      bool unknown = !moved && moved.error().kind == ErrorKind::kCommitStateUnknown;
      if (!moved && !unknown) DeleteFiles(round.moves);
      if (raced) continue;
      BERGLITE_RETURN_IF_ERROR(moved);
      Finish(round.moves);
    }
    std::vector<StoredTable> tables;
    tables.reserve(changes.size());
    for (auto& [index, table] : round.outcomes) {
      if (index == kNoMove) {
        tables.push_back(*std::move(table));
      } else {
        tables.push_back(StoredTable{round.moves[index].to, round.moves[index].next});
      }
    }
    return tables;
  }
  return Error{ErrorKind::kCommitFailed, "Commit failed: other commits won " +
                                             std::to_string(limits::kCommitRoundsMax) +
                                             " times in a row: " + ToString(changes.front().table)};
}

Result<std::optional<StoredTable>> Committer::Load(const TableIdentifier& table) {
  // A file that is gone may have been superseded between the look at the row and the read.
  std::string missing;
  for (;;) {
    std::optional<Entry> entry;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(entry, reader.FindEntry(KeyOf(table)));
      return {};
    }));
    if (!entry || entry->kind != EntryKind::kTable) return std::optional<StoredTable>();
    Result<TableMetadata> metadata = ReadMetadata(entry->metadata_location);
    if (metadata) {
      return std::optional(StoredTable{entry->metadata_location, *std::move(metadata)});
    }
    if (metadata.error().kind != ErrorKind::kNotFound || entry->metadata_location == missing) {
      return metadata.error();
    }
    missing = entry->metadata_location;
  }
}

Result<TableMetadata> Committer::ReadMetadata(const std::string& location) {
  if (std::optional<TableMetadata> cached = cache_.Find(location)) {
    // A file that has vanished must not be hidden by the cache: clients could not read it either.
    BERGLITE_ASSIGN_OR_RETURN(bool exists, file_io_.Exists(location));
    if (exists) return *std::move(cached);
    cache_.Erase(location);
  }
  BERGLITE_ASSIGN_OR_RETURN(TableMetadata metadata, ReadTableMetadata(file_io_, location));
  cache_.Insert(location, metadata);
  return metadata;
}

Result<Committer::Round> Committer::PlanRound(const std::vector<TableChange>& changes) {
  std::vector<std::optional<Entry>> entries;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
    entries.clear();
    for (const TableChange& change : changes) {
      BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(change.table)));
      entries.push_back(std::move(entry));
    }
    return {};
  }));

  Round round;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Entry* entry = entries[i] ? &*entries[i] : nullptr;
    BERGLITE_ASSIGN_OR_RETURN(Plan plan, changes[i].plan(entry));
    if (!plan.next) {
      round.outcomes.emplace_back(kNoMove,
                                  StoredTable{entry->metadata_location, *std::move(plan.base)});
      continue;
    }
    Move move{.table = changes[i].table,
              .from = entry ? std::optional(entry->metadata_location) : std::nullopt,
              .base = std::move(plan.base),
              .next = *std::move(plan.next),
              .to = plan.stored_at,
              .is_new_file = plan.stored_at.empty()};
    if (move.is_new_file) {
      BERGLITE_RETURN_IF_ERROR(CheckLocations(move));
      move.to = metadata::NewMetadataLocation(move.next, move.from.value_or(""), environment_);
    }
    round.outcomes.emplace_back(round.moves.size(), std::nullopt);
    round.moves.push_back(std::move(move));
  }
  return round;
}

// The metadata file's own location is checked when it is written; this refuses a table location
// that no file of the catalog's would ever come to.
Status Committer::CheckLocations(const Move& move) const {
  const std::string& location = move.next.location();
  if (move.base && move.base->location() == location) return {};
  return file_io_.CheckWritable(location);
}

Status Committer::WriteFiles(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (!move.is_new_file) continue;
    BERGLITE_RETURN_IF_ERROR(file_io_.WriteNew(
        move.to, metadata::EncodeMetadataFile(move.next.document().text(), move.to)));
  }
  return {};
}

Status Committer::MovePointers(const std::vector<Move>& moves, bool& raced) {
  return store_.Write(
      [&](store::Writer& writer) -> Status {
        raced = false;
        for (const Move& move : moves) BERGLITE_RETURN_IF_ERROR(MovePointer(writer, move, raced));
        return {};
      },
      [&](store::Reader& reader) -> Result<bool> {
        for (const Move& move : moves) {
          BERGLITE_ASSIGN_OR_RETURN(bool landed, IsLanded(reader, move.key(), move.from, move.to));
          if (!landed) return false;
        }
        return true;
      });
}

// An error with `raced` set means that the pointer is not where the base was.
Status Committer::MovePointer(store::Writer& writer, const Move& move, bool& raced) {
  bool moved = false;
  if (move.from) {
    BERGLITE_ASSIGN_OR_RETURN(
        moved, writer.MovePointer(move.key(), EntryKind::kTable, *move.from, move.to));
  } else {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(move.table.name_space));
    if (!exists) return NoNamespaceFor(move.table);
    BERGLITE_ASSIGN_OR_RETURN(moved,
                              writer.InsertEntry(move.key(), Entry{EntryKind::kTable, move.to}));
  }
  if (moved) return {};
  raced = true;
  return Error{ErrorKind::kCommitFailed, "The table changed: " + ToString(move.table)};
}

// What fails here leaves files that nothing refers to: they cost space and harm nobody.
void Committer::DeleteFiles(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (move.is_new_file) (void)file_io_.Delete(move.to).has_value();
  }
}

void Committer::Finish(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    cache_.Insert(move.to, move.next);
    if (!move.base) continue;
    if (move.from) cache_.Erase(*move.from);
    for (const std::string& file : metadata::SupersededMetadataFiles(*move.base, move.next)) {
      (void)file_io_.Delete(file).has_value();
    }
  }
}

}  // namespace berglite::catalog
