// The requirements of the REST specification: 8 on tables and 1 on views.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::metadata {

// The types that are understood of tables, as the specification spells them.
std::vector<std::string> TableRequirementTypes();

// Whether `requirements` (an array) ask for the table to be created by this commit. Errors:
// kInvalidArgument for a requirement of unknown type or one that cannot be read, and `Invalid
// create requirements: [...]` where assert-create stands beside others.
Result<bool> AssertsCreate(const Json& requirements);

// Checks `requirements` in order against the current metadata. Errors: kCommitFailed with Iceberg's
// text for the first one that does not hold; kInvalidArgument as above; kValidation for a
// requirement on views.
Status CheckTableRequirements(const Json& requirements, const TableMetadata& current);

// The same for a view. Errors: kValidation for a requirement on tables.
Status CheckViewRequirements(const Json& requirements, const ViewMetadata& current);

}  // namespace berglite::metadata
