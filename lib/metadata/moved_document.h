// The metadata of tables, views and functions whose files are somewhere else than before.
//
// Threads: functions without state.
#pragma once

#include <functional>
#include <string>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::metadata {

// What a location becomes. It is also asked for texts that are none, such as the values of
// properties, and returns what it does not know as it is.
using LocationMap = std::function<std::string(const std::string&)>;

// `document` with the mapped locations: its own; those of manifest lists, manifests, statistics and
// earlier metadata files; and the values of properties that are locations. Members that are not as
// expected stay as they are.
Json WithLocations(Json document, const LocationMap& map);

// The next metadata of a table or view whose files are elsewhere. `location` is where the metadata
// file of `table` is now, for the metadata log. Errors: kValidation.
Result<TableMetadata> MovedTable(const TableMetadata& table, const std::string& location,
                                 const LocationMap& map, Environment& environment);
Result<ViewMetadata> MovedView(const ViewMetadata& view, const LocationMap& map);

}  // namespace berglite::metadata
