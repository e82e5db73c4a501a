#include "lib/store/key_rows.h"

#include <algorithm>

#include "lib/base/limits.h"

namespace berglite::store {

Result<int64_t> KeyRows::ElapsedMs(int64_t now_ms) {
  sqlite::Rows rows = last_.Query();
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found) return int64_t{0};
  return rows.Integer(0) + std::max(int64_t{0}, now_ms - rows.Integer(1));
}

Result<std::optional<KeyRecord>> KeyRows::Find(const std::string& key, int64_t now_ms) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t elapsed_ms, ElapsedMs(now_ms));
  sqlite::Rows rows = find_.Query(catalog_name_, key);
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found || rows.Integer(0) <= elapsed_ms - limits::kIdempotencyKeyKeptMs) {
    return std::optional<KeyRecord>();
  }
  return std::optional(KeyRecord{rows.Text(1), rows.Text(2), rows.Text(3)});
}

Result<bool> KeyRows::Insert(const std::string& key, const KeyRecord& record, int64_t now_ms) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t elapsed_ms, ElapsedMs(now_ms));
  int64_t expired_ms = elapsed_ms - limits::kIdempotencyKeyKeptMs;
  BERGLITE_RETURN_IF_ERROR(sweep_.Change(expired_ms, limits::kIdempotencySweepMax));
  // The sweep may not have come to it yet.
  BERGLITE_RETURN_IF_ERROR(delete_expired_.Change(catalog_name_, key, expired_ms));
  BERGLITE_ASSIGN_OR_RETURN(
      int64_t inserted, insert_.Change(catalog_name_, key, elapsed_ms, now_ms, record.fingerprint,
                                       record.outcome, record.answer));
  return inserted == 1;
}

}  // namespace berglite::store
