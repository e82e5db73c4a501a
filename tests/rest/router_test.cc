#include "shim/rest/router.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::rest {
namespace {

using ::testing::Optional;

std::string OperationOf(std::string_view method, std::string_view path) {
  Route route = FindRoute(method, path);
  return route.operation == nullptr ? "(none)" : std::string(route.operation->id);
}

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  size_t begin = text.find(from);
  return begin == std::string::npos ? text : text.replace(begin, from.size(), to);
}

TEST(FindRoute, FindsEveryOperationBareAndPrefixed) {
  for (const Operation& operation : Operations()) {
    std::string path(operation.path);
    EXPECT_EQ(OperationOf(operation.method, Replace(path, "/{prefix}", "")), operation.id);
    EXPECT_EQ(OperationOf(operation.method, Replace(path, "{prefix}", "any")), operation.id);
  }
}

TEST(FindRoute, ServesTheTokenEndpointUnderAPrefixToo) {
  EXPECT_EQ(OperationOf("POST", "/v1/oauth/tokens"), "getToken");
  EXPECT_EQ(OperationOf("POST", "/v1/lake/oauth/tokens"), "getToken");
}

TEST(FindRoute, YieldsSegmentsAsTheyAre) {
  Route route = FindRoute("GET", "/v1/p%20q/namespaces/a%1Fb%2Fc/tables/t%2Fu");
  ASSERT_NE(route.operation, nullptr);
  EXPECT_EQ(route.operation->id, "loadTable");
  EXPECT_THAT(route.prefix, Optional(std::string_view("p%20q")));
  EXPECT_THAT(route.name_space, Optional(std::string_view("a%1Fb%2Fc")));
  EXPECT_THAT(route.name, Optional(std::string_view("t%2Fu")));
}

TEST(FindRoute, TakesNamesThatLookLikeTheRestOfAPath) {
  Route route = FindRoute("GET", "/v1/namespaces/tables/tables/tables");
  EXPECT_EQ(route.operation->id, "loadTable");
  EXPECT_THAT(route.name_space, Optional(std::string_view("tables")));
  EXPECT_THAT(route.name, Optional(std::string_view("tables")));
  EXPECT_EQ(OperationOf("GET", "/v1/namespaces/register"), "loadNamespaceMetadata");
  EXPECT_EQ(OperationOf("GET", "/v1/namespaces/config/tables/plan"), "loadTable");
}

TEST(FindRoute, PrefersTheBareReading) {
  Route bare = FindRoute("GET", "/v1/namespaces/namespaces");
  EXPECT_EQ(bare.operation->id, "loadNamespaceMetadata");
  EXPECT_EQ(bare.prefix, std::nullopt);
  Route prefixed = FindRoute("GET", "/v1/namespaces/namespaces/ns");
  EXPECT_EQ(prefixed.operation->id, "loadNamespaceMetadata");
  EXPECT_THAT(prefixed.prefix, Optional(std::string_view("namespaces")));
}

TEST(FindRoute, ComparesLiteralSegmentsAsTheyAre) {
  EXPECT_EQ(OperationOf("GET", "/v1/Namespaces"), "(none)");
  EXPECT_EQ(OperationOf("GET", "/V1/namespaces"), "(none)");
  EXPECT_EQ(OperationOf("GET", "/v1/%6Eamespaces"), "(none)");
  EXPECT_EQ(OperationOf("GET", "/v1%2Fnamespaces"), "(none)");
}

TEST(FindRoute, ToleratesASlashAtTheEndAndSeveralAtTheBeginning) {
  EXPECT_EQ(OperationOf("GET", "/v1/config/"), "getConfig");
  EXPECT_EQ(OperationOf("GET", "//v1/config"), "getConfig");
  EXPECT_EQ(OperationOf("GET", "/v1/config//"), "(none)");
  EXPECT_EQ(OperationOf("GET", "/v1//config"), "(none)");
}

TEST(FindRoute, KeepsEmptyNames) {
  Route route = FindRoute("GET", "/v1/namespaces//tables");
  EXPECT_EQ(route.operation->id, "listTables");
  EXPECT_THAT(route.name_space, Optional(std::string_view("")));
  EXPECT_EQ(OperationOf("GET", "/v1/namespaces/ns/tables//"), "loadTable");
}

TEST(FindRoute, FindsNothingElsewhere) {
  for (std::string_view path :
       {"", "/", "*", "/v1", "/v1/", "/v2/config", "v1/config", "/config", "/v1/nothing",
        "/v1/namespaces/ns/nothing", "/v1/namespaces/ns/tables/t/nothing", "/v1/a/b/namespaces",
        "/v1/namespaces/ns/tables/t/plan/id/more"}) {
    Route route = FindRoute("GET", path);
    EXPECT_EQ(route.operation, nullptr) << path;
    EXPECT_EQ(route.allow, "") << path;
  }
}

TEST(FindRoute, TakesHeadForGetWhereTheSpecificationHasNoHead) {
  EXPECT_EQ(FindRoute("HEAD", "/v1/config").operation->id, "getConfig");
  EXPECT_EQ(FindRoute("HEAD", "/v1/lake/namespaces/ns/views").operation->id, "listViews");
  EXPECT_EQ(FindRoute("HEAD", "/v1/namespaces/ns/tables/t").operation->id, "tableExists");
  EXPECT_EQ(FindRoute("HEAD", "/v1/tables/rename").operation, nullptr);
}

TEST(FindRoute, NamesTheMethodsOfAPathThatLacksThisOne) {
  EXPECT_EQ(FindRoute("PUT", "/v1/namespaces/ns/tables/t").allow, "GET, POST, DELETE, HEAD");
  EXPECT_EQ(FindRoute("OPTIONS", "/v1/lake/namespaces").allow, "GET, POST, HEAD");
  EXPECT_EQ(FindRoute("get", "/v1/config").allow, "GET, HEAD");
  EXPECT_EQ(FindRoute("PUT", "/v1/config").operation, nullptr);
}

TEST(SplitTarget, SplitsAtTheFirstQuestionMark) {
  TargetParts parts = SplitTarget("/v1/namespaces?parent=a?b/c");
  EXPECT_EQ(parts.path, "/v1/namespaces");
  EXPECT_EQ(parts.query, "parent=a?b/c");
  EXPECT_EQ(SplitTarget("/v1/config").query, "");
  EXPECT_EQ(SplitTarget("/v1/config?").query, "");
}

TEST(SplitTarget, TakesTheAbsoluteForm) {
  EXPECT_EQ(SplitTarget("http://localhost:8181/v1/config?warehouse=x").path, "/v1/config");
  EXPECT_EQ(SplitTarget("https://h/v1/config").path, "/v1/config");
  EXPECT_EQ(SplitTarget("http://h").path, "");
  EXPECT_EQ(SplitTarget("http://h?a=b").query, "a=b");
}

TEST(Operations, HaveNamesAndEndpointsOfTheirOwn) {
  std::set<std::string> ids;
  std::set<std::string> endpoints;
  for (const Operation& operation : Operations()) {
    ids.emplace(operation.id);
    endpoints.insert(std::string(operation.method) + " " + std::string(operation.path));
  }
  EXPECT_EQ(ids.size(), kOperationCount);
  EXPECT_EQ(endpoints.size(), kOperationCount);
}

}  // namespace
}  // namespace berglite::rest
