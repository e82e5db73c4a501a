// Credentials for the storage of a table.
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"

namespace berglite::catalog {

// Files of the local file system need none.
Result<Document> SqliteCatalog::LoadCredentials(const TableIdentifier& table) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, TableExists(table));
  if (!exists) return NoSuchEntry(store::EntryKind::kTable, table);
  return DocumentAccess::FromTrustedText(R"({"storage-credentials":[]})");
}

}  // namespace berglite::catalog
