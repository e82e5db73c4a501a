// The versions of a view: what one must hold, and which are the same.
//
// Rules: the Iceberg view specification, "Versions" and "SQL representation".
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// Checks a version that a client brings: its members but for ids and time, queries in SQL alone,
// one for each dialect. Errors: kInvalidArgument.
Status CheckNewVersion(const Json& version);

// Checks a version of a stored document for what the rules read of it; a representation of a kind
// that is not known is kept as it stands. Errors: kInvalidArgument.
Status CheckStoredVersion(const Json& version);

// The dialects of a checked version, in lower case and in its order.
std::vector<std::string> DialectsOf(const Json& version);

// Whether two checked versions say the same, whatever their ids and times.
bool SameVersion(const Json& a, const Json& b);

}  // namespace berglite::metadata
