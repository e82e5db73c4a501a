#include "shim/rest/authorization.h"

#include <cstdint>
#include <utility>

namespace berglite::rest {

namespace {

constexpr std::string_view kRealm = R"(realm="berglite")";

// What follows the name of the scheme; nullopt for another scheme.
std::optional<std::string_view> FindCredentials(const HttpRequest& request,
                                                std::string_view scheme) {
  const std::string* header = request.FindHeader("Authorization");
  if (header == nullptr) return std::nullopt;
  std::string_view value = TrimSpace(*header);
  size_t end = value.find(' ');
  if (!EqualsIgnoringCase(value.substr(0, end), scheme)) return std::nullopt;
  return end == std::string_view::npos ? std::string_view() : TrimSpace(value.substr(end));
}

// The six bits of a character; -1 where it is none of the alphabet.
int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int bit_count = 0;
  for (char c : text) {
    int value = Base64Value(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xFFFF;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes += static_cast<char>(bits >> bit_count & 0xFF);
  }
  return bytes;
}

std::optional<std::string_view> FindBearerToken(const HttpRequest& request) {
  return FindCredentials(request, "Bearer");
}

Result<std::optional<BasicCredentials>> FindBasicCredentials(const HttpRequest& request) {
  std::optional<std::string_view> encoded = FindCredentials(request, "Basic");
  if (!encoded) return std::optional<BasicCredentials>();
  std::optional<std::string> text = DecodeBase64(*encoded);
  size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) {
    return Error{ErrorKind::kNotAuthorized, "Expected the base64 of id:secret behind Basic"};
  }
  return std::optional(BasicCredentials{text->substr(0, colon), text->substr(colon + 1)});
}

void ChallengeBearer(HttpReply& reply, std::string_view error) {
  std::string challenge = "Bearer " + std::string(kRealm);
  if (!error.empty()) challenge += ", error=\"" + std::string(error) + "\"";
  reply.headers.emplace_back("WWW-Authenticate", std::move(challenge));
}

void ChallengeBasic(HttpReply& reply) {
  reply.headers.emplace_back("WWW-Authenticate", "Basic " + std::string(kRealm));
}

}  // namespace berglite::rest
