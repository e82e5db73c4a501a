// Snapshots and the references to them: what can be read, whatever the table.
//
// Threads: functions without state.
#pragma once

#include <string>

#include "berglite/result.h"
#include "lib/base/json.h"

namespace berglite::metadata {

inline constexpr char kMainBranch[] = "main";
inline constexpr char kBranch[] = "branch";
inline constexpr char kTag[] = "tag";

// Checks the members of a snapshot as a table of any version may hold it. Errors: kInvalidArgument.
Status CheckSnapshot(const Json& snapshot);

// The reference in `json`, a member of `refs` or a set-snapshot-ref update: its known members
// alone, the type in lower case. Errors: kInvalidArgument where it cannot be read or retains what
// its type has not.
Result<Json> ReadSnapshotRef(const Json& json);

// Checks the members of a statistics file, or of a partition statistics file. Errors:
// kInvalidArgument.
Status CheckStatisticsFile(const Json& file);
Status CheckPartitionStatisticsFile(const Json& file);

}  // namespace berglite::metadata
