#include "lib/metadata/text.h"

#include <algorithm>
#include <charconv>

namespace berglite::metadata {

std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

std::optional<int32_t> ParseInt32(std::string_view text) {
  int32_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string WithoutTrailingSlashes(std::string_view location) {
  while (location.ends_with('/') && !location.ends_with("://")) location.remove_suffix(1);
  return std::string(location);
}

}  // namespace berglite::metadata
