// The header Idempotency-Key: which operations take it, and what of it reaches the catalog.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/rest/operations.h"
#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::Eq;
using ::testing::Optional;

constexpr const char* kKey = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";

class IdempotencyTest : public RestTest {
 protected:
  // Sends a request with the header, and an empty object where the method takes a body.
  HttpReply Send(std::string_view method, std::string target, std::string key = kKey) {
    catalog_.last_key = std::nullopt;
    HttpRequest request{std::string(method), std::move(target), {}, {}};
    request.headers = {{"Content-Type", "application/json"}, {"idempotency-key", std::move(key)}};
    if (method == "POST") request.body = "{}";
    return service_.Handle(request);
  }
};

std::string TargetOf(const Operation& operation) {
  std::string target(operation.path);
  for (const auto& [parameter, value] :
       {std::pair("{prefix}/", ""), std::pair("{namespace}", "ns"), std::pair("{table}", "t"),
        std::pair("{view}", "v"), std::pair("{plan-id}", "p"), std::pair("{function}", "f")}) {
    size_t at = target.find(parameter);
    if (at != std::string::npos) target.replace(at, std::string_view(parameter).size(), value);
  }
  return target;
}

TEST_F(IdempotencyTest, KeysReachTheCatalogWithTheOperationsThatTakeThem) {
  int taken = 0;
  for (const Operation& operation : Operations()) {
    if (operation.handler == nullptr) continue;
    Send(operation.method, TargetOf(operation));
    if ((operation.traits & kTakesKey) != 0) {
      ++taken;
      EXPECT_THAT(catalog_.last_key, Optional(Eq(kKey))) << operation.id;
    } else {
      EXPECT_EQ(catalog_.last_key, std::nullopt) << operation.id;
    }
  }
  EXPECT_GE(taken, 9);
}

TEST_F(IdempotencyTest, EveryOperationThatChangesTheCatalogTakesAKey) {
  for (const Operation& operation : Operations()) {
    bool changes = operation.method == "DELETE" || operation.method == "POST";
    for (std::string_view other : {"getToken", "signRequest", "reportMetrics"}) {
      changes = changes && operation.id != other;
    }
    EXPECT_EQ((operation.traits & kTakesKey) != 0, changes) << operation.id;
  }
}

TEST_F(IdempotencyTest, AKeyIsTakenAsItStandsButForSpaceAroundIt) {
  Send("DELETE", "/v1/namespaces/ns", "  no uuid ");
  EXPECT_THAT(catalog_.last_key, Optional(Eq("no uuid")));
  Send("DELETE", "/v1/namespaces/ns", "");
  EXPECT_THAT(catalog_.last_key, Optional(Eq("")));
}

TEST_F(IdempotencyTest, ARequestWithoutTheHeaderHasNoKey) {
  catalog_.last_key = "before";
  Ask("DELETE", "/v1/namespaces/ns");
  EXPECT_EQ(catalog_.last_key, std::nullopt);
}

// To the catalog the two readings are two requests; it would refuse the key for the second.
TEST_F(IdempotencyTest, TheSecondReadingOfANameHasAKeyOfItsOwn) {
  catalog_.namespaces.insert({"a b"});
  EXPECT_EQ(Send("DELETE", "/v1/namespaces/a+b").status, 204);
  EXPECT_THAT(catalog_.last_key, Optional(Eq("017f22e2-79b0-fcc3-98c4-dc0c0c07398f")));
  catalog_.namespaces.insert({"a+b"});
  EXPECT_EQ(Send("DELETE", "/v1/namespaces/a+b").status, 204);
  EXPECT_THAT(catalog_.last_key, Optional(Eq(kKey)));
}

}  // namespace
}  // namespace berglite::rest
