// Tokens: what a principal shows instead of its secret for an hour.
//
// A token is a JSON Web Token in compact form (RFC 7519, RFC 7515), signed with HMAC-SHA256, so
// that people can look into one. Of what that standard allows exactly the form that is made here is
// taken: the header is compared as a text, so no other algorithm, and no `none`, is ever looked at.
//
// Threads: the functions keep nothing and may be called from any thread at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berglite/result.h"

namespace berglite::auth {

struct TokenClaims {
  std::string name;  // of the principal
  std::string generation;
  int64_t issued_ms = 0;
  int64_t expires_ms = 0;
  friend bool operator==(const TokenClaims&, const TokenClaims&) = default;
};

// Times are kept in seconds, rounded down.
std::string SignToken(const TokenClaims& claims, std::string_view key);

// The claims of a token that was signed with `key`, be they still true or not. Errors:
// kNotAuthorized.
Result<TokenClaims> ReadToken(std::string_view token, std::string_view key);

}  // namespace berglite::auth
