// Small helpers for ASCII text: names of actions, values of properties, locations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berglite::metadata {

std::string AsciiLower(std::string_view text);

// The integer that `text` is, all of it; nullopt where it is none or does not fit.
std::optional<int32_t> ParseInt32(std::string_view text);

// `location` without the slashes at its end; those of `scheme://` stay.
std::string WithoutTrailingSlashes(std::string_view location);

}  // namespace berglite::metadata
