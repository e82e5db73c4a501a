// KeyRows: what became of the requests that carried an Idempotency-Key, for a limited time.
//
// The wall clock may jump, so records do not expire by it. Each one has its place on a clock that
// only runs forward: it stands at that of the record before it, plus the wall time since then where
// the wall clock has moved forward, and nothing where it was set back. So a clock that is set back
// lets a record live longer by the time that passed unseen, never shorter, and keeps none for ever.
// A clock that is set forward cannot be told from time that has passed. That clock also orders the
// records as they were inserted, so the expired ones are always the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction.
class KeyRows {
 public:
  // `catalog_name` is borrowed too.
  KeyRows(sqlite::Connection& connection, const std::string& catalog_name)
      : connection_(connection), catalog_name_(catalog_name) {}

  // As Reader::FindKeyRecord and Writer::InsertKeyRecord.
  Result<std::optional<KeyRecord>> Find(const std::string& key, int64_t now_ms);
  Result<bool> Insert(const std::string& key, const KeyRecord& record, int64_t now_ms);

 private:
  // Where the clock that only runs forward stands.
  Result<int64_t> ElapsedMs(int64_t now_ms);

  sqlite::Connection& connection_;
  const std::string& catalog_name_;

  sqlite::Statement last_{connection_, R"(
    SELECT elapsed_ms, recorded_ms FROM berglite_idempotency_keys ORDER BY id DESC LIMIT 1)"};
  sqlite::Statement find_{connection_, R"(
    SELECT elapsed_ms, fingerprint, outcome, answer FROM berglite_idempotency_keys
    WHERE catalog_name = ?1 AND idempotency_key = ?2)"};
  // Looks at the first records alone, however many there are. Those of all catalogs in the file: it
  // is one clock and one queue.
  sqlite::Statement sweep_{connection_, R"(
    DELETE FROM berglite_idempotency_keys WHERE id IN (
      SELECT id FROM (SELECT id, elapsed_ms FROM berglite_idempotency_keys ORDER BY id LIMIT ?2)
      WHERE elapsed_ms <= ?1))"};
  sqlite::Statement delete_expired_{connection_, R"(
    DELETE FROM berglite_idempotency_keys
    WHERE catalog_name = ?1 AND idempotency_key = ?2 AND elapsed_ms <= ?3)"};
  sqlite::Statement insert_{connection_, R"(
    INSERT INTO berglite_idempotency_keys
      (elapsed_ms, recorded_ms, catalog_name, idempotency_key, fingerprint, outcome, answer)
    VALUES (?3, ?4, ?1, ?2, ?5, ?6, ?7) ON CONFLICT DO NOTHING)"};
};

}  // namespace berglite::store
