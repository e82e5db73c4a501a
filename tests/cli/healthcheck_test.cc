#include "shim/cli/healthcheck.h"

#include <string>

#include <berglite/catalog.h>
#include <berglite/server.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::cli {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

class HealthcheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto catalog = Catalog::Open(directory_ / "lake.db");
    ASSERT_THAT(catalog, IsOk());
    catalog_ = *std::move(catalog);
    auto server = Server::Start(*catalog_, {.port = 0});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
    uri_ = server_->uri();
  }
  TempDir directory_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Server> server_;
  std::string uri_;
};

TEST_F(HealthcheckTest, SucceedsOnEveryHealthyUrl) {
  const std::string port = std::to_string(server_->port());
  for (const std::string& url :
       {uri_, uri_ + "/", uri_ + "/v1/config", uri_ + "/healthz", uri_ + "/readyz?x=1",
        "http://localhost:" + port, "http://127.0.0.1:" + port + "/v1/config?warehouse=a"}) {
    EXPECT_THAT(CheckHealth(url), IsOk()) << url;
  }
}

TEST_F(HealthcheckTest, FailsOnAnotherAnswer) {
  EXPECT_THAT(CheckHealth(uri_ + "/v1/namespaces/none"),
              IsError(ErrorKind::kUnavailable, HasSubstr("found 'HTTP/1.1 404 Not Found'")));
}

TEST_F(HealthcheckTest, FailsWhereNobodyAnswers) {
  server_->Stop();
  server_.reset();
  EXPECT_THAT(CheckHealth(uri_),
              IsError(ErrorKind::kUnavailable, AllOf(HasSubstr(uri_), HasSubstr("refused"))));
}

TEST_F(HealthcheckTest, IsCurlUnderThatName) {
  EXPECT_TRUE(IsCalledCurl("/usr/bin/curl"));
  EXPECT_TRUE(IsCalledCurl("curl"));
  EXPECT_FALSE(IsCalledCurl("/curl/berglite"));
  std::string address = "localhost:" + std::to_string(server_->port());
  for (std::string url : {"http://" + address + "/v1/config", address + "/v1/config"}) {
    std::string name = "curl";
    std::string option = "--fail";
    char* argv[] = {name.data(), option.data(), url.data()};
    EXPECT_EQ(RunAsCurl(3, argv), 0) << url;
    EXPECT_EQ(RunAsCurl(2, argv), 1);
    std::string wrong = address + "/none";
    argv[2] = wrong.data();
    EXPECT_EQ(RunAsCurl(3, argv), 1);
  }
}

TEST(Healthcheck, RefusesWhatIsNoUrl) {
  for (const char* url : {"https://localhost:8181", "localhost:8181", "http://", "http:///v1",
                          "http://local host", "http://a/\r\nX: y", ""}) {
    EXPECT_THAT(CheckHealth(url), IsError(ErrorKind::kInvalidArgument, HasSubstr("Expected a URL")))
        << url;
  }
}

}  // namespace
}  // namespace berglite::cli
