// getToken: the specification's deprecated token endpoint. Where requests are not authenticated any
// credential gets a token, and any token is ignored: clients that insist on this step work.
#include "shim/rest/token.h"

#include <nlohmann/json.hpp>

#include "shim/rest/authenticator.h"
#include "shim/rest/error_reply.h"
#include "shim/rest/handlers.h"

namespace berglite::rest {

namespace {

HttpReply FlatReply(int status, const nlohmann::json& body) {
  HttpReply reply;
  reply.status = status;
  // RFC 6749, 5.1.
  reply.headers = {
      {"Content-Type", "application/json"}, {"Cache-Control", "no-store"}, {"Pragma", "no-cache"}};
  // A description may quote a prefix that is not UTF-8.
  reply.text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return reply;
}

HttpReply Grant(const Call& call, const Parameters& form) {
  const std::string* grant = form.Find("grant_type");
  if (grant == nullptr || grant->empty()) {
    return TokenError(400, kInvalidRequest, "grant_type is missing");
  }
  if (*grant != kClientCredentials && *grant != kRefreshToken && *grant != kTokenExchange) {
    return TokenError(
        400, "unsupported_grant_type",
        "expected client_credentials, refresh_token or " + std::string(kTokenExchange));
  }
  if (call.authenticator != nullptr) return call.authenticator->GrantToken(call.request, form);
  return TokenReply("berglite");
}

}  // namespace

HttpReply TokenReply(std::string_view access_token) {
  return FlatReply(200, {{"access_token", access_token},
                         {"token_type", "bearer"},
                         {"expires_in", kTokenLifetime.count()},
                         {"issued_token_type", kAccessTokenType}});
}

HttpReply TokenError(int status, std::string_view code, std::string_view description) {
  HttpReply reply = FlatReply(status, {{"error", code}, {"error_description", description}});
  reply.error = std::string(code) + ": " + std::string(description);
  return reply;
}

HttpReply TokenError(const Error& error) {
  const HttpReply model = MakeErrorReply(error, nullptr);
  const bool is_of_sender = model.status == 401 || model.status == 429;
  // No code says that the server failed, and none that a guesser must wait: the nearest ones.
  const std::string_view code = is_of_sender ? kInvalidClient : kInvalidRequest;
  HttpReply reply = TokenError(
      is_of_sender || model.status >= 500 ? model.status : 400, code,
      error.kind == ErrorKind::kInternal ? kInternalMessage : std::string_view(error.message));
  reply.error = std::string(code) + ": " + error.message;
  for (const auto& header : model.headers) {
    if (header.first == "Retry-After") reply.headers.push_back(header);
  }
  return reply;
}

Result<HttpReply> GetToken(const Call& call) {
  // ClickHouse may send the parameters in the query.
  if (call.request.body.empty()) return Grant(call, call.query);
  if (!HasContentType(call.request, "application/x-www-form-urlencoded")) {
    return TokenError(400, kInvalidRequest,
                      "expected Content-Type: application/x-www-form-urlencoded");
  }
  Result<Parameters> form = Parameters::Parse(call.request.body);
  if (!form) return TokenError(400, kInvalidRequest, "the form is not UTF-8");
  return Grant(call, *form);
}

}  // namespace berglite::rest
