// Terms: what partition and sort fields have in common, a column and what is made of its value.
//
// Rules: the Iceberg table specification, "Partition Transforms".
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/schema.h"

namespace berglite::metadata {

struct Term {
  int32_t source_id = 0;
  // Canonical (CanonicalTransform).
  std::string transform;

  bool operator==(const Term&) const = default;
};

// A transform of the specification in its own spelling (`Bucket[016]` is `bucket[16]`: Iceberg's
// readers do not mind case); any other text as it is.
std::string CanonicalTransform(std::string_view transform);

// Whether a transform is one of the specification's and, if so, applies to that primitive type.
// Unknown transform names are kept and apply to everything. Errors: kValidation.
Status CheckTransform(const std::string& transform, const Field& source);

// The source column of a partition or sort field: `source-id`, or a `source-ids` of one. Errors:
// kInvalidArgument.
Result<int32_t> SourceIdOf(const Json& field);

// The members of a partition or sort field that make up its term. Errors: kInvalidArgument.
Result<Term> ReadTerm(const Json& field);

// Writes them in the form that every reader knows: `source-id` and a canonical `transform`.
void WriteTerm(const Term& term, Json& field);

// The term over the column of `to` that has the full name of its source in `from`; nullopt where
// either has none.
std::optional<Term> CarryOver(const Term& term, const Schema& from, const Schema& to);

// For messages, as Iceberg writes it: `bucket[16](3)`.
std::string TermText(const Term& term);

}  // namespace berglite::metadata
