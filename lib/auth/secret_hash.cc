#include "lib/auth/secret_hash.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "lib/auth/crypto.h"

namespace berglite::auth {
namespace {

constexpr std::string_view kFunction = "scrypt";
// 16 MiB and some 50 ms. A secret has 256 random bits, so that no cost at all would have to make up
// for a weak one; this is what RFC 7914 was written with in mind for interactive use.
constexpr ScryptCost kCost{.log2_n = 14, .r = 8, .p = 1};
constexpr size_t kFieldCount = 6;
using Fields = std::array<std::string_view, kFieldCount>;

std::string ToText(const ScryptCost& cost, std::string_view salt, std::string_view hash) {
  std::string text(kFunction);
  for (int value : {cost.log2_n, cost.r, cost.p}) text += "$" + std::to_string(value);
  text += "$" + ToBase64Url(salt);
  text += "$" + ToBase64Url(hash);
  return text;
}

std::optional<Fields> SplitFields(std::string_view text) {
  Fields fields;
  for (size_t i = 0; i < kFieldCount; ++i) {
    size_t end = std::min(text.find('$'), text.size());
    bool is_last = i + 1 == kFieldCount;
    if (is_last != (end == text.size())) return std::nullopt;
    fields[i] = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

// 0, which no cost is, where the text is no number.
int ToNumber(std::string_view text) {
  int value = 0;
  auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && stop == text.data() + text.size() ? value : 0;
}

}  // namespace

std::string HashSecret(std::string_view secret, Environment& environment) {
  std::string salt = RandomKey(environment);
  std::optional<std::string> hash = Scrypt(secret, salt, kCost);
  // For want of memory alone.
  if (!hash) std::abort();
  return ToText(kCost, salt, *hash);
}

bool MatchesSecret(std::string_view stored, std::string_view secret) {
  std::optional<Fields> fields = SplitFields(stored);
  if (!fields || (*fields)[0] != kFunction) return false;
  ScryptCost cost{ToNumber((*fields)[1]), ToNumber((*fields)[2]), ToNumber((*fields)[3])};
  std::optional<std::string> salt = FromBase64Url((*fields)[4]);
  std::optional<std::string> expected = FromBase64Url((*fields)[5]);
  if (!salt || !expected) return false;
  std::optional<std::string> hash = Scrypt(secret, *salt, cost);
  return hash && EqualInConstantTime(*hash, *expected);
}

std::string HashOfNothing() { return ToText(kCost, "no salt", {}); }

}  // namespace berglite::auth
