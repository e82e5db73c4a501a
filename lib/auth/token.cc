#include "lib/auth/token.h"

#include <optional>

#include "lib/auth/crypto.h"
#include "lib/base/json.h"

namespace berglite::auth {
namespace {

constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";
constexpr std::string_view kIssuer = "berglite";
constexpr int64_t kMsPerSecond = 1000;

// Names of RFC 7519, 4.1, and one of ours.
constexpr const char* kIssuerClaim = "iss";
constexpr const char* kNameClaim = "sub";
constexpr const char* kGenerationClaim = "gen";
constexpr const char* kIssuedClaim = "iat";
constexpr const char* kExpiresClaim = "exp";

Error NoToken() { return {ErrorKind::kNotAuthorized, "The token is not one of this catalog"}; }

Result<TokenClaims> ReadClaims(const Json& payload) {
  TokenClaims claims;
  BERGLITE_ASSIGN_OR_RETURN(claims.name, GetString(payload, kNameClaim));
  BERGLITE_ASSIGN_OR_RETURN(claims.generation, GetString(payload, kGenerationClaim));
  BERGLITE_ASSIGN_OR_RETURN(int64_t issued_s, GetInt64(payload, kIssuedClaim));
  BERGLITE_ASSIGN_OR_RETURN(int64_t expires_s, GetInt64(payload, kExpiresClaim));
  claims.issued_ms = issued_s * kMsPerSecond;
  claims.expires_ms = expires_s * kMsPerSecond;
  return claims;
}

}  // namespace

std::string SignToken(const TokenClaims& claims, std::string_view key) {
  Json payload = {{kIssuerClaim, kIssuer},
                  {kNameClaim, claims.name},
                  {kGenerationClaim, claims.generation},
                  {kIssuedClaim, claims.issued_ms / kMsPerSecond},
                  {kExpiresClaim, claims.expires_ms / kMsPerSecond}};
  std::string token = ToBase64Url(kHeader) + "." + ToBase64Url(payload.dump());
  std::string signature = ToBase64Url(HmacSha256(key, token));
  return token + "." + signature;
}

Result<TokenClaims> ReadToken(std::string_view token, std::string_view key) {
  const std::string head = ToBase64Url(kHeader) + ".";
  size_t signature_dot = token.rfind('.');
  if (!token.starts_with(head) || signature_dot < head.size()) return NoToken();
  std::string_view content = token.substr(0, signature_dot);
  std::string_view signature = token.substr(signature_dot + 1);
  if (!EqualInConstantTime(ToBase64Url(HmacSha256(key, content)), signature)) return NoToken();
  // From here on the text is our own.
  std::optional<std::string> payload = FromBase64Url(content.substr(head.size()));
  Result<Document> document = Document::Parse(payload.value_or(""));
  if (!document) return NoToken();
  Result<TokenClaims> claims = ReadClaims(DocumentAccess::Dom(*document));
  if (!claims) return NoToken();
  return claims;
}

}  // namespace berglite::auth
