// Answers of getToken: flat objects (RFC 6749, 5), not the error model.
#pragma once

#include <string_view>

#include "berglite/result.h"
#include "shim/rest/http.h"

namespace berglite::rest {

inline constexpr std::string_view kClientCredentials = "client_credentials";
inline constexpr std::string_view kRefreshToken = "refresh_token";
inline constexpr std::string_view kTokenExchange =
    "urn:ietf:params:oauth:grant-type:token-exchange";

// Codes of RFC 6749, 5.2.
inline constexpr std::string_view kInvalidClient = "invalid_client";
inline constexpr std::string_view kInvalidRequest = "invalid_request";

inline constexpr std::string_view kAccessTokenType =
    "urn:ietf:params:oauth:token-type:access_token";

// A bearer token that is good for kTokenLifetime.
HttpReply TokenReply(std::string_view access_token);

// `code` is one of RFC 6749, 5.2, which are also those of the specification.
HttpReply TokenError(int status, std::string_view code, std::string_view description);

// The answer to an error of the library, with the status that it has elsewhere, or 400 for those
// that getToken does not have. The client is told nothing of the inside.
HttpReply TokenError(const Error& error);

}  // namespace berglite::rest
