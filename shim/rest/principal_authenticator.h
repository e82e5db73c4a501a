// PrincipalAuthenticator: requests come from the principals of the catalog file, with a token of
// getToken or with id and secret (Basic).
//
// Threads: every method may be called from any thread at the same time.
// Ownership: the Principals are borrowed.
#pragma once

#include <string>

#include "berglite/principals.h"
#include "shim/rest/authenticator.h"

namespace berglite::rest {

class PrincipalAuthenticator final : public Authenticator {
 public:
  explicit PrincipalAuthenticator(Principals& principals) : principals_(principals) {}

  Result<Access> Authenticate(const HttpRequest& request) override;
  HttpReply GrantToken(const HttpRequest& request, const Parameters& form) override;

 private:
  HttpReply GrantToClient(const HttpRequest& request, const Parameters& form);
  HttpReply ExchangeToken(const HttpRequest& request, const Parameters& form);
  HttpReply RefreshToken(const Parameters& form);

  Principals& principals_;
};

}  // namespace berglite::rest
