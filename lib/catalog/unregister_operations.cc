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

// The metadata is read first, so that a table whose metadata cannot be read stays; then the row
// goes only if it still points there. So the answer holds every commit that was made before, and
// each later one finds no table.
Result<Document> SqliteCatalog::UnregisterTable(const TableIdentifier& table) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  for (int round = 0; round < limits::kCommitRoundsMax; ++round) {
    auto loaded = tables_.Load(table);
    if (!loaded) return std::move(loaded).error();
    if (!*loaded) return NoSuchEntry(EntryKind::kTable, table);
    const std::string& location = (*loaded)->location;
    bool moved = false;
    Status written = store_->Write(
        [&](Writer& writer) -> Status {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(KeyOf(table)));
          if (!entry || entry->kind != EntryKind::kTable) {
            return NoSuchEntry(EntryKind::kTable, table);
          }
          moved = entry->metadata_location != location;
          if (moved) return {};
          BERGLITE_RETURN_IF_ERROR(writer.DeleteEntry(KeyOf(table), EntryKind::kTable));
          return {};
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, reader.FindEntry(KeyOf(table)));
          return !entry;
        });
    if (!written) return written.error();
    if (!moved) return *ToCommitResponse({location, (*loaded)->metadata.document()}).body;
  }
  return Error{ErrorKind::kUnavailable, "Cannot unregister " + ToString(table) +
                                            ": it was changed by other commits each time"};
}

}  // namespace berglite::catalog
