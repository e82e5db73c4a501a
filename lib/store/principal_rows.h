// PrincipalRows: who may call a server on this file, and the key that signs their tokens.
//
// They belong to the file and not to one of its catalogs. Secrets are here as hashes only; the key
// stands in the clear, so that every server on the file can check the tokens of the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/statement.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: those of its connection, which it borrows. Works inside the caller's transaction. The
// methods are those of Reader and Writer.
class PrincipalRows {
 public:
  explicit PrincipalRows(sqlite::Connection& connection) : connection_(connection) {}

  Result<std::optional<PrincipalRecord>> Find(const std::string& name);
  Result<std::vector<PrincipalRecord>> List();
  Result<std::optional<std::string>> FindSigningKey();

  Result<bool> Insert(const PrincipalRecord& record);
  Result<bool> SetSecret(const std::string& name, const std::string& secret_hash,
                         const std::string& generation);
  Result<bool> Delete(const std::string& name);
  Status InsertSigningKey(const std::string& key);

 private:
  sqlite::Connection& connection_;

  sqlite::Statement find_{connection_, R"(
    SELECT name, secret_hash, generation, read_only, created_ms FROM berglite_principals
    WHERE name = ?1)"};
  sqlite::Statement list_{connection_, R"(
    SELECT name, secret_hash, generation, read_only, created_ms FROM berglite_principals
    ORDER BY name)"};
  sqlite::Statement find_signing_key_{connection_,
                                      "SELECT signing_key FROM berglite_signing_key WHERE id = 1"};

  sqlite::Statement insert_{connection_, R"(
    INSERT INTO berglite_principals (name, secret_hash, generation, read_only, created_ms)
    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING)"};
  sqlite::Statement set_secret_{connection_, R"(
    UPDATE berglite_principals SET secret_hash = ?2, generation = ?3 WHERE name = ?1)"};
  sqlite::Statement delete_{connection_, "DELETE FROM berglite_principals WHERE name = ?1"};
  sqlite::Statement insert_signing_key_{connection_, R"(
    INSERT INTO berglite_signing_key (id, signing_key) VALUES (1, ?1) ON CONFLICT DO NOTHING)"};
};

}  // namespace berglite::store
