// Locations: URIs and paths as they stand in metadata, and the local paths they mean.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <string_view>

#include "berglite/result.h"

namespace berglite::storage {

// The absolute local path that a location means: `file:///a`, `file:/a`, `file://localhost/a` and
// `/a` all mean `/a`. Percent signs are taken as they are (nearly all clients do). The path has no
// empty or `.` segments and no final slash. Errors: kInvalidArgument, naming the location: another
// scheme, `file://host/...`, a relative path, a `..` segment, a NUL.
Result<std::string> LocalPathOf(std::string_view location);

// The path that a location leads to once all links and `..` are followed; of what does not exist,
// as far as it does. Takes any spelling of a `file:` URI or path. Another scheme: the location.
std::string RealPathOfLocation(std::string_view location);

// `file:///...` for an absolute local path.
std::string UriOf(std::string_view path);

// As LocalPathOf, but a relative path is taken from the current directory. For what the operator
// configures.
Result<std::string> ResolveConfiguredPath(std::string_view location);

}  // namespace berglite::storage
