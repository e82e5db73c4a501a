#include "lib/store/principal_rows.h"

#include <utility>

namespace berglite::store {
namespace {

PrincipalRecord ReadRecord(const sqlite::Rows& rows) {
  return {.name = rows.Text(0),
          .secret_hash = rows.Text(1),
          .generation = rows.Text(2),
          .read_only = rows.Integer(3) != 0,
          .created_ms = rows.Integer(4)};
}

// Whether one row was changed.
Result<bool> IsOne(Result<int64_t> changed) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t count, std::move(changed));
  return count == 1;
}

}  // namespace

Result<std::optional<PrincipalRecord>> PrincipalRows::Find(const std::string& name) {
  sqlite::Rows rows = find_.Query(name);
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found) return std::optional<PrincipalRecord>();
  return std::optional(ReadRecord(rows));
}

Result<std::vector<PrincipalRecord>> PrincipalRows::List() {
  std::vector<PrincipalRecord> records;
  sqlite::Rows rows = list_.Query();
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    records.push_back(ReadRecord(rows));
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return records;
}

Result<std::optional<std::string>> PrincipalRows::FindSigningKey() {
  sqlite::Rows rows = find_signing_key_.Query();
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found) return std::optional<std::string>();
  return std::optional(rows.Text(0));
}

Result<bool> PrincipalRows::Insert(const PrincipalRecord& record) {
  return IsOne(insert_.Change(record.name, record.secret_hash, record.generation,
                              int64_t{record.read_only ? 1 : 0}, record.created_ms));
}

Result<bool> PrincipalRows::SetSecret(const std::string& name, const std::string& secret_hash,
                                      const std::string& generation) {
  return IsOne(set_secret_.Change(name, secret_hash, generation));
}

Result<bool> PrincipalRows::Delete(const std::string& name) { return IsOne(delete_.Change(name)); }

Status PrincipalRows::InsertSigningKey(const std::string& key) {
  BERGLITE_RETURN_IF_ERROR(insert_signing_key_.Change(key));
  return {};
}

}  // namespace berglite::store
