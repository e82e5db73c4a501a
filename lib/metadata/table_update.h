// The 23 table updates of the REST specification, applied to a table metadata document.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"

namespace berglite::metadata {

// The actions that are understood, as the specification spells them.
std::vector<std::string> TableUpdateActions();

// Applies `updates` (the array of a CommitTableRequest) in order to `base`, which is stored at
// `base_location`, and checks the result. nullopt: the updates change nothing. Errors:
// kInvalidArgument for an unknown action or an update that cannot be read, kValidation for one that
// breaks a rule, kCommitFailed for one that is only out of date (sequence number, first row id).
// `base` is never changed; but where it is the only copy, its parsed form becomes the result's.
Result<std::optional<TableMetadata>> ApplyTableUpdates(TableMetadata base,
                                                       const std::string& base_location,
                                                       const Json& updates,
                                                       Environment& environment);

// The same on nothing, for a commit that creates a table (`assert-create`). Ids stay as sent.
Result<TableMetadata> CreateFromUpdates(const Json& updates, Environment& environment);

}  // namespace berglite::metadata
