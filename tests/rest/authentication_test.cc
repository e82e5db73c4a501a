// Requests and the token endpoint where an Authenticator stands before the service. The principals
// are real ones, in memory.
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "berglite/principals.h"
#include "shim/rest/operations.h"
#include "shim/rest/principal_authenticator.h"
#include "shim/rest/service.h"
#include "tests/rest/fake_catalog.h"
#include "tests/rest/rest_fixture.h"
#include "tests/support/fake_environment.h"

namespace berglite::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kHourMs = 3'600'000;
constexpr const char* kExchange =
    "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"
    "&subject_token_type=urn:ietf:params:oauth:token-type:access_token&subject_token=";
constexpr const char* kChallenge = R"(Bearer realm="berglite")";

std::string ToBase64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = i; j < i + 3; ++j) {
      bits = bits << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kAlphabet[bits >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

Headers Bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }
Headers Basic(const std::string& text) { return {{"Authorization", "Basic " + ToBase64(text)}}; }

// A flat error answer (RFC 6749, 5.2).
MATCHER_P2(IsTokenError, status, code, "") {
  nlohmann::json body = nlohmann::json::parse(arg.body(), nullptr, false);
  *result_listener << "its status is " << arg.status << " and its body " << arg.body();
  return arg.status == status && body.is_object() && body.size() == 2 && body["error"] == code &&
         !body["error_description"].get<std::string>().empty() &&
         HeaderOf(arg, "Cache-Control") == "no-store";
}

class AuthenticationTest : public ::testing::Test {
 protected:
  AuthenticationTest() {
    catalog_.namespaces = {{"ns"}};
    catalog_.tables = {{{"ns"}, "t"}};
  }

  HttpReply Ask(std::string method, std::string target, Headers headers = {},
                std::string body = {}) {
    return service_.Handle(
        {std::move(method), std::move(target), std::move(headers), std::move(body)});
  }
  HttpReply Create(Headers headers) {
    headers.emplace_back("Content-Type", "application/json");
    return Ask("POST", "/v1/namespaces", std::move(headers), R"({"namespace":["a"]})");
  }
  HttpReply AskToken(const std::string& form, Headers headers = {}) {
    headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    return Ask("POST", "/v1/oauth/tokens", std::move(headers), form);
  }
  // The token of an answer that must be a good one.
  std::string TokenOf(const HttpReply& reply) {
    EXPECT_EQ(reply.status, 200) << reply.body();
    nlohmann::json body = nlohmann::json::parse(reply.body());
    EXPECT_EQ(body["token_type"], "bearer");
    EXPECT_EQ(body["expires_in"], 3600);
    EXPECT_EQ(body["issued_token_type"], "urn:ietf:params:oauth:token-type:access_token");
    EXPECT_EQ(HeaderOf(reply, "Cache-Control"), "no-store");
    return body["access_token"];
  }
  std::string NewToken(const std::string& secret) {
    return TokenOf(AskToken("grant_type=client_credentials&client_secret=" + secret));
  }
  void Wait(int64_t ms) { environment_.SetNowMs(environment_.NowMs() + ms); }

  berglite::testing::FakeEnvironment environment_;
  std::unique_ptr<Principals> principals_ =
      *Principals::Open(":memory:", {.static_token = "ci-token", .environment = &environment_});
  const std::string writer_ = *principals_->Add("writer", Access::kWrite);
  const std::string reader_ = *principals_->Add("reader", Access::kRead);
  FakeCatalog catalog_;
  PrincipalAuthenticator authenticator_{*principals_};
  Service service_{catalog_, {.authenticator = &authenticator_}};
};

TEST_F(AuthenticationTest, IsAskedForByEveryOperationButTheTokenEndpoint) {
  for (const Operation& operation : Operations()) {
    std::string path(operation.path);
    if (path.find("/{prefix}") != std::string::npos) path.erase(path.find("/{prefix}"), 9);
    HttpReply reply = Ask(std::string(operation.method), path);
    if (operation.id == "getToken") {
      EXPECT_THAT(reply, IsTokenError(400, "invalid_request"));
      continue;
    }
    EXPECT_EQ(reply.status, 401) << operation.id;
    EXPECT_EQ(HeaderOf(reply, "WWW-Authenticate"), kChallenge);
    EXPECT_EQ(reply.operation, operation.id);
    EXPECT_EQ(reply.body().empty(), operation.method == "HEAD") << operation.id;
  }
  for (const char* target : {"/", "/v1/nothing", "/v1/other/namespaces"}) {
    EXPECT_THAT(Ask("GET", target),
                IsErrorReply(401, "NotAuthorizedException", HasSubstr("Not authorized")));
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(AuthenticationTest, TakesATokenOrBasicCredentials) {
  for (const Headers& headers :
       {Bearer(NewToken(writer_)), Bearer("ci-token"), Basic("writer:" + writer_),
        Basic(":" + writer_), Headers{{"authorization", "bearer  ci-token "}}}) {
    EXPECT_EQ(Ask("GET", "/v1/config", headers).status, 200);
    EXPECT_EQ(Ask("HEAD", "/v1/namespaces/ns/tables/t", headers).status, 204);
    EXPECT_EQ(Create(headers).status, 200);
  }
}

TEST_F(AuthenticationTest, RefusesWhatIsWrong) {
  const std::string token = NewToken(writer_);
  for (const Headers& headers :
       {Bearer("None"), Bearer("berglite"), Bearer(""), Bearer(token + "x"), Bearer(writer_),
        Basic("writer:wrong"), Basic("reader:" + writer_), Basic("writer"),
        Headers{{"Authorization", "Basic %%%"}}, Headers{{"Authorization", "Digest x"}},
        Headers{{"Authorization", token}}, Headers{{"Authorization", ""}}}) {
    HttpReply reply = Ask("GET", "/v1/namespaces", headers);
    EXPECT_THAT(reply, IsErrorReply(401, "NotAuthorizedException", Not(HasSubstr(writer_))));
    EXPECT_EQ(HeaderOf(reply, "WWW-Authenticate"),
              std::string(kChallenge) + ", error=\"invalid_token\"");
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

// 401 and not 419: the specification says which it prefers.
TEST_F(AuthenticationTest, RefusesATokenThatHasExpired) {
  const std::string token = NewToken(writer_);
  Wait(kHourMs);
  EXPECT_THAT(Ask("GET", "/v1/config", Bearer(token)),
              IsErrorReply(401, "NotAuthorizedException", HasSubstr("expired")));
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces/ns", Bearer(token)).status, 401);
  EXPECT_EQ(Ask("GET", "/v1/config", Bearer("ci-token")).status, 200);
}

TEST_F(AuthenticationTest, EndsWithThePrincipal) {
  const std::string token = NewToken(writer_);
  ASSERT_TRUE(principals_->Remove("writer").has_value());
  EXPECT_EQ(Ask("GET", "/v1/config", Bearer(token)).status, 401);
  EXPECT_EQ(Ask("GET", "/v1/config", Basic("writer:" + writer_)).status, 401);
}

TEST_F(AuthenticationTest, LetsAReaderChangeNothing) {
  for (const Headers& headers : {Bearer(NewToken(reader_)), Basic("reader:" + reader_)}) {
    HttpReply reply = Create(headers);
    EXPECT_THAT(reply, IsErrorReply(403, "NotAuthorizedException", HasSubstr("may only read")));
    EXPECT_EQ(HeaderOf(reply, "WWW-Authenticate"),
              std::string(kChallenge) + ", error=\"insufficient_scope\"");
    EXPECT_EQ(Ask("DELETE", "/v1/namespaces/ns/tables/t", headers).status, 403);
    EXPECT_EQ(Ask("POST", "/v1/transactions/commit", headers).status, 403);
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(AuthenticationTest, LetsAReaderReadAndReport) {
  const Headers headers = Bearer(NewToken(reader_));
  EXPECT_EQ(Ask("GET", "/v1/config", headers).status, 200);
  EXPECT_EQ(Ask("GET", "/v1/namespaces/ns/tables/t", headers).status, 200);
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces/ns", headers).status, 204);
  EXPECT_EQ(Ask("GET", "/v1/nothing", headers).status, 404);
  EXPECT_EQ(Ask("PUT", "/v1/namespaces", headers).status, 405);
  Headers with_type = headers;
  with_type.emplace_back("Content-Type", "application/json");
  EXPECT_EQ(Ask("POST", "/v1/namespaces/ns/tables/t/metrics", with_type, "{}").status, 204);
}

TEST(Writes, IsWhatChangesTheCatalog) {
  std::vector<std::string> reads;
  for (const Operation& operation : Operations()) {
    const bool looks = operation.method == "GET" || operation.method == "HEAD";
    if (!looks && !Writes(operation)) reads.emplace_back(operation.id);
    EXPECT_FALSE(looks && Writes(operation)) << operation.id;
  }
  EXPECT_THAT(reads, ElementsAre("getToken", "planTableScan", "cancelPlanning", "fetchScanTasks",
                                 "reportMetrics"));
}

// -- The token endpoint -------------------------------------------------------------------------

TEST_F(AuthenticationTest, GivesTokensToClients) {
  const std::string grant = "grant_type=client_credentials&scope=catalog";
  for (const HttpReply& reply :
       {AskToken(grant + "&client_id=writer&client_secret=" + writer_),
        AskToken(grant + "&client_secret=" + writer_), AskToken(grant, Basic("writer:" + writer_)),
        AskToken(grant + "&client_id=writer", Basic("writer:" + writer_)),
        AskToken("grant_type=client_credentials&scope=PRINCIPAL_ROLE:ALL&client_secret=" + writer_),
        Ask("POST", "/v1/default/oauth/tokens?" + grant + "&client_secret=" + writer_)}) {
    EXPECT_EQ(Create(Bearer(TokenOf(reply))).status, 200);
  }
  EXPECT_EQ(Create(Bearer(NewToken(reader_))).status, 403);
}

TEST_F(AuthenticationTest, GivesNoTokenToAWrongClient) {
  const std::string grant = "grant_type=client_credentials";
  for (const HttpReply& reply :
       {AskToken(grant), AskToken(grant + "&client_id=writer"),
        AskToken(grant + "&client_id=writer&client_secret=x"),
        AskToken(grant + "&client_id=nobody&client_secret=x"),
        AskToken(grant + "&client_id=reader&client_secret=" + writer_),
        AskToken(grant, Basic("writer:x")), AskToken(grant, Basic("writer")),
        AskToken(grant, Bearer("ci-token"))}) {
    EXPECT_THAT(reply, IsTokenError(401, "invalid_client"));
    EXPECT_EQ(HeaderOf(reply, "WWW-Authenticate"), R"(Basic realm="berglite")");
    EXPECT_THAT(reply.body() + reply.error, Not(HasSubstr(writer_)));
  }
}

TEST_F(AuthenticationTest, RefusesARequestForATokenThatIsNone) {
  const std::string secret = "&client_secret=" + writer_;
  EXPECT_THAT(AskToken("client_secret=" + writer_), IsTokenError(400, "invalid_request"));
  EXPECT_THAT(AskToken("grant_type=password" + secret),
              IsTokenError(400, "unsupported_grant_type"));
  EXPECT_THAT(AskToken("grant_type=client_credentials&scope=%22" + secret),
              IsTokenError(400, "invalid_scope"));
  EXPECT_THAT(AskToken("grant_type=client_credentials" + secret, Basic("writer:" + writer_)),
              IsTokenError(400, "invalid_request"));
  EXPECT_THAT(AskToken("grant_type=client_credentials&client_secret=%FF"),
              IsTokenError(400, "invalid_request"));
  EXPECT_THAT(Ask("POST", "/v1/oauth/tokens", {{"Content-Type", "application/json"}}, "{}"),
              IsTokenError(400, "invalid_request"));
}

TEST_F(AuthenticationTest, RenewsAToken) {
  const std::string token = NewToken(reader_);
  Wait(kHourMs / 2);
  const std::string exchanged = TokenOf(AskToken(kExchange + token, Bearer(token)));
  const std::string refreshed =
      TokenOf(AskToken("grant_type=refresh_token&refresh_token=" + token));
  Wait(kHourMs / 2);
  EXPECT_EQ(Ask("GET", "/v1/config", Bearer(token)).status, 401);
  EXPECT_EQ(Ask("GET", "/v1/config", Bearer(exchanged)).status, 200);
  EXPECT_EQ(Ask("GET", "/v1/config", Bearer(refreshed)).status, 200);
  EXPECT_EQ(Create(Bearer(exchanged)).status, 403);
  EXPECT_EQ(TokenOf(AskToken(std::string(kExchange) + "ci-token")), "ci-token");
}

// As Java does: the expired token as subject, and id and secret in the header.
TEST_F(AuthenticationTest, RenewsAnExpiredTokenForAClientThatShowsItsSecret) {
  const std::string token = NewToken(writer_);
  Wait(kHourMs);
  EXPECT_THAT(AskToken(kExchange + token), IsTokenError(400, "invalid_request"));
  EXPECT_THAT(AskToken("grant_type=refresh_token&refresh_token=" + token),
              IsTokenError(400, "invalid_grant"));
  EXPECT_THAT(AskToken(kExchange + token, Basic("writer:x")), IsTokenError(401, "invalid_client"));
  const std::string renewed = TokenOf(AskToken(kExchange + token, Basic("writer:" + writer_)));
  EXPECT_EQ(Create(Bearer(renewed)).status, 200);
  // What it gets is its own, whoever the expired token was for.
  const std::string own = TokenOf(AskToken(kExchange + token, Basic("reader:" + reader_)));
  EXPECT_EQ(Create(Bearer(own)).status, 403);
}

TEST_F(AuthenticationTest, ExchangesNothingElse) {
  const std::string token = NewToken(writer_);
  const std::string grant = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange";
  for (const std::string& form :
       {grant, kExchange + token + "x", std::string(kExchange) + "None",
        grant + "&subject_token=" + token +
            "&subject_token_type=urn:ietf:params:oauth:token-type:saml2",
        kExchange + token + "&requested_token_type=urn:ietf:params:oauth:token-type:saml2",
        std::string("grant_type=refresh_token")}) {
    EXPECT_THAT(AskToken(form), IsTokenError(400, "invalid_request")) << form;
  }
  EXPECT_THAT(AskToken("grant_type=refresh_token&refresh_token=x"),
              IsTokenError(400, "invalid_grant"));
  ASSERT_TRUE(principals_->Rotate("writer").has_value());
  EXPECT_THAT(AskToken(kExchange + token), IsTokenError(400, "invalid_request"));
}

TEST_F(AuthenticationTest, MakesAGuesserWait) {
  const std::string guess = "grant_type=client_credentials&client_id=reader&client_secret=guess";
  HttpReply reply = AskToken(guess);
  for (int i = 0; i < 100 && reply.status == 401; ++i) reply = AskToken(guess);
  EXPECT_THAT(reply, IsTokenError(429, "invalid_client"));
  EXPECT_EQ(HeaderOf(reply, "Retry-After"), "10");
  HttpReply basic = Ask("GET", "/v1/config", Basic("reader:guess"));
  EXPECT_THAT(basic, IsErrorReply(429, "TooManyRequestsException", HasSubstr("try again")));
  EXPECT_EQ(HeaderOf(basic, "Retry-After"), "10");
  Wait(10'000);
  EXPECT_EQ(AskToken(guess).status, 401);
}

}  // namespace
}  // namespace berglite::rest
