#include "shim/transfer/remote_catalog.h"

#include <string>
#include <vector>

#include "berglite/principals.h"
#include "berglite/warehouses.h"
#include "tests/transfer/fixture.h"

namespace berglite::transfer {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RemoteCatalogTest : public TransferTest {};

TEST_F(RemoteCatalogTest, IsConnectedToByTheUriThatClientsUse) {
  const auto server = Serve(*from_);
  CreateNamespace(*from_, {"a"}, Json::object());
  for (const char* end : {"", "/", "/v1", "/v1/"}) {
    const auto endpoint = Connect(server->uri() + end);
    EXPECT_THAT(endpoint->ListNamespaces({}), IsOkAndHolds(ElementsAre(Namespace{"a"})));
    EXPECT_TRUE(endpoint->CanRegisterViews());
  }
}

TEST_F(RemoteCatalogTest, SaysWhyItCannotBeConnectedTo) {
  EXPECT_THAT(ConnectToRemote({.uri = "ftp://host"}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("found 'ftp://host'")));
  EXPECT_THAT(ConnectToRemote({.uri = "http://u:secret@host"}),
              IsError(ErrorKind::kInvalidArgument, Not(HasSubstr("secret"))));
  EXPECT_THAT(ConnectToRemote({.uri = "http://host", .token = "a\r\nX: b"}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("token")));
  const auto server = Serve(*from_);
  const std::string uri = server->uri();
  server->Stop();
  EXPECT_THAT(ConnectToRemote({.uri = uri}),
              IsError(ErrorKind::kUnavailable,
                      HasSubstr("No answer from " + uri + "/v1/config: cannot connect")));
}

TEST_F(RemoteCatalogTest, HandsOnWhatTheCatalogSays) {
  const auto server = Serve(*from_);
  const auto endpoint = Connect(server->uri());
  EXPECT_THAT(endpoint->LoadNamespace({"none"}),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("none")));
  EXPECT_THAT(endpoint->LoadTable({{"none"}, "t"}),
              IsError(ErrorKind::kNoSuchTable, HasSubstr("none.t")));
  EXPECT_THAT(endpoint->ListTables({"none"}),
              IsError(ErrorKind::kNoSuchNamespace, HasSubstr("none")));
  CreateNamespace(*from_, {"a"}, Json::object());
  EXPECT_THAT(endpoint->CreateNamespace(Doc({{"namespace", {"a"}}})),
              IsError(ErrorKind::kAlreadyExists, HasSubstr("AlreadyExistsException")));
  EXPECT_THAT(endpoint->RegisterTable({"a"}, Doc({{"name", "t"}})),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("metadata-location")));
}

TEST_F(RemoteCatalogTest, ShowsItsCredential) {
  const std::string file = directory_ / "from.db";
  auto principals = Principals::Open(file, {});
  ASSERT_THAT(principals, IsOk());
  auto secret = (*principals)->Add("mover", Access::kWrite);
  ASSERT_THAT(secret, IsOk());
  auto server = Server::Start(*from_, {.port = 0, .workers = 2, .principals = principals->get()});
  ASSERT_THAT(server, IsOk());
  const std::string uri = (*server)->uri();
  EXPECT_THAT(ConnectToRemote({.uri = uri}), IsError(ErrorKind::kNotAuthorized, HasSubstr("401")));
  EXPECT_THAT(ConnectToRemote({.uri = uri, .credential = "mover:wrong"}),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("refuses the credential")));
  auto endpoint = ConnectToRemote({.uri = uri, .credential = "mover:" + *secret});
  ASSERT_THAT(endpoint, IsOk());
  EXPECT_THAT((*endpoint)->ListNamespaces({}), IsOkAndHolds(IsEmpty()));
}

TEST_F(RemoteCatalogTest, FindsTheWarehouseThatIsMeant) {
  auto warehouses = Warehouses::Open(directory_ / "several.db", {});
  ASSERT_THAT(warehouses, IsOk());
  ASSERT_THAT((*warehouses)->Add("other", directory_ / "other"), IsOk());
  auto server = Server::Start(**warehouses, {.port = 0, .workers = 2});
  ASSERT_THAT(server, IsOk());
  auto other = ConnectToRemote({.uri = (*server)->uri(), .warehouse = "other"});
  ASSERT_THAT(other, IsOk());
  ASSERT_THAT((*other)->CreateNamespace(Doc({{"namespace", {"in other"}}})), IsOk());
  EXPECT_THAT((*other)->ListNamespaces({}), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(Connect((*server)->uri())->ListNamespaces({}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(ConnectToRemote({.uri = (*server)->uri(), .warehouse = "none"}),
              IsError(ErrorKind::kNoSuchWarehouse, HasSubstr("none")));
}

}  // namespace
}  // namespace berglite::transfer
