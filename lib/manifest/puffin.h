// Puffin files (Iceberg's Puffin specification) with deletion vectors, whose footer names the data
// files that they are for.
//
// Threads: functions without state.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "berglite/result.h"

namespace berglite::manifest {

// `bytes`, those of the Puffin file at `location`, with what `map` makes of each data file that a
// blob is for; nullopt where that changes nothing. The blobs stay where they are, as manifests tell
// their offsets. Errors: kValidation `Cannot read Puffin file <location>: ...` for a file that is
// damaged or has a compressed footer.
Result<std::optional<std::string>> RewritePuffin(
    const std::string& location, std::string bytes,
    const std::function<std::string(const std::string&)>& map);

}  // namespace berglite::manifest
