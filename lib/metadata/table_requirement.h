// The 8 table requirements of the REST specification.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"

namespace berglite::metadata {

// The types that are understood, as the specification spells them.
std::vector<std::string> TableRequirementTypes();

// Whether `requirements` (an array) ask for the table to be created by this commit. Errors:
// kInvalidArgument for a requirement of unknown type or one that cannot be read, and `Invalid
// create requirements: [...]` where assert-create stands beside others.
Result<bool> AssertsCreate(const Json& requirements);

// Checks `requirements` in order against the current metadata. Errors: kCommitFailed with Iceberg's
// text for the first one that does not hold; kInvalidArgument as above; kValidation for a
// requirement on views.
Status CheckTableRequirements(const Json& requirements, const TableMetadata& current);

}  // namespace berglite::metadata
