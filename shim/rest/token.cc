// getToken: the specification's deprecated token endpoint. Requests are not authenticated, so any
// credential gets a token, and any token is ignored: clients that insist on this step work.
#include <nlohmann/json.hpp>

#include "shim/rest/handlers.h"
#include "shim/rest/operations.h"

namespace berglite::rest {

namespace {

constexpr int kTokenLifetimeSeconds = 3600;

// Errors of this endpoint are flat objects (RFC 6749, 5.2), not the error model.
HttpReply TokenReply(int status, const nlohmann::json& body) {
  HttpReply reply;
  reply.status = status;
  reply.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  reply.text = body.dump();
  return reply;
}

HttpReply TokenError(const std::string& code, const std::string& description) {
  HttpReply reply = TokenReply(400, {{"error", code}, {"error_description", description}});
  reply.error = code + ": " + description;
  return reply;
}

// Credentials are not looked at, and neither are the other parameters of a grant.
HttpReply Grant(const Call& call, const Parameters& form) {
  const std::string* grant = form.Find("grant_type");
  if (grant == nullptr || grant->empty()) {
    return TokenError("invalid_request", "grant_type is missing");
  }
  if (*grant != "client_credentials" && *grant != "refresh_token" &&
      *grant != "urn:ietf:params:oauth:grant-type:token-exchange") {
    return TokenError("unsupported_grant_type",
                      "expected client_credentials, refresh_token or "
                      "urn:ietf:params:oauth:grant-type:token-exchange");
  }
  return TokenReply(call.operation.success_status,
                    {{"access_token", "berglite"},
                     {"token_type", "bearer"},
                     {"expires_in", kTokenLifetimeSeconds},
                     {"issued_token_type", "urn:ietf:params:oauth:token-type:access_token"}});
}

}  // namespace

Result<HttpReply> GetToken(const Call& call) {
  // ClickHouse may send the parameters in the query.
  if (call.request.body.empty()) return Grant(call, call.query);
  if (!HasContentType(call.request, "application/x-www-form-urlencoded")) {
    return TokenError("invalid_request",
                      "expected Content-Type: application/x-www-form-urlencoded");
  }
  Result<Parameters> form = Parameters::Parse(call.request.body);
  if (!form) return TokenError("invalid_request", "the form is not UTF-8");
  return Grant(call, *form);
}

}  // namespace berglite::rest
