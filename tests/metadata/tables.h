// Tables and updates for the tests of table metadata.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/table_update.h"
#include "tests/support/fake_environment.h"
#include "tests/support/matchers.h"

namespace berglite::metadata {

inline constexpr char kBaseLocation[] = "file:///w/ns/t/metadata/00000-base.metadata.json";
// When the base was written; FakeEnvironment's clock stands a while later.
inline constexpr int64_t kBaseUpdatedMs = 1'600'000'000'000;
inline constexpr int64_t kNowMs = 1'700'000'000'000;

// A table of columns id and data, unpartitioned and unsorted, without snapshots.
inline Json BaseJson(int version = 2) {
  Json table = Json::parse(R"({
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "file:///w/ns/t",
    "last-updated-ms": 1600000000000,
    "last-column-id": 2,
    "properties": {"owner": "ada"},
    "schemas": [{"type": "struct", "schema-id": 0, "fields": [
      {"id": 1, "name": "id", "required": true, "type": "long"},
      {"id": 2, "name": "data", "required": false, "type": "string"}]}],
    "current-schema-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "default-spec-id": 0,
    "last-partition-id": 999,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "default-sort-order-id": 0,
    "snapshots": [], "refs": {}, "snapshot-log": [], "metadata-log": [],
    "statistics": [], "partition-statistics": []
  })");
  table["format-version"] = version;
  if (version >= 2) table["last-sequence-number"] = 0;
  if (version >= 3) table["next-row-id"] = 0;
  return table;
}

// A document of version 1 as it was first specified.
inline Json Version1Json() {
  return Json::parse(R"({
    "format-version": 1,
    "location": "file:///w/ns/t/",
    "last-updated-ms": 1600000000000,
    "last-column-id": 2,
    "schema": {"type": "struct", "fields": [
      {"id": 1, "name": "id", "required": true, "type": "long"},
      {"id": 2, "name": "data", "required": false, "type": "string"}]},
    "partition-spec": [{"name": "id_bucket", "transform": "bucket[4]", "source-id": 1}],
    "properties": {},
    "current-snapshot-id": 7,
    "snapshots": [{"snapshot-id": 7, "timestamp-ms": 1599999999000,
                   "manifests": ["file:///w/ns/t/metadata/m.avro"]}]
  })");
}

inline Json Snapshot(int64_t id, int64_t sequence, int64_t timestamp_ms = kNowMs) {
  Json snapshot = Json::parse(R"({"summary": {"operation": "append"}, "schema-id": 0})");
  snapshot["snapshot-id"] = id;
  snapshot["sequence-number"] = sequence;
  snapshot["timestamp-ms"] = timestamp_ms;
  snapshot["manifest-list"] = "file:///w/ns/t/metadata/snap-" + std::to_string(id) + ".avro";
  return snapshot;
}

inline Json AddSnapshot(Json snapshot) {
  return {{"action", "add-snapshot"}, {"snapshot", std::move(snapshot)}};
}

inline Json SetRef(const std::string& name, int64_t id, const std::string& type = "branch") {
  return {{"action", "set-snapshot-ref"}, {"ref-name", name}, {"snapshot-id", id}, {"type", type}};
}

inline Json RemoveSnapshots(Json ids) {
  return {{"action", "remove-snapshots"}, {"snapshot-ids", std::move(ids)}};
}

inline Json SetProperty(const std::string& key, const std::string& value) {
  return {{"action", "set-properties"}, {"updates", {{key, value}}}};
}

// A version 2 table with snapshots 1, 2 and 3, each of which has been main; 2 is tagged `old`.
inline Json SnapshotsJson() {
  Json table = BaseJson();
  for (int64_t id : {1, 2, 3}) {
    int64_t timestamp_ms = kBaseUpdatedMs - 3000 + 1000 * id;
    table["snapshots"].push_back(Snapshot(id, id, timestamp_ms));
    table["snapshot-log"].push_back({{"timestamp-ms", timestamp_ms}, {"snapshot-id", id}});
  }
  table["last-sequence-number"] = 3;
  table["current-snapshot-id"] = 3;
  table["refs"]["main"] = {{"snapshot-id", 3}, {"type", "branch"}};
  table["refs"]["old"] = {{"snapshot-id", 2}, {"type", "tag"}};
  return table;
}

inline Result<TableMetadata> Parse(const Json& table) {
  return TableMetadata::Parse(DocumentAccess::FromDom(table));
}

// The table of a document that is known to be good.
inline TableMetadata Table(const Json& table) {
  Result<TableMetadata> parsed = Parse(table);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    std::abort();
  }
  return *parsed;
}

inline Result<std::optional<TableMetadata>> Apply(const Json& base, const Json& updates) {
  testing::FakeEnvironment environment;
  return ApplyTableUpdates(Table(base), kBaseLocation, updates, environment);
}

// The document after updates that are known to be good and to change something.
inline Json Applied(const Json& base, const Json& updates) {
  Result<std::optional<TableMetadata>> next = Apply(base, updates);
  if (!next || !next->has_value()) {
    ADD_FAILURE() << (next ? "no change" : next.error().message);
    return Json();
  }
  return (*next)->json();
}

// Whether updates are accepted and change nothing.
inline bool ChangesNothing(const Json& base, const Json& updates) {
  Result<std::optional<TableMetadata>> next = Apply(base, updates);
  if (!next) ADD_FAILURE() << next.error().message;
  return next.has_value() && !next->has_value();
}

}  // namespace berglite::metadata
