// UUIDs of tables and of metadata file names (RFC 4122).
#pragma once

#include <string>
#include <string_view>

#include "lib/base/environment.h"

namespace berglite {

// A random (version 4) UUID in its canonical lower-case form of 36 characters.
std::string NewUuid(Environment& environment);

// Whether `text` is a UUID in the canonical form of 36 characters, in either case.
bool IsUuid(std::string_view text);

}  // namespace berglite
