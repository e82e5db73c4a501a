#include "lib/catalog/operation.h"

#include "lib/catalog/names.h"

namespace berglite::catalog {

using store::Entry;
using store::EntryKind;

const char* CapitalNameOf(EntryKind kind) {
  switch (kind) {
    case EntryKind::kTable:
      return "Table";
    case EntryKind::kView:
      return "View";
    case EntryKind::kOther:
      return "Entry";
  }
  return "";
}

std::string_view NameOf(EntryKind kind) { return kind == EntryKind::kTable ? "table" : "view"; }

Error NoSuchNamespace(const Namespace& name_space) {
  return Error{ErrorKind::kNoSuchNamespace, "Namespace does not exist: " + ToString(name_space)};
}

Error NoSuchEntry(EntryKind kind, const TableIdentifier& name) {
  return Error{kind == EntryKind::kTable ? ErrorKind::kNoSuchTable : ErrorKind::kNoSuchView,
               std::string(CapitalNameOf(kind)) + " does not exist: " + ToString(name)};
}

Error NoNamespaceFor(EntryKind kind, const TableIdentifier& name) {
  return Error{ErrorKind::kNoSuchNamespace,
               "Cannot create " + std::string(NameOf(kind)) + " " + ToString(name) +
                   ". Namespace does not exist: " + ToString(name.name_space)};
}

Error NameIsTaken(EntryKind kind, const TableIdentifier& name, const Entry& entry) {
  return Error{ErrorKind::kAlreadyExists,
               CapitalNameOf(entry.kind) +
                   std::string(entry.kind == kind ? "" : " with same name") +
                   " already exists: " + ToString(name)};
}

bool IsStateUnknown(const Status& status) {
  return !status && status.error().kind == ErrorKind::kCommitStateUnknown;
}

store::EntryKey KeyOf(const TableIdentifier& name) {
  return store::EntryKey{name.name_space, name.name};
}

Json NextPageToken(const std::optional<std::string>& token) {
  return token ? Json(*token) : Json(nullptr);
}

}  // namespace berglite::catalog
