#include "lib/catalog/page.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/limits.h"

namespace berglite::catalog {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Before the name in a token: lets garbage be told from a token, and the form be changed one day.
constexpr std::string_view kPrefix = "berglite1:";

// Base64 with the URL alphabet and without padding (RFC 4648, section 5).
std::string Encode(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6;) {
      count -= 6;
      text += kAlphabet[(bits >> count) & 0x3F];
    }
  }
  if (count > 0) text += kAlphabet[(bits << (6 - count)) & 0x3F];
  return text;
}

std::optional<std::string> Decode(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xFF);
    }
  }
  return bytes;
}

}  // namespace

Result<PageRequest> ParsePage(const ListOptions& options) {
  if (options.page_size && *options.page_size < 1) {
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid page size: expected a positive number, found " +
                     std::to_string(*options.page_size)};
  }
  PageRequest page;
  if (!options.page_token) return page;
  page.size = static_cast<size_t>(
      std::min(options.page_size.value_or(limits::kPageSizeMax), limits::kPageSizeMax));
  if (options.page_token->empty()) return page;
  std::optional<std::string> bytes = Decode(*options.page_token);
  if (!bytes || !bytes->starts_with(kPrefix)) {
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid page token: expected the next-page-token of an earlier page"};
  }
  page.after = bytes->substr(kPrefix.size());
  return page;
}

std::optional<std::string> CutToPage(const PageRequest& page, std::vector<std::string>& names) {
  if (page.size == 0 || names.size() <= page.size) return std::nullopt;
  names.resize(page.size);
  return Encode(std::string(kPrefix) + names.back());
}

}  // namespace berglite::catalog
