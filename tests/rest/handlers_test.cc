// What each operation takes from a request and makes of the Catalog's answer.
#include "shim/rest/handlers.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shim/rest/operations.h"
#include "shim/rest/token.h"
#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

class HandlersTest : public RestTest {
 protected:
  HandlersTest() {
    catalog_.namespaces = {{"ns"}, {"a", "b"}};
    catalog_.tables = {{{"ns"}, "t"}, {{"a", "b"}, "t"}};
    catalog_.views = {{{"a", "b"}, "v"}};
  }
};

struct CallCase {
  const char* method;
  const char* target;
  int status;
  const char* call;
};

// Each operation reaches the method of its name and answers with its own success status.
TEST_F(HandlersTest, CallTheMethodOfTheirName) {
  const CallCase kCases[] = {
      {"GET", "/v1/namespaces", 200, "ListNamespaces"},
      {"POST", "/v1/namespaces", 200, "CreateNamespace"},
      {"GET", "/v1/namespaces/a%1Fb", 200, "LoadNamespaceMetadata a/b"},
      {"HEAD", "/v1/namespaces/a%1Fb", 204, "NamespaceExists a/b"},
      {"DELETE", "/v1/namespaces/a%1Fb", 204, "DropNamespace a/b"},
      {"POST", "/v1/namespaces/a%1Fb/properties", 200, "UpdateProperties a/b"},
      {"GET", "/v1/namespaces/a%1Fb/tables", 200, "ListTables a/b"},
      {"POST", "/v1/namespaces/a%1Fb/tables", 200, "CreateTable a/b"},
      {"GET", "/v1/namespaces/a%1Fb/functions", 200, "ListFunctions a/b"},
      {"GET", "/v1/namespaces/a%1Fb/functions/f", 200, "LoadFunction a/b/f"},
      {"POST", "/v1/namespaces/a%1Fb/register", 200, "RegisterTable a/b"},
      {"GET", "/v1/namespaces/a%1Fb/tables/t", 200, "LoadTable a/b/t"},
      {"POST", "/v1/namespaces/a%1Fb/tables/t", 200, "UpdateTable a/b/t"},
      {"DELETE", "/v1/namespaces/a%1Fb/tables/t", 204, "DropTable a/b/t"},
      {"HEAD", "/v1/namespaces/a%1Fb/tables/t", 204, "TableExists a/b/t"},
      {"POST", "/v1/namespaces/a%1Fb/tables/t/unregister", 200, "UnregisterTable a/b/t"},
      {"GET", "/v1/namespaces/a%1Fb/tables/t/credentials", 200, "LoadCredentials a/b/t"},
      {"POST", "/v1/tables/rename", 204, "RenameTable"},
      {"POST", "/v1/namespaces/a%1Fb/tables/t/metrics", 204, "ReportMetrics a/b/t"},
      {"POST", "/v1/transactions/commit", 204, "CommitTransaction"},
      {"GET", "/v1/namespaces/a%1Fb/views", 200, "ListViews a/b"},
      {"POST", "/v1/namespaces/a%1Fb/views", 200, "CreateView a/b"},
      {"GET", "/v1/namespaces/a%1Fb/views/v?referenced-by=x", 200, "LoadView a/b/v"},
      {"POST", "/v1/namespaces/a%1Fb/views/v", 200, "ReplaceView a/b/v"},
      {"DELETE", "/v1/namespaces/a%1Fb/views/v", 204, "DropView a/b/v"},
      {"HEAD", "/v1/namespaces/a%1Fb/views/v", 204, "ViewExists a/b/v"},
      {"POST", "/v1/views/rename", 204, "RenameView"},
      {"POST", "/v1/namespaces/a%1Fb/register-view", 200, "RegisterView a/b"},
  };
  for (const CallCase& expected : kCases) {
    bool posts = std::string_view(expected.method) == "POST";
    HttpReply reply = posts ? Post(expected.target, "{}") : Ask(expected.method, expected.target);
    EXPECT_EQ(reply.status, expected.status) << expected.call;
    EXPECT_EQ(LastCall(), expected.call);
    EXPECT_EQ(reply.error, "");
    EXPECT_EQ(reply.body().empty(), expected.status == 204) << expected.call;
    EXPECT_EQ(HeaderOf(reply, "Content-Type"),
              expected.status == 204 ? "(none)" : "application/json");
  }
}

TEST_F(HandlersTest, TellWhatDoesNotExist) {
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces/a%1Fc").error,
            "NoSuchNamespaceException: Namespace does not exist: a.c");
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces/a%1Fb/tables/u").error,
            "NoSuchTableException: Table does not exist: a.b.u");
  EXPECT_THAT(Ask("GET", "/v1/namespaces/ns/tables/u"),
              IsErrorReply(404, "NoSuchTableException", "Table does not exist: u"));
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces/a%1Fb/views/w").error,
            "NoSuchViewException: View does not exist: a.b.w");
  EXPECT_THAT(Ask("GET", "/v1/namespaces/ns/views/w"),
              IsErrorReply(404, "NoSuchViewException", "View does not exist: w"));
}

// Java asks so whether the missing table `ns.files` is a metadata table of the table `ns`.
TEST_F(HandlersTest, FindNoTableInNoNamespace) {
  EXPECT_THAT(Ask("GET", "/v1/namespaces//tables/ns?snapshots=all"),
              IsErrorReply(404, "NoSuchTableException", "Table does not exist: ns"));
  EXPECT_EQ(Ask("HEAD", "/v1/namespaces//tables/ns").error,
            "NoSuchTableException: Table does not exist: ns");
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HandlersTest, RefuseNamesThatCannotBe) {
  for (const char* target :
       {"/v1/namespaces//tables", "/v1/namespaces/a%1F", "/v1/namespaces/ns/tables//"}) {
    EXPECT_THAT(Ask("GET", target),
                IsErrorReply(400, "IllegalArgumentException", HasSubstr("it is empty")));
  }
  EXPECT_THAT(Ask("GET", "/v1/namespaces/ns/tables/" + std::string(1025, 'a')),
              IsErrorReply(400, "IllegalArgumentException", HasSubstr("past the limit")));
  for (const char* target : {"/v1/namespaces/a%00", "/v1/namespaces/ns/tables/%C3"}) {
    EXPECT_THAT(Ask("GET", target),
                IsErrorReply(400, "BadRequestException", HasSubstr("The request target")));
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HandlersTest, TurnQuotedBodiesIntoErrorsOfTheErrorModel) {
  catalog_.failure = Error{ErrorKind::kValidation, "Cannot find \"x\"\n"};
  EXPECT_THAT(Post("/v1/namespaces/ns/tables", "{}"),
              IsErrorReply(400, "ValidationException", "Cannot find \"x\"\n"));
}

TEST_F(HandlersTest, ConfigHoldsWhatClientsNeed) {
  auto config = nlohmann::json::parse(Ask("GET", "/v1/config").body());
  EXPECT_THAT(config, SizeIs(4));
  EXPECT_EQ(config["idempotency-key-lifetime"], "PT30M");
  EXPECT_EQ(config["defaults"], nlohmann::json::object());
  EXPECT_EQ(config["overrides"], nlohmann::json({{"namespace-separator", "%1F"}}));
  auto endpoints = config["endpoints"].get<std::vector<std::string>>();
  EXPECT_THAT(
      endpoints,
      AllOf(SizeIs(30), Contains("GET /v1/{prefix}/namespaces/{namespace}/tables/{table}"),
            Contains("HEAD /v1/{prefix}/namespaces/{namespace}"), Contains("GET /v1/config"),
            Contains("HEAD /v1/{prefix}/namespaces/{namespace}/views/{view}"),
            Contains("POST /v1/{prefix}/namespaces/{namespace}/register-view"),
            Not(Contains(HasSubstr("plan")))));
}

TEST_F(HandlersTest, ConfigIsTheSameForAnyWarehouse) {
  std::string config = Ask("GET", "/v1/config").body();
  for (const char* query : {"?warehouse=", "?warehouse=rck_warehouse", "?warehouse=s3%3A%2F%2Fx%2F",
                            "?warehouse=a+b&other=1"}) {
    HttpReply reply = Ask("GET", "/v1/config" + std::string(query));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body(), config);
  }
}

TEST_F(HandlersTest, ListsTakePagesOnlyWithAToken) {
  for (const char* list :
       {"/v1/namespaces", "/v1/namespaces/ns/tables", "/v1/namespaces/ns/views"}) {
    Ask("GET", list);
    EXPECT_EQ(catalog_.last_list.page_token, std::nullopt);
    EXPECT_EQ(catalog_.last_list.page_size, std::nullopt);
    Ask("GET", list + std::string("?pageSize=20"));
    EXPECT_EQ(catalog_.last_list.page_token, std::nullopt);
    Ask("GET", list + std::string("?pageToken="));
    EXPECT_THAT(catalog_.last_list.page_token, Optional(std::string()));
    Ask("GET", list + std::string("?pageToken=x%2By+z&pageSize=2"));
    EXPECT_THAT(catalog_.last_list.page_token, Optional(std::string("x+y z")));
    EXPECT_THAT(catalog_.last_list.page_size, Optional(2));
    Ask("GET", list + std::string("?page_token=x&pageSize=99999999999999999999"));
    EXPECT_THAT(catalog_.last_list.page_token, Optional(std::string("x")));
    EXPECT_THAT(catalog_.last_list.page_size, Optional(std::numeric_limits<int64_t>::max()));
    Ask("GET", list + std::string("?page_token=x&pageToken=y"));
    EXPECT_THAT(catalog_.last_list.page_token, Optional(std::string("y")));
  }
}

TEST_F(HandlersTest, ListsRefuseBadPageSizes) {
  for (const char* size :
       {"0", "-1", "abc", "", "1.5", "+1", "1x", "%201", "-99999999999999999999"}) {
    for (const char* token : {"", "&pageToken=", "&pageToken=x"}) {
      std::string query = "?pageSize=" + std::string(size) + token;
      EXPECT_THAT(Ask("GET", "/v1/namespaces" + query),
                  IsErrorReply(400, "IllegalArgumentException", HasSubstr("pageSize")))
          << query;
      EXPECT_EQ(Ask("GET", "/v1/namespaces/ns/tables" + query).status, 400) << query;
    }
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HandlersTest, LoadTableReadsTheSnapshotMode) {
  auto mode = [this](const std::string& query) {
    Ask("GET", "/v1/namespaces/ns/tables/t" + query);
    return catalog_.last_load.snapshots;
  };
  EXPECT_EQ(mode("?snapshots=refs"), SnapshotMode::kRefs);
  EXPECT_EQ(mode(""), SnapshotMode::kAll);
  EXPECT_EQ(mode("?snapshots=REFS"), SnapshotMode::kRefs);
  EXPECT_EQ(mode("?snapshots=All"), SnapshotMode::kAll);
  EXPECT_THAT(Ask("GET", "/v1/namespaces/ns/tables/t?snapshots=some"),
              IsErrorReply(400, "IllegalArgumentException",
                           "Invalid snapshots: expected all or refs, found 'some'"));
}

TEST_F(HandlersTest, LoadTableAnswers304WhereTheClientHoldsTheTable) {
  HttpReply fresh = Ask("GET", "/v1/namespaces/ns/tables/t", {{"If-None-Match", "\"v0\""}});
  EXPECT_EQ(fresh.status, 200);
  EXPECT_EQ(HeaderOf(fresh, "ETag"), "\"v1\"");
  EXPECT_EQ(catalog_.last_load.if_none_match, "\"v0\"");
  HttpReply held = Ask("GET", "/v1/namespaces/ns/tables/t", {{"if-none-match", "\"v1\""}});
  EXPECT_EQ(held.status, 304);
  EXPECT_EQ(held.body(), "");
  EXPECT_EQ(HeaderOf(held, "ETag"), "\"v1\"");
  EXPECT_EQ(HeaderOf(held, "Content-Type"), "(none)");
}

TEST_F(HandlersTest, TablesCarryTheirETag) {
  for (const char* target :
       {"/v1/namespaces/ns/tables", "/v1/namespaces/ns/register", "/v1/namespaces/ns/tables/t"}) {
    EXPECT_EQ(HeaderOf(Post(target, "{}"), "ETag"), "\"v1\"") << target;
  }
  catalog_.etag = "";
  EXPECT_EQ(HeaderOf(Post("/v1/namespaces/ns/tables", "{}"), "ETag"), "(none)");
}

TEST_F(HandlersTest, DropTableReadsThePurgeFlagInAnyCase) {
  for (const char* query : {"", "?purgeRequested=true", "?purgeRequested=True",
                            "?purgeRequested=FALSE", "?purgeRequested=false"}) {
    EXPECT_EQ(Ask("DELETE", "/v1/namespaces/ns/tables/t" + std::string(query)).status, 204)
        << query;
    const bool wants_purge = std::string_view(query).ends_with("rue");
    EXPECT_EQ(catalog_.last_drop.purge_requested, wants_purge) << query;
  }
  catalog_.calls.clear();
  for (const char* query : {"?purgeRequested=", "?purgeRequested=yes", "?purgeRequested=1"}) {
    EXPECT_THAT(Ask("DELETE", "/v1/namespaces/ns/tables/t" + std::string(query)),
                IsErrorReply(400, "IllegalArgumentException", HasSubstr("purgeRequested")))
        << query;
  }
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HandlersTest, UpdateTableLetsThePathDecide) {
  // ClickHouse names a nested namespace as one level in the body; iceberg-js sends neither
  // requirements nor updates.
  std::string body = R"({"identifier":{"namespace":["a.b"],"name":"t"},"properties":{}})";
  EXPECT_EQ(Post("/v1/namespaces/a%1Fb/tables/t", body).status, 200);
  EXPECT_EQ(LastCall(), "UpdateTable a/b/t");
  EXPECT_EQ(catalog_.last_body, body);
}

class TokenTest : public RestTest {
 protected:
  HttpReply AskToken(std::string form) {
    return Post("/v1/oauth/tokens", std::move(form), "application/x-www-form-urlencoded");
  }
};

TEST_F(TokenTest, IsGivenToAnyone) {
  for (const char* form :
       {"grant_type=client_credentials&client_id=admin&client_secret=password&scope=catalog",
        "grant_type=client_credentials&client_secret=only&scope=PRINCIPAL_ROLE%3AALL",
        "grant_type=client_credentials", "grant_type=refresh_token&refresh_token=x",
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=x",
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"}) {
    HttpReply reply = AskToken(form);
    EXPECT_EQ(reply.status, 200) << form;
    EXPECT_EQ(reply.operation, "getToken");
    EXPECT_EQ(HeaderOf(reply, "Content-Type"), "application/json");
    EXPECT_EQ(HeaderOf(reply, "Cache-Control"), "no-store");
    auto body = nlohmann::json::parse(reply.body());
    EXPECT_NE(body["access_token"].get<std::string>(), "");
    EXPECT_EQ(body["token_type"], "bearer");
    EXPECT_EQ(body["expires_in"], 3600);
    EXPECT_EQ(body["issued_token_type"], "urn:ietf:params:oauth:token-type:access_token");
  }
}

TEST_F(TokenTest, IsGivenForParametersInTheQuery) {
  EXPECT_EQ(Ask("POST", "/v1/oauth/tokens?grant_type=client_credentials&client_secret=x").status,
            200);
}

TEST_F(TokenTest, ErrorsAreFlat) {
  auto error_of = [](const HttpReply& reply) {
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(HeaderOf(reply, "Content-Type"), "application/json");
    auto body = nlohmann::json::parse(reply.body());
    EXPECT_THAT(reply.error, HasSubstr(body["error"].get<std::string>()));
    EXPECT_TRUE(body["error_description"].is_string());
    return body["error"].get<std::string>();
  };
  EXPECT_EQ(error_of(AskToken("grant_type=password")), "unsupported_grant_type");
  EXPECT_EQ(error_of(AskToken("grant_type=Client_Credentials")), "unsupported_grant_type");
  EXPECT_EQ(error_of(AskToken("client_id=a")), "invalid_request");
  EXPECT_EQ(error_of(AskToken("grant_type=")), "invalid_request");
  EXPECT_EQ(error_of(AskToken("grant_type=%FF")), "invalid_request");
  EXPECT_EQ(error_of(AskToken("")), "invalid_request");
  EXPECT_EQ(error_of(Post("/v1/oauth/tokens", "{}")), "invalid_request");
  EXPECT_EQ(error_of(Ask("POST", "/v1/oauth/tokens?grant_type=%FF")), "invalid_request");
  EXPECT_EQ(error_of(Ask("POST", "/v1/\xC6/oauth/tokens")), "invalid_request");
  EXPECT_EQ(error_of(Ask("POST", "/v1/nowhere/oauth/tokens")), "invalid_request");
}

// The specification lists the codes; clients that read them strictly know no other.
TEST(TokenError, HasACodeOfTheSpecificationWhateverHasFailed) {
  struct Case {
    ErrorKind kind;
    int status;
    const char* code;
    const char* retry_after;
  };
  for (const Case& expected : {Case{ErrorKind::kNoSuchWarehouse, 400, "invalid_request", "(none)"},
                               Case{ErrorKind::kMalformedRequest, 400, "invalid_request", "(none)"},
                               Case{ErrorKind::kNotAuthorized, 401, "invalid_client", "(none)"},
                               Case{ErrorKind::kTooManyRequests, 429, "invalid_client", "10"},
                               Case{ErrorKind::kUnavailable, 503, "invalid_request", "1"},
                               Case{ErrorKind::kInternal, 500, "invalid_request", "(none)"}}) {
    HttpReply reply = TokenError(Error{expected.kind, "row 7"});
    auto body = nlohmann::json::parse(reply.body());
    EXPECT_EQ(reply.status, expected.status);
    EXPECT_EQ(body["error"], expected.code);
    EXPECT_EQ(body["error_description"] == "row 7", expected.kind != ErrorKind::kInternal);
    EXPECT_THAT(reply.error, HasSubstr("row 7"));
    EXPECT_EQ(HeaderOf(reply, "Retry-After"), expected.retry_after);
  }
}

}  // namespace
}  // namespace berglite::rest
