// A Service over several catalogs: the prefix and the warehouse parameter.
#include "berglite/warehouses.h"

#include <string>
#include <vector>

#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FakeWarehouses final : public Warehouses {
 public:
  FakeCatalog first;
  FakeCatalog second;
  std::string second_name;  // empty: there is none

  Catalog& default_catalog() override { return first; }
  Result<std::vector<std::string>> Names() override {
    std::vector<std::string> names{"default"};
    if (!second_name.empty()) names.push_back(second_name);
    return names;
  }
  Result<Catalog*> Find(const std::string& name) override {
    if (name == "default") return &first;
    if (!second_name.empty() && name == second_name) return &second;
    return Error{ErrorKind::kNoSuchWarehouse, "Warehouse does not exist: " + name};
  }
  Counters ReadCounters() override { return {.commits = 7}; }
  Status Add(const std::string&, const std::string&) override { return {}; }
};

class ServiceOfWarehousesTest : public ::testing::Test {
 protected:
  HttpReply Get(std::string target) {
    return service_.Handle(
        {.method = "GET", .target = std::move(target), .headers = {}, .body = {}});
  }
  // `prefix` of the overrides; `(none)` where there is none.
  std::string Prefix(const std::string& query) {
    HttpReply reply = Get("/v1/config" + query);
    EXPECT_EQ(reply.status, 200) << reply.body();
    nlohmann::json overrides = nlohmann::json::parse(reply.body())["overrides"];
    return overrides.value("prefix", "(none)");
  }

  FakeWarehouses warehouses_;
  Service service_{warehouses_, {}};
};

TEST_F(ServiceOfWarehousesTest, TakesAnyWarehouseWhileThereIsOne) {
  for (const char* query : {"", "?warehouse=", "?warehouse=nope", "?warehouse=s3%3A%2F%2Fx%2F"}) {
    EXPECT_EQ(Prefix(query), "(none)") << query;
  }
}

TEST_F(ServiceOfWarehousesTest, TellsThePrefixOfTheWarehouseAskedFor) {
  warehouses_.second_name = "a b/c";
  EXPECT_EQ(Prefix(""), "default");
  EXPECT_EQ(Prefix("?warehouse="), "default");
  EXPECT_EQ(Prefix("?warehouse=default"), "default");
  EXPECT_EQ(Prefix("?warehouse=a+b%2Fc"), "a%20b%2Fc");
  EXPECT_THAT(Get("/v1/config?warehouse=nope"),
              IsErrorReply(404, "NoSuchWarehouseException", "Warehouse does not exist: nope"));
}

TEST_F(ServiceOfWarehousesTest, SendsARequestToTheCatalogOfItsPrefix) {
  warehouses_.second_name = "a b/c";
  EXPECT_EQ(Get("/v1/namespaces").status, 200);
  EXPECT_EQ(Get("/v1/default/namespaces").status, 200);
  EXPECT_THAT(warehouses_.first.calls, ElementsAre("ListNamespaces", "ListNamespaces"));
  EXPECT_THAT(warehouses_.second.calls, IsEmpty());
  EXPECT_EQ(Get("/v1/a%20b%2Fc/namespaces").status, 200);
  EXPECT_EQ(Get("/v1/a+b%2Fc/namespaces").status, 200);
  EXPECT_THAT(warehouses_.second.calls, ElementsAre("ListNamespaces", "ListNamespaces"));
  EXPECT_THAT(Get("/v1/nope/namespaces"),
              IsErrorReply(404, "NoSuchWarehouseException", HasSubstr("nope")));
}

TEST_F(ServiceOfWarehousesTest, TellsWhatAllCatalogsHaveDone) {
  EXPECT_THAT(Get("/metrics").body(), HasSubstr("\nberglite_commits_total 7\n"));
}

}  // namespace
}  // namespace berglite::rest
