// Giving a table up to another catalog, with all its files.
#include "lib/base/limits.h"
#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"

namespace berglite::catalog {

using store::Entry;
using store::EntryKind;
using store::Reader;
using store::Writer;

namespace {

// Removes the row of the table, if it points to `location`. Where it points elsewhere, `moved` is
// set and an error returned.
Status DeleteWhereAt(Mutation& mutation, const TableIdentifier& table, const std::string& location,
                     bool& moved) {
  return mutation.Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(KeyOf(table)));
        if (!entry || entry->kind != EntryKind::kTable) {
          return NoSuchEntry(EntryKind::kTable, table);
        }
        moved = entry->metadata_location != location;
        if (moved) return Error{ErrorKind::kUnavailable, "The pointer changed"};
        BERGLITE_RETURN_IF_ERROR(writer.DeleteEntry(KeyOf(table), EntryKind::kTable));
        return {};
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(table)));
        return !entry;
      });
}

}  // namespace

// The metadata is read first, so that a table whose metadata cannot be read stays; then the row
// goes only if it still points there. So the answer holds every commit that was made before, and
// each later one finds no table.
Result<Document> SqliteCatalog::UnregisterTable(const TableIdentifier& table,
                                                const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = "unregisterTable",
                     .name_space = &table.name_space,
                     .name = &table.name};
  auto replay = [&](const std::string& location) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, tables_.Recall(table, location));
    return *ToCommitResponse(stored).body;
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<Document> {
    BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
    for (int lost = 0; lost < limits::kCommitRacesMax; ++lost) {
      auto loaded = tables_.Load(table);
      if (!loaded) return std::move(loaded).error();
      if (!*loaded) return NoSuchEntry(EntryKind::kTable, table);
      const std::string& location = (*loaded)->location;
      mutation.SetAnswer(location);
      bool moved = false;
      Status deleted = DeleteWhereAt(mutation, table, location, moved);
      if (deleted) return *ToCommitResponse({location, (*loaded)->metadata.document()}).body;
      if (!moved) return deleted.error();
    }
    return Error{ErrorKind::kUnavailable, "Cannot unregister " + ToString(table) +
                                              ": it was changed by other commits each time"};
  });
}

}  // namespace berglite::catalog
