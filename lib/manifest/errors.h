// The error of a file that is not as Avro or Iceberg have it.
#pragma once

#include <string>
#include <utility>

#include "berglite/result.h"

namespace berglite::manifest {

// `why` completes `Cannot read manifest <location>: `, which is put before it where the location is
// known.
inline Error Damaged(std::string why) { return Error{ErrorKind::kValidation, std::move(why)}; }

}  // namespace berglite::manifest
