#include "tests/crash/stored.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include <sqlite3.h>

#include "tests/crash/writer.h"

namespace berglite::crash {
namespace {

using nlohmann::json;

std::string PathOf(const std::string& location) {
  constexpr std::string_view kScheme = "file://";
  if (!location.starts_with(kScheme)) throw Wrong("no file: " + location);
  return location.substr(kScheme.size());
}

using Rows = std::vector<std::vector<std::string>>;

Rows Query(sqlite3* db, const std::string& sql) {
  Rows rows;
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      row.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, i)));
    }
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) throw Wrong(sql + ": " + sqlite3_errmsg(db));
  return rows;
}

}  // namespace

std::map<std::string, std::map<std::string, std::string>> Stored::ReadPointers() const {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(raw, sqlite3_close);
  if (code != SQLITE_OK) throw Wrong("the file does not open: " + file_);
  sqlite3_busy_timeout(raw, 10'000);
  const Rows sound = Query(raw, "PRAGMA integrity_check");
  if (sound != Rows{{"ok"}}) throw Wrong("integrity_check: " + sound.at(0).at(0));
  std::map<std::string, std::map<std::string, std::string>> pointers;
  for (const auto& row :
       Query(raw, "SELECT table_namespace, table_name, metadata_location FROM iceberg_tables")) {
    if (!std::filesystem::exists(PathOf(row[2]))) {
      throw Wrong(row[0] + "." + row[1] + " points to nothing: " + row[2]);
    }
    pointers[row[0]][row[1]] = row[2];
  }
  return pointers;
}

json Stored::ReadMetadata(const std::string& location) {
  std::ifstream file(PathOf(location), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Wrong("cannot read " + location);
  json metadata = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!metadata.is_object()) throw Wrong("no metadata, but '" + text + "' in " + location);
  return metadata;
}

History Stored::ReadHistory(const json& metadata, const std::string& location) {
  History history;
  for (const json& entry : metadata.value("metadata-log", json::array())) {
    history.versions.push_back(ReadVersion(entry["metadata-file"], history.versions.size()));
  }
  history.versions.push_back(ReadVersion(location, history.versions.size()));
  for (const json& snapshot : metadata.value("snapshots", json::array())) {
    history.snapshots.push_back(snapshot["snapshot-id"]);
  }
  return history;
}

Version Stored::ReadVersion(const std::string& location, size_t number) {
  const std::string name = location.substr(location.rfind('/') + 1);
  if (std::stoul(name) != number) {
    throw Wrong("expected version " + std::to_string(number) + ", found " + location);
  }
  const auto known = ids_.find(location);
  if (known == ids_.end()) {
    const json metadata = ReadMetadata(location);
    const std::string last = metadata.value("properties", json::object()).value("last", "0");
    ids_[location] = std::stoull(last);
  } else if (!std::filesystem::exists(PathOf(location))) {
    throw Wrong("gone: " + location);
  }
  return {.id = ids_[location], .location = location};
}

void Stored::Prune(const History& history) {
  for (size_t i = 0; i + 1 < history.versions.size(); ++i) {
    std::filesystem::remove(PathOf(history.versions[i].location));
    ids_.erase(history.versions[i].location);
  }
}

}  // namespace berglite::crash
