#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class NamespaceTest : public CatalogTest {
 protected:
  Json List(const Namespace& parent, const ListOptions& options = {}) {
    auto document = catalog_->ListNamespaces(parent, options);
    EXPECT_THAT(document, IsOk());
    return document ? Dom(*document) : Json();
  }
};

TEST_F(NamespaceTest, IsCreatedWithPropertiesAndALocation) {
  auto created =
      catalog_->CreateNamespace(Doc(R"({"namespace":["a"],"properties":{"owner":"me"}})"));
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ(Dom(*created)["namespace"], Json::array({"a"}));
  Json expected{{"owner", "me"}, {"location", catalog_->warehouse() + "/a"}};
  EXPECT_EQ(Dom(*created)["properties"], expected);
  EXPECT_EQ(Dom(*catalog_->LoadNamespaceMetadata({"a"})), Dom(*created));
}

TEST_F(NamespaceTest, IsCreatedOnce) {
  CreateNamespace({"a"});
  EXPECT_THAT(catalog_->CreateNamespace(Doc(R"({"namespace":["a"]})")),
              IsError(ErrorKind::kAlreadyExists, "Namespace already exists: a"));
}

TEST_F(NamespaceTest, CreatesItsParents) {
  CreateNamespace({"a", "b", "c"});
  EXPECT_THAT(catalog_->NamespaceExists({"a"}), IsOkAndHolds(true));
  EXPECT_THAT(catalog_->NamespaceExists({"a", "b"}), IsOkAndHolds(true));
  EXPECT_EQ(List({})["namespaces"], Json::parse(R"([["a"]])"));
  EXPECT_EQ(List({"a"})["namespaces"], Json::parse(R"([["a","b"]])"));
}

TEST_F(NamespaceTest, WithADotInALevelIsNotANestedOne) {
  CreateNamespace({"a.b"});
  EXPECT_THAT(catalog_->NamespaceExists({"a", "b"}), IsOkAndHolds(false));
  CreateNamespace({"a", "b"});
  EXPECT_EQ(List({})["namespaces"], Json::parse(R"([["a"],["a.b"]])"));
  EXPECT_THAT(catalog_->DropNamespace({"a", "b"}), IsOk());
  EXPECT_THAT(catalog_->NamespaceExists({"a.b"}), IsOkAndHolds(true));
}

TEST_F(NamespaceTest, NamesAreNoPatterns) {
  CreateNamespace({"my_ns_112_1"});
  EXPECT_THAT(catalog_->NamespaceExists({"my_ns_1_2"}), IsOkAndHolds(false));
  CreateNamespace({"MY_NS_112_1"});
  CreateNamespace({"my_ns_1_2"});
  CreateNamespace({"db", "ns1"});
  CreateNamespace({"db2", "ns4"});
  EXPECT_EQ(List({"db"})["namespaces"], Json::parse(R"([["db","ns1"]])"));
}

TEST_F(NamespaceTest, RefusesBadRequests) {
  for (auto [request, message] : {
           std::pair("{}", "missing field: namespace"),
           std::pair("[]", "missing field: namespace"),
           std::pair(R"({"namespace":[]})", "no levels"),
           std::pair(R"({"namespace":"a"})", "an array"),
           std::pair(R"({"namespace":[1]})", "a string"),
           std::pair(R"({"namespace":["a",""]})", "empty"),
           std::pair(R"({"namespace":["a\u0000"]})", "null-byte"),
           std::pair(R"({"namespace":["a"],"properties":{"k":null}})", "properties.k"),
           std::pair(R"({"namespace":["a"],"properties":[]})", "an object"),
           std::pair(R"({"namespace":["a"],"properties":{"exists":"x"}})",
                     "reserved property: exists"),
       }) {
    EXPECT_THAT(catalog_->CreateNamespace(Doc(request)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr(message)))
        << request;
  }
  EXPECT_EQ(List({})["namespaces"], Json::array());
}

TEST_F(NamespaceTest, IsDroppedWhenItIsEmpty) {
  CreateNamespace({"ns", "child"});
  EXPECT_THAT(catalog_->DropNamespace({"ns"}),
              IsError(ErrorKind::kNamespaceNotEmpty,
                      "Namespace ns is not empty. Contains 1 child namespace(s)."));
  EXPECT_THAT(catalog_->DropNamespace({"ns", "child"}), IsOk());
  CreateTable("t");
  EXPECT_THAT(
      catalog_->DropNamespace({"ns"}),
      IsError(ErrorKind::kNamespaceNotEmpty, "Namespace ns is not empty. Contains 1 table(s)."));
  EXPECT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  EXPECT_THAT(catalog_->DropNamespace({"ns"}), IsOk());
  EXPECT_THAT(catalog_->DropNamespace({"ns"}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: ns"));
}

TEST_F(NamespaceTest, UpdatesItsProperties) {
  ASSERT_THAT(
      catalog_->CreateNamespace(Doc(R"({"namespace":["a"],"properties":{"x":"1","y":"2"}})")),
      IsOk());
  auto updated = catalog_->UpdateProperties(
      {"a"}, Doc(R"({"removals":["x","gone","x"],"updates":{"y":"3","z":"4"}})"));
  ASSERT_THAT(updated, IsOk());
  EXPECT_EQ(Dom(*updated),
            Json::parse(R"({"updated":["y","z"],"removed":["x"],"missing":["gone"]})"));
  Json properties = Dom(*catalog_->LoadNamespaceMetadata({"a"}))["properties"];
  EXPECT_EQ(properties["y"], "3");
  EXPECT_EQ(properties["z"], "4");
  EXPECT_FALSE(properties.contains("x"));
}

TEST_F(NamespaceTest, RefusesContradictingAndReservedProperties) {
  CreateNamespace({"a"});
  EXPECT_THAT(catalog_->UpdateProperties({"a"}, Doc(R"({"removals":["k"],"updates":{"k":"v"}})")),
              IsError(ErrorKind::kUnprocessable,
                      "Invalid namespace update, cannot simultaneously set and remove keys: [k]"));
  // The contradiction is found before the namespace is looked for.
  EXPECT_THAT(catalog_->UpdateProperties({"z"}, Doc(R"({"removals":["k"],"updates":{"k":"v"}})")),
              IsError(ErrorKind::kUnprocessable, HasSubstr("[k]")));
  EXPECT_THAT(catalog_->UpdateProperties({"a"}, Doc(R"({"removals":["exists"]})")),
              IsError(ErrorKind::kInvalidArgument, "Cannot remove reserved property: exists"));
  EXPECT_THAT(catalog_->UpdateProperties({"a"}, Doc(R"({"updates":{"exists":"no"}})")),
              IsError(ErrorKind::kInvalidArgument, "Cannot set reserved property: exists"));
  EXPECT_THAT(catalog_->UpdateProperties({"z"}, Doc(R"({"updates":{"k":"v"}})")),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: z"));
}

TEST_F(NamespaceTest, IsListedInStablePages) {
  for (const char* name : {"e", "c", "a", "d", "b"}) CreateNamespace({name});
  Json first = List({}, {.page_token = "", .page_size = 2});
  EXPECT_EQ(first["namespaces"], Json::parse(R"([["a"],["b"]])"));
  // What is dropped and created meanwhile neither hides nor doubles the others.
  ASSERT_THAT(catalog_->DropNamespace({"b"}), IsOk());
  CreateNamespace({"aa"});
  Json second =
      List({}, {.page_token = first["next-page-token"].get<std::string>(), .page_size = 2});
  EXPECT_EQ(second["namespaces"], Json::parse(R"([["c"],["d"]])"));
  Json third =
      List({}, {.page_token = second["next-page-token"].get<std::string>(), .page_size = 2});
  EXPECT_EQ(third["namespaces"], Json::parse(R"([["e"]])"));
  EXPECT_TRUE(third["next-page-token"].is_null());
}

TEST_F(NamespaceTest, ListOfAnUnknownParentIsAnError) {
  EXPECT_THAT(catalog_->ListNamespaces({"non-existing"}, {}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: non-existing"));
}

}  // namespace
}  // namespace berglite::testing
