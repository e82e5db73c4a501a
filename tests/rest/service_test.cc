// What holds for every request: routes, methods, hosts, prefixes, bodies.
#include "shim/rest/service.h"

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shim/rest/operations.h"
#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ServiceTest = RestTest;

TEST_F(ServiceTest, AnswersUnknownRoutesInTheErrorModel) {
  // DuckDB asks for `/` where its HTTP client cannot send a nested namespace.
  for (const char* target : {"/", "/v1", "/v2/config", "/v1/nothing", "*", ""}) {
    HttpReply reply = Ask("GET", target);
    EXPECT_THAT(reply, IsErrorReply(404, "NotFoundException", HasSubstr("No route for request")));
    EXPECT_EQ(reply.operation, "");
  }
}

TEST_F(ServiceTest, NamesTheAllowedMethods) {
  HttpReply reply = Ask("PUT", "/v1/namespaces/ns/tables/t");
  EXPECT_THAT(reply, IsErrorReply(405, "MethodNotAllowedException", HasSubstr("PUT")));
  EXPECT_EQ(HeaderOf(reply, "Allow"), "GET, POST, DELETE, HEAD");
  EXPECT_EQ(Ask("OPTIONS", "/v1/config").status, 405);
  EXPECT_EQ(HeaderOf(Ask("OPTIONS", "/v1/config"), "Allow"), "GET, HEAD");
}

TEST_F(ServiceTest, AnswersOperationsThatAreNotServedWith406) {
  for (const Operation& operation : Operations()) {
    if (operation.handler != nullptr || operation.method == "HEAD") continue;
    std::string path(operation.path);
    path.erase(path.find("/{prefix}"), std::string_view("/{prefix}").size());
    HttpReply reply = Ask(std::string(operation.method), path);
    EXPECT_THAT(reply, IsErrorReply(406, "UnsupportedOperationException",
                                    HasSubstr(std::string(operation.id))));
    EXPECT_EQ(reply.operation, operation.id);
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(ServiceTest, ServesTheCatalogsOwnNameAsPrefix) {
  EXPECT_EQ(Ask("GET", "/v1/default/namespaces").status, 200);
  EXPECT_EQ(Ask("GET", "/v1/d%65fault/namespaces").status, 200);
  EXPECT_EQ(Ask("POST", "/v1/default/oauth/tokens?grant_type=client_credentials").status, 200);
  EXPECT_THAT(Ask("GET", "/v1/other/namespaces"),
              IsErrorReply(404, "NoSuchWarehouseException", HasSubstr("other")));
}

TEST_F(ServiceTest, TakesTheAbsoluteFormOfATarget) {
  EXPECT_EQ(Ask("GET", "http://localhost:8181/v1/config").status, 200);
}

TEST_F(ServiceTest, IsReachedUnderLoopbackNamesAlone) {
  for (const char* host : {"localhost", "LocalHost:8181", "localhost.", "127.0.0.1",
                           "127.8.9.255:1", "[::1]", "[::1]:8181"}) {
    EXPECT_EQ(Ask("GET", "/v1/config", {{"Host", host}}).status, 200) << host;
  }
  for (const char* host :
       {"example.org", "example.org:8181", "localhost.example.org", "127.0.0.1.example.org",
        "127.0.0", "127.0.0.256", "127.0.0.1.1", "128.0.0.1", "[::2]", "", "*"}) {
    EXPECT_THAT(Ask("GET", "/v1/config", {{"Host", host}}),
                IsErrorReply(403, "ForbiddenException", HasSubstr("--allow-host")))
        << host;
  }
}

TEST_F(ServiceTest, AnswersARequestWithoutHost) { EXPECT_EQ(Ask("GET", "/v1/config").status, 200); }

TEST_F(ServiceTest, AnswersHeadWhereThereIsAGetWithoutABody) {
  for (const char* target : {"/v1/config", "/v1/namespaces", "/v1/namespaces/a/tables"}) {
    const HttpReply reply = Ask("HEAD", target);
    EXPECT_EQ(reply.status, Ask("GET", target).status) << target;
    EXPECT_EQ(reply.text, "") << target;
    EXPECT_FALSE(reply.document.has_value()) << target;
  }
  EXPECT_EQ(Ask("HEAD", "/v1/tables/rename").status, 405);
}

TEST_F(ServiceTest, IsReachedUnderAllowedHosts) {
  Service service(catalog_, {.allowed_hosts = {"rest", "fd00::1", "[fd00::2]"}});
  auto status = [&service](const std::string& host) {
    return service.Handle({"GET", "/v1/config", {{"host", host}}, {}}).status;
  };
  EXPECT_EQ(status("REST:8181"), 200);
  EXPECT_EQ(status("[fd00::1]:8181"), 200);
  EXPECT_EQ(status("[fd00::2]"), 200);
  EXPECT_EQ(status("127.0.0.1"), 200);
  EXPECT_EQ(status("rest.example.org"), 403);
  Service open(catalog_, {.allowed_hosts = {"*"}});
  EXPECT_EQ(open.Handle({"GET", "/v1/config", {{"Host", "example.org"}}, {}}).status, 200);
}

TEST_F(ServiceTest, RefusesContentEncodingsItDoesNotKnow) {
  auto status = [this](const std::string& encoding) {
    HttpRequest request{"POST",
                        "/v1/namespaces",
                        {{"Content-Type", "application/json"}, {"Content-Encoding", encoding}},
                        "{}"};
    return service_.Handle(request).status;
  };
  EXPECT_EQ(status("gzip"), 200);
  EXPECT_EQ(status("Identity"), 200);
  EXPECT_EQ(status("zstd"), 415);
  EXPECT_EQ(status("gzip, gzip"), 415);
}

struct BodyCase {
  const char* target;
  const char* operation;
};
constexpr BodyCase kBodyCases[] = {
    {"/v1/namespaces", "createNamespace"},
    {"/v1/namespaces/ns/properties", "updateProperties"},
    {"/v1/namespaces/ns/tables", "createTable"},
    {"/v1/namespaces/ns/register", "registerTable"},
    {"/v1/namespaces/ns/tables/t", "updateTable"},
    {"/v1/namespaces/ns/tables/t/metrics", "reportMetrics"},
    {"/v1/tables/rename", "renameTable"},
    {"/v1/transactions/commit", "commitTransaction"},
};

TEST_F(ServiceTest, RefusesBodiesThatItCannotRead) {
  for (const BodyCase& expected : kBodyCases) {
    for (const char* body : {"", "{", "[]", " []", "1", "\"{\"", "{}{}", "{\"a\":\"\xFF\"}"}) {
      HttpReply reply = Post(expected.target, body);
      EXPECT_THAT(reply, IsErrorReply(400, "BadRequestException", Not(IsEmpty())))
          << expected.operation << " " << body;
      EXPECT_EQ(reply.operation, expected.operation);
      EXPECT_THAT(reply.body(), Not(HasSubstr("nlohmann")));
    }
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(ServiceTest, TakesBodiesOfTheRightTypeAlone) {
  for (const char* type : {"application/json", "Application/JSON", "application/json;charset=UTF-8",
                           " application/json ; charset=utf-8"}) {
    EXPECT_EQ(Post("/v1/namespaces", "{}", type).status, 200) << type;
  }
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "",
                           "application/jsonx", "text/plain;application/json"}) {
    EXPECT_THAT(Post("/v1/namespaces", "{}", type),
                IsErrorReply(400, "BadRequestException", HasSubstr("application/json")))
        << type;
  }
  HttpRequest untyped{"POST", "/v1/namespaces", {}, "{}"};
  EXPECT_EQ(service_.Handle(untyped).status, 400);
}

TEST_F(ServiceTest, PassesBodiesOnAsTheyAre) {
  catalog_.namespaces.insert({"ns"});
  for (const BodyCase& expected : kBodyCases) {
    catalog_.last_body.clear();
    EXPECT_LT(Post(expected.target, " {\"x\": [1.10]}\n").status, 300) << expected.operation;
    EXPECT_EQ(catalog_.last_body, " {\"x\": [1.10]}\n") << expected.operation;
  }
}

TEST_F(ServiceTest, IgnoresAuthorization) {
  for (const char* value : {"Bearer None", "Basic YTpi", "nonsense"}) {
    EXPECT_EQ(Ask("GET", "/v1/config", {{"Authorization", value}}).status, 200);
  }
}

TEST_F(ServiceTest, RefusesAQueryThatIsNotText) {
  EXPECT_THAT(Ask("GET", "/v1/config?warehouse=%FF"),
              IsErrorReply(400, "BadRequestException", HasSubstr("UTF-8")));
}

TEST_F(ServiceTest, TurnsAnExceptionInto500) {
  catalog_.throws = true;
  HttpReply reply = Ask("GET", "/v1/namespaces");
  EXPECT_THAT(reply, IsErrorReply(500, "InternalServerError", Not(HasSubstr("thrown"))));
  EXPECT_EQ(reply.operation, "listNamespaces");
  EXPECT_THAT(reply.error, HasSubstr("thrown"));
}

// Any target gets a good answer: seeded random ones, made of the characters and words that matter.
TEST_F(ServiceTest, AnswersAnyTargetInTheErrorModel) {
  constexpr std::string_view kParts[] = {
      "/",   "//", "v1",       "/v1/",    "namespaces", "tables", "default", "%",      "%1F", "%2F",
      "%0",  "+",  "\x1F",     "?",       "&",          "=",      "parent",  "\xC3",   "%C3", "%BC",
      "%00", ".",  "pageSize", "http://", "plan",       "#",      "%25",     "config", "a",   "\""};
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same targets each time
  for (int round = 0; round < 5'000; ++round) {
    std::string target = random() % 2 == 0 ? "/v1/namespaces/" : "";
    for (size_t length = random() % 8; length > 0; --length) {
      target += kParts[random() % std::size(kParts)];
    }
    HttpReply reply = Ask("GET", target);
    auto body = nlohmann::json::parse(reply.body(), nullptr, false);
    ASSERT_FALSE(body.is_discarded()) << target;
    ASSERT_TRUE(reply.status == 200 || body["error"]["code"] == reply.status) << target;
    ASSERT_LT(reply.status, 500) << target;
  }
}

}  // namespace
}  // namespace berglite::rest
