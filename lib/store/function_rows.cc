#include "lib/store/function_rows.h"

#include <cstdint>
#include <utility>

#include "lib/store/namespace_text.h"

namespace berglite::store {

Result<std::optional<std::string>> FunctionRows::Find(const EntryKey& key) {
  sqlite::Rows rows = find_.Query(catalog_name_, NamespaceToText(key.name_space), key.name);
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found) return std::optional<std::string>();
  return std::optional<std::string>(rows.Text(0));
}

Result<std::vector<std::string>> FunctionRows::List(const Namespace& name_space,
                                                    const std::optional<std::string>& after,
                                                    size_t limit) {
  std::vector<std::string> names;
  // To SQLite a negative limit is none.
  sqlite::Rows rows =
      list_.Query(catalog_name_, NamespaceToText(name_space), after ? After(*after) : std::string(),
                  limit == 0 ? int64_t{-1} : static_cast<int64_t>(limit));
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    names.push_back(rows.Text(0));
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return names;
}

Result<int64_t> FunctionRows::Count(const Namespace& name_space) {
  sqlite::Rows rows = count_.Query(catalog_name_, NamespaceToText(name_space));
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  return rows.Integer(0);
}

Status FunctionRows::Put(const EntryKey& key, const std::string& metadata_location) {
  BERGLITE_RETURN_IF_ERROR(
      put_.Change(catalog_name_, NamespaceToText(key.name_space), key.name, metadata_location));
  return {};
}

Result<bool> FunctionRows::Delete(const EntryKey& key) {
  BERGLITE_ASSIGN_OR_RETURN(
      int64_t count, delete_.Change(catalog_name_, NamespaceToText(key.name_space), key.name));
  return count == 1;
}

}  // namespace berglite::store
