// The Authorization header and the challenge that asks for one (RFC 7235).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berglite/result.h"
#include "shim/rest/http.h"

namespace berglite::rest {

struct BasicCredentials {
  std::string id;
  std::string secret;
};

// The credentials of an Authorization header; nullopt where there is none of that scheme. Errors:
// kNotAuthorized for Basic credentials that cannot be read (RFC 7617).
std::optional<std::string_view> FindBearerToken(const HttpRequest& request);
Result<std::optional<BasicCredentials>> FindBasicCredentials(const HttpRequest& request);

// The bytes of base64 text with its padding (RFC 4648, 4); nullopt for text that is none.
std::optional<std::string> DecodeBase64(std::string_view text);

// Adds WWW-Authenticate with the challenge of RFC 6750, 3. `error` is one of its codes, or empty
// where the request had no credentials.
void ChallengeBearer(HttpReply& reply, std::string_view error);
// A browser shows a dialog for this one, so only the token endpoint, which has no pages, sends it.
void ChallengeBasic(HttpReply& reply);

}  // namespace berglite::rest
