#include "lib/store/deletion_rows.h"

#include <cstdint>
#include <limits>

#include "lib/base/limits.h"

namespace berglite::store {

Result<std::vector<OwedDeletion>> DeletionRows::ListOwedDeletions(int64_t now_ms, size_t limit) {
  std::vector<OwedDeletion> owed;
  constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
  // Nothing waits for longer than this: what seems to was put off before the clock was set back.
  const int64_t latest_ms =
      now_ms > kEver - limits::kSweepRetryMsMax ? kEver : now_ms + limits::kSweepRetryMsMax;
  sqlite::Rows rows = list_.Query(catalog_name_, now_ms, static_cast<int64_t>(limit), latest_ms);
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    owed.push_back({.id = rows.Integer(0),
                    .metadata_location = rows.Text(1),
                    .attempts = rows.Integer(2),
                    .obstacle = rows.Text(3)});
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return owed;
}

Result<bool> DeletionRows::IsDeletionOwed(const std::string& metadata_location,
                                          const std::string& table_uuid) {
  sqlite::Rows rows = is_owed_.Query(metadata_location, table_uuid);
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  return rows.Integer(0) != 0;
}

Result<std::vector<std::string>> DeletionRows::ListOwingCatalogs() {
  return sqlite::ReadTexts(list_catalogs_.Query());
}

Result<int64_t> DeletionRows::CountOwedDeletions() {
  sqlite::Rows rows = count_.Query();
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  return rows.Integer(0);
}

Status DeletionRows::OweDeletion(const std::string& metadata_location,
                                 const std::string& table_uuid, int64_t due_ms) {
  BERGLITE_RETURN_IF_ERROR(owe_.Change(catalog_name_, metadata_location, table_uuid, due_ms));
  return {};
}

Status DeletionRows::PostponeDeletion(int64_t id, int64_t due_ms, const std::string& obstacle) {
  BERGLITE_RETURN_IF_ERROR(postpone_.Change(id, due_ms, obstacle));
  return {};
}

Status DeletionRows::SettleDeletion(int64_t id) {
  BERGLITE_RETURN_IF_ERROR(settle_.Change(id));
  return {};
}

}  // namespace berglite::store
