#include "lib/catalog/operation.h"

#include "lib/catalog/names.h"

namespace berglite::catalog {

Error NoSuchNamespace(const Namespace& name_space) {
  return Error{ErrorKind::kNoSuchNamespace, "Namespace does not exist: " + ToString(name_space)};
}

Error NoSuchTable(const TableIdentifier& table) {
  return Error{ErrorKind::kNoSuchTable, "Table does not exist: " + ToString(table)};
}

Error NoNamespaceFor(const TableIdentifier& table) {
  return Error{ErrorKind::kNoSuchNamespace,
               "Cannot create table " + ToString(table) +
                   ". Namespace does not exist: " + ToString(table.name_space)};
}

Error NameIsTaken(const TableIdentifier& table, const store::Entry& entry) {
  const char* what = entry.kind == store::EntryKind::kTable
                         ? "Table already exists: "
                         : "View with same name already exists: ";
  return Error{ErrorKind::kAlreadyExists, what + ToString(table)};
}

store::EntryKey KeyOf(const TableIdentifier& table) {
  return store::EntryKey{table.name_space, table.name};
}

Json NextPageToken(const std::optional<std::string>& token) {
  return token ? Json(*token) : Json(nullptr);
}

}  // namespace berglite::catalog
