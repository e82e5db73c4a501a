// Partition specs: binding to a schema, field ids, equality.
//
// Rules: the Iceberg table specification, "Partitioning".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/schema.h"
#include "lib/metadata/transform.h"

namespace berglite::metadata {

// Partition field ids begin here; 999 is "none assigned yet".
inline constexpr int32_t kPartitionFieldIdFirst = 1000;

// Checks that every source of `spec` is in `schema` and that its transform applies there, that
// names are unique and not those of columns (save for an identity of that column). Errors:
// kInvalidArgument where it cannot be read, kValidation otherwise (`Cannot find source column for
// partition field: ...`).
Status CheckPartitionSpec(const Json& spec, const Schema& schema);

// The spec of an add-spec update made whole: checked against `schema`, with a field-id on every
// field. Where the request has none, the id of the same (source-id, transform) in `existing_specs`
// (an array of specs) is taken, otherwise the next after `last_partition_id`. In a format version 1
// table ids must be 1000, 1001, ... in order. The result has `spec-id` as requested, or 0. Errors:
// as above; `Cannot parse spec with missing field IDs: ...` where some fields have one and some
// not.
Result<Json> BindPartitionSpec(const Json& spec, const Schema& schema, const Json& existing_specs,
                               int32_t last_partition_id, int32_t format_version);

// The spec of a create request rebuilt over the freshly numbered schema: sources are carried over
// by full name, field ids count from 1000, spec-id is 0. `requested` is the schema as sent.
Result<Json> RebuildPartitionSpec(const Json& spec, const Schema& requested, const Schema& fresh,
                                  int32_t format_version);

// Whether both have the same (source-id, transform, name) in the same order; ids do not count.
bool SamePartitionSpec(const Json& a, const Json& b);

// The highest field-id; 999 for an unpartitioned spec.
int32_t HighestPartitionFieldId(const Json& spec);

}  // namespace berglite::metadata
