#include "shim/rest/http.h"

#include <algorithm>

namespace berglite::rest {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return AsciiLower(x) == AsciiLower(y); });
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

const std::string* HttpRequest::FindHeader(std::string_view name) const {
  auto header = std::find_if(headers.begin(), headers.end(), [name](const auto& candidate) {
    return EqualsIgnoringCase(candidate.first, name);
  });
  return header == headers.end() ? nullptr : &header->second;
}

}  // namespace berglite::rest
