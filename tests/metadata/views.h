// Views and updates for the tests of view metadata.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "lib/base/json.h"
#include "lib/metadata/view_metadata.h"
#include "lib/metadata/view_update.h"
#include "tests/support/fake_environment.h"
#include "tests/support/matchers.h"

namespace berglite::metadata {

inline Json Query(const std::string& sql, const std::string& dialect = "spark") {
  return {{"type", "sql"}, {"sql", sql}, {"dialect", dialect}};
}

// A version of id 1 with schema 0 and one query.
inline Json Version(const std::string& sql) {
  return {{"version-id", 1},
          {"timestamp-ms", 1'600'000'000'000},
          {"schema-id", 0},
          {"summary", {{"engine", "test"}}},
          {"default-namespace", {"ns"}},
          {"representations", Json::array({Query(sql)})}};
}

// A schema with one column, whose id is 3.
inline Json ViewSchema(const std::string& column = "id") {
  Json field = {{"id", 3}, {"name", column}, {"type", "long"}, {"required", false}};
  return {{"type", "struct"}, {"schema-id", 7}, {"fields", Json::array({field})}};
}

inline Json ViewRequest() {
  return {{"name", "v"},
          {"schema", ViewSchema()},
          {"view-version", Version("select 1")},
          {"properties", {{"owner", "ada"}}}};
}

inline ViewMetadata View(const Json& json) {
  Result<ViewMetadata> view = ViewMetadata::Parse(DocumentAccess::FromDom(json));
  if (!view) {
    ADD_FAILURE() << view.error().message;
    std::abort();
  }
  return *std::move(view);
}

// The view of ViewRequest: version 1, schema 0.
inline Json ViewJson() {
  testing::FakeEnvironment environment;
  return NewViewMetadata(ViewRequest(), "file:///w/ns/v", environment)->json();
}

inline Json AddVersion(Json version) {
  return {{"action", "add-view-version"}, {"view-version", std::move(version)}};
}

inline Json SetVersion(int id) {
  return {{"action", "set-current-view-version"}, {"view-version-id", id}};
}

inline Json SetViewProperty(const std::string& key, const std::string& value) {
  return {{"action", "set-properties"}, {"updates", {{key, value}}}};
}

inline Result<std::optional<ViewMetadata>> TryUpdate(const Json& view, const Json& updates) {
  testing::FakeEnvironment environment;
  return ApplyViewUpdates(View(view), updates, environment);
}

// The view after `updates`, which change it.
inline Json Updated(const Json& view, const Json& updates) {
  Result<std::optional<ViewMetadata>> next = TryUpdate(view, updates);
  EXPECT_THAT(next, testing::IsOk());
  if (!next || !*next) {
    ADD_FAILURE() << "nothing changed: " << updates;
    return view;
  }
  return (*next)->json();
}

}  // namespace berglite::metadata
