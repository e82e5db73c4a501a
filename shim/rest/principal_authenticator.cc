#include "shim/rest/principal_authenticator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "shim/rest/authorization.h"
#include "shim/rest/error_reply.h"
#include "shim/rest/token.h"

namespace berglite::rest {

namespace {

constexpr std::string_view kJwtTokenType = "urn:ietf:params:oauth:token-type:jwt";

// Space-separated words of RFC 6749, 3.3. Which ones does not matter: what a principal may do is
// its own property.
bool IsScope(std::string_view scope) {
  return std::all_of(scope.begin(), scope.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// The answer to an error. `code` is what a wrong secret or token is called in this place.
HttpReply ToTokenError(const Error& error, std::string_view code) {
  if (MakeErrorReply(error, nullptr).status != 401) return TokenError(error);
  const bool is_of_client = code == kInvalidClient;
  HttpReply reply = TokenError(is_of_client ? 401 : 400, code, error.message);
  if (is_of_client) ChallengeBasic(reply);
  return reply;
}

// The id and secret of the header or the form; nullopt where there are none. Errors:
// kInvalidArgument where there are both (RFC 6749, 2.3), kNotAuthorized.
Result<std::optional<BasicCredentials>> FindClient(const HttpRequest& request,
                                                   const Parameters& form) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<BasicCredentials> client, FindBasicCredentials(request));
  const std::string* secret = form.Find("client_secret");
  if (secret == nullptr) return client;
  if (client) {
    return Error{ErrorKind::kInvalidArgument,
                 "the client authenticates twice, in the header and in the form"};
  }
  const std::string* id = form.Find("client_id");
  return std::optional(BasicCredentials{id == nullptr ? "" : *id, *secret});
}

std::optional<HttpReply> RefuseTokenType(const Parameters& form, std::string_view parameter) {
  const std::string* type = form.Find(parameter);
  if (type == nullptr || *type == kAccessTokenType || *type == kJwtTokenType) return std::nullopt;
  return TokenError(400, kInvalidRequest,
                    std::string(parameter) + ": expected " + std::string(kAccessTokenType));
}

HttpReply Missing(std::string_view parameter) {
  return TokenError(400, kInvalidRequest, std::string(parameter) + " is missing");
}

}  // namespace

Result<Access> PrincipalAuthenticator::Authenticate(const HttpRequest& request) {
  if (std::optional<std::string_view> token = FindBearerToken(request)) {
    BERGLITE_ASSIGN_OR_RETURN(Principal principal, principals_.CheckToken(*token));
    return principal.access;
  }
  BERGLITE_ASSIGN_OR_RETURN(std::optional<BasicCredentials> client, FindBasicCredentials(request));
  if (!client) {
    return Error{ErrorKind::kNotAuthorized,
                 "Not authorized to make this request: expected an Authorization header with a "
                 "Bearer token or Basic credentials"};
  }
  BERGLITE_ASSIGN_OR_RETURN(Principal principal,
                            principals_.CheckSecret(client->id, client->secret));
  return principal.access;
}

HttpReply PrincipalAuthenticator::GrantToken(const HttpRequest& request, const Parameters& form) {
  const std::string* scope = form.Find("scope");
  if (scope != nullptr && !IsScope(*scope)) {
    return TokenError(400, "invalid_scope", "expected words of printable ASCII");
  }
  const std::string* grant = form.Find("grant_type");
  if (*grant == kTokenExchange) return ExchangeToken(request, form);
  if (*grant == kRefreshToken) return RefreshToken(form);
  return GrantToClient(request, form);
}

HttpReply PrincipalAuthenticator::GrantToClient(const HttpRequest& request,
                                                const Parameters& form) {
  Result<std::optional<BasicCredentials>> client = FindClient(request, form);
  if (!client) return ToTokenError(client.error(), kInvalidClient);
  if (!*client) {
    return ToTokenError({ErrorKind::kNotAuthorized, "client_secret is missing"}, kInvalidClient);
  }
  Result<Principal> principal = principals_.CheckSecret((*client)->id, (*client)->secret);
  if (!principal) return ToTokenError(principal.error(), kInvalidClient);
  return TokenReply(principals_.NewToken(*principal));
}

// A client renews its token so; it need not authenticate itself (RFC 8693, 2.1). Java does where
// the token has expired, and then gets a token for itself.
HttpReply PrincipalAuthenticator::ExchangeToken(const HttpRequest& request,
                                                const Parameters& form) {
  for (std::string_view parameter : {"subject_token_type", "requested_token_type"}) {
    if (std::optional<HttpReply> refusal = RefuseTokenType(form, parameter)) return *refusal;
  }
  const std::string* subject = form.Find("subject_token");
  if (subject == nullptr) return Missing("subject_token");
  Result<std::optional<BasicCredentials>> client = FindClient(request, form);
  if (!client) return ToTokenError(client.error(), kInvalidClient);
  Result<Principal> principal = principals_.CheckToken(*subject);
  const bool is_expired = !principal && principal.error().kind == ErrorKind::kTokenExpired;
  if (*client) {
    Result<Principal> sender = principals_.CheckSecret((*client)->id, (*client)->secret);
    if (!sender) return ToTokenError(sender.error(), kInvalidClient);
    if (is_expired) principal = std::move(sender);
  }
  if (!principal) return ToTokenError(principal.error(), kInvalidRequest);
  return TokenReply(principals_.NewToken(*principal));
}

// No refresh tokens are issued; an access token that is still good serves as one.
HttpReply PrincipalAuthenticator::RefreshToken(const Parameters& form) {
  const std::string* token = form.Find("refresh_token");
  if (token == nullptr) return Missing("refresh_token");
  Result<Principal> principal = principals_.CheckToken(*token);
  if (!principal) return ToTokenError(principal.error(), "invalid_grant");
  return TokenReply(principals_.NewToken(*principal));
}

}  // namespace berglite::rest
