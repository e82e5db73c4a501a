// The router: which operation a request target names. It works on the raw target: the path is split
// at `/` first and its segments are decoded later, so that an encoded `/` stays part of a name.
//
// Tolerated: the absolute form (`http://host/path`), one `/` at the end, several at the beginning.
//
// The prefix: every path is served bare (`/v1/namespaces`) and with one segment before it
// (`/v1/{prefix}/namespaces`). A path that fits both readings is bare: `/v1/namespaces/namespaces`
// is the namespace `namespaces`, never the list of a catalog of that name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shim/rest/operations.h"

namespace berglite::rest {

// Views into the target.
struct TargetParts {
  std::string_view path;
  std::string_view query;  // without `?`
};
TargetParts SplitTarget(std::string_view target);

struct Route {
  // Null where the path is unknown or does not take the method.
  const Operation* operation = nullptr;
  // The methods that the path takes, as in the Allow header; empty where the path is unknown.
  std::string allow;
  // Segments of the path, not decoded. Views into it.
  std::optional<std::string_view> prefix;
  std::optional<std::string_view> name_space;
  std::optional<std::string_view> name;  // of a table, view or function
};
Route FindRoute(std::string_view method, std::string_view path);

}  // namespace berglite::rest
