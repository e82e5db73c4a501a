// Primitive types, which documents carry as text, and default values, which documents carry as
// single-value JSON.
//
// Rules: the Iceberg table specification, "Primitive Types", "Default values" and "JSON
// single-value serialization".
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berglite/result.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// The one spelling of a primitive type that all its spellings share: `decimal(9, 2)` for
// `decimal(9,2)`, `geometry` for `geometry(OGC:CRS84)`. Errors: kInvalidArgument naming the text.
Result<std::string> CanonicalType(std::string_view text);

// A canonical type without its parameters: `decimal`.
std::string_view TypeName(std::string_view canonical);

// The first format version that knows a canonical type.
int32_t FormatVersionOfType(std::string_view canonical);

// Checks an initial-default or write-default (`key`) of the column `name`. `type` is a checked type
// as it stands in a document. Errors: kValidation.
Status CheckDefault(const Json& type, const Json& value, std::string_view key,
                    std::string_view name);

}  // namespace berglite::metadata
