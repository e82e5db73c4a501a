// Authenticator: who sends a request, and what the sender may do.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include "berglite/principals.h"
#include "berglite/result.h"
#include "shim/rest/encoding.h"
#include "shim/rest/http.h"

namespace berglite::rest {

class Authenticator {
 public:
  virtual ~Authenticator() = default;

  // What the sender of `request` may do, by its Authorization header. Errors: kNotAuthorized,
  // kTokenExpired, kTooManyRequests, kUnavailable.
  virtual Result<Access> Authenticate(const HttpRequest& request) = 0;
  // The answer of getToken to a request for a token, whose parameters are `form`. Its grant_type is
  // one of the three in shim/rest/token.h.
  virtual HttpReply GrantToken(const HttpRequest& request, const Parameters& form) = 0;
};

}  // namespace berglite::rest
