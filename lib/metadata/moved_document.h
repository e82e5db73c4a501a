// The metadata of tables, views and functions whose files are somewhere else than before.
//
// Threads: functions without state.
#pragma once

#include <cstdint>
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

// The next metadata of a table whose document with the mapped locations is `moved`. For the
// metadata log: when it was last updated, and where its metadata file is now. Errors: kValidation.
Result<TableMetadata> MovedTable(Json moved, int64_t last_updated_ms, const std::string& location,
                                 Environment& environment);
// The next metadata of a view. Errors: kValidation.
Result<ViewMetadata> MovedView(const ViewMetadata& view, const LocationMap& map);

}  // namespace berglite::metadata
