// Sort orders: binding to a schema and equality.
//
// Rules: the Iceberg table specification, "Sorting".
#pragma once

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/schema.h"

namespace berglite::metadata {

// Checks the members of every field, its source in `schema` (`Cannot find source column for sort
// field: ...`) and its transform, and that order-id 0 and no fields go together (`Unsorted order ID
// must be 0`, `Sort order ID 0 is reserved for unsorted order`). An absent order-id is no error.
// Errors: kInvalidArgument where it cannot be read, kValidation otherwise.
Status CheckSortOrder(const Json& order, const Schema& schema);

// The order of a create request rebuilt over the freshly numbered schema, sources by full name,
// order-id 1, or 0 without fields. `requested` is the schema as sent.
Result<Json> RebuildSortOrder(const Json& order, const Schema& requested, const Schema& fresh);

// Whether both have the same fields in the same order (source, transform, direction, null order).
bool SameSortOrder(const Json& a, const Json& b);

}  // namespace berglite::metadata
