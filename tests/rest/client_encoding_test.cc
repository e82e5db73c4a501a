// How each of the known clients writes names into targets, and that the right thing is found.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Headers& JavaHeaders() {
  static const Headers headers = {{"User-Agent", "Apache-HttpClient/5.4 (Java/17.0.2)"}};
  return headers;
}

class ClientEncodingTest : public RestTest {
 protected:
  // The calls that one request leads to.
  std::vector<std::string> CallsOf(const std::string& method, const std::string& target,
                                   const Headers& headers = {}) {
    catalog_.calls.clear();
    last_status_ = Ask(method, target, headers).status;
    return catalog_.calls;
  }

  int last_status_ = 0;
};

TEST_F(ClientEncodingTest, JavaWritesASpaceAsPlus) {
  catalog_.namespaces = {{"a b"}, {"a+b"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b", JavaHeaders()),
              ElementsAre("LoadNamespaceMetadata a b"));
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a%2Bb", JavaHeaders()),
              ElementsAre("LoadNamespaceMetadata a+b"));
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a%7Eb*%2F%25", JavaHeaders()),
              ElementsAre("LoadNamespaceMetadata a~b*/%"));
}

TEST_F(ClientEncodingTest, JavaIsKnownByItsOwnHeaderToo) {
  catalog_.namespaces = {{"a b"}, {"a+b"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b", {{"x-client-git-commit-short", "7f879b1"}}),
              ElementsAre("LoadNamespaceMetadata a b"));
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b", {{"User-Agent", "Java-http-client/17"}}),
              ElementsAre("LoadNamespaceMetadata a+b"));
}

TEST_F(ClientEncodingTest, JavaDoesNotFallBackToAPlus) {
  catalog_.namespaces = {{"a+b"}};
  EXPECT_THAT(CallsOf("DELETE", "/v1/namespaces/a+b", JavaHeaders()),
              ElementsAre("DropNamespace a b"));
  EXPECT_EQ(last_status_, 404);
}

TEST_F(ClientEncodingTest, GoRustAndJavaScriptWriteAPlusAsPlus) {
  catalog_.namespaces = {{"a b"}, {"a+b"}};
  catalog_.tables = {{{"a+b"}, "t+u"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b", {{"User-Agent", "GoIceberg/0.4"}}),
              ElementsAre("LoadNamespaceMetadata a+b"));
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b/tables/t+u", {{"User-Agent", "iceberg-rs/0.7"}}),
              ElementsAre("LoadTable a+b/t+u"));
}

TEST_F(ClientEncodingTest, APlusOfAnUnknownClientIsASpaceWhereAPlusNamesNothing) {
  catalog_.namespaces = {{"a b"}};
  catalog_.tables = {{{"a b"}, "t u"}};
  catalog_.views = {{{"a b"}, "v w"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b/views/v+w"),
              ElementsAre("LoadView a+b/v+w", "LoadView a b/v w"));
  EXPECT_EQ(last_status_, 200);
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a+b"),
              ElementsAre("LoadNamespaceMetadata a+b", "LoadNamespaceMetadata a b"));
  EXPECT_EQ(last_status_, 200);
  EXPECT_THAT(CallsOf("HEAD", "/v1/namespaces/a+b"),
              ElementsAre("NamespaceExists a+b", "NamespaceExists a b"));
  EXPECT_EQ(last_status_, 204);
  EXPECT_THAT(CallsOf("HEAD", "/v1/namespaces/a+b/tables/t+u"),
              ElementsAre("TableExists a+b/t+u", "TableExists a b/t u"));
  EXPECT_EQ(last_status_, 204);
  EXPECT_EQ(Post("/v1/namespaces/a+b/tables", "{}").status, 200);
  EXPECT_EQ(LastCall(), "CreateTable a b");
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a%2Bb"), ElementsAre("LoadNamespaceMetadata a+b"));
  EXPECT_EQ(last_status_, 404);
}

TEST_F(ClientEncodingTest, APlusThatNamesNothingEitherWayIsReportedAsAPlus) {
  EXPECT_THAT(Ask("GET", "/v1/namespaces/a+b"),
              IsErrorReply(404, "NoSuchNamespaceException", "Namespace does not exist: a+b"));
}

TEST_F(ClientEncodingTest, OtherFailuresAreFinal) {
  catalog_.failure = Error{ErrorKind::kNamespaceNotEmpty, "not empty"};
  EXPECT_THAT(CallsOf("DELETE", "/v1/namespaces/a+b"), ElementsAre("DropNamespace a+b"));
  EXPECT_EQ(last_status_, 409);
}

TEST_F(ClientEncodingTest, PythonQuotesNamesAndEncodesTheParentTwice) {
  catalog_.namespaces = {{"TEST NS"}, {"a", "b"}, {"\xE6\x95\xB0", "x+y"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/TEST%20NS"),
              ElementsAre("LoadNamespaceMetadata TEST NS"));
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces?parent=TEST%2520NS"),
              ElementsAre("ListNamespaces TEST%20NS", "ListNamespaces TEST NS"));
  EXPECT_EQ(last_status_, 200);
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces?parent=a%1Fb"), ElementsAre("ListNamespaces a/b"));
  CallsOf("GET", "/v1/namespaces?parent=%25E6%2595%25B0%1Fx%252By");
  EXPECT_EQ(last_status_, 200);
  EXPECT_EQ(LastCall(), "ListNamespaces \xE6\x95\xB0/x+y");
}

TEST_F(ClientEncodingTest, CppEncodesTheSeparatorOfTheParentTwice) {
  catalog_.namespaces = {{"a", "b"}};
  EXPECT_EQ(Ask("GET", "/v1/namespaces?parent=a%251Fb").status, 200);
  EXPECT_EQ(LastCall(), "ListNamespaces a/b");
}

TEST_F(ClientEncodingTest, AParentThatIsNamedLiterallyIsNotDecodedTwice) {
  catalog_.namespaces = {{"a%20b"}, {"a b"}};
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces?parent=a%2520b"), ElementsAre("ListNamespaces a%20b"));
  EXPECT_EQ(last_status_, 200);
}

TEST_F(ClientEncodingTest, AParentThatIsNowhereIsReportedInItsFirstReading) {
  EXPECT_THAT(Ask("GET", "/v1/namespaces?parent=no%2520ns"),
              IsErrorReply(404, "NoSuchNamespaceException", "Namespace does not exist: no%20ns"));
  EXPECT_THAT(Ask("GET", "/v1/namespaces?parent=no"),
              IsErrorReply(404, "NoSuchNamespaceException", "Namespace does not exist: no"));
  EXPECT_THAT(Ask("GET", "/v1/namespaces?parent=a%1F"),
              IsErrorReply(400, "IllegalArgumentException", HasSubstr("empty")));
}

TEST_F(ClientEncodingTest, ALongParentMayBeEncodedTwice) {
  std::string name(400, ' ');
  std::string twice;
  for (size_t i = 0; i < name.size(); ++i) twice += "%2520";
  catalog_.namespaces = {{name}};
  EXPECT_EQ(Ask("GET", "/v1/namespaces?parent=" + twice).status, 200);
}

TEST_F(ClientEncodingTest, AnEmptyParentIsTheTopLevel) {
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces?parent=&pageToken="), ElementsAre("ListNamespaces"));
}

TEST_F(ClientEncodingTest, RustAndClickHouseWriteTheParentAsAForm) {
  catalog_.namespaces = {{"a b", "c"}};
  EXPECT_EQ(Ask("GET", "/v1/namespaces?parent=a+b%1Fc").status, 200);
  EXPECT_EQ(LastCall(), "ListNamespaces a b/c");
}

TEST_F(ClientEncodingTest, EachFormOfTheSeparatorIsRead) {
  catalog_.namespaces = {{"a", "b"}};
  for (const char* target : {"/v1/namespaces/a%1Fb", "/v1/namespaces/a%1fb",
                             "/v1/namespaces/a\x1F"
                             "b"}) {
    EXPECT_THAT(CallsOf("GET", target), ElementsAre("LoadNamespaceMetadata a/b")) << target;
    EXPECT_EQ(last_status_, 200) << target;
  }
}

TEST_F(ClientEncodingTest, AnEncodedSlashStaysInTheName) {
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/n%2Fs/tables/foo%2fbar"),
              ElementsAre("LoadTable n/s/foo/bar"));
}

TEST_F(ClientEncodingTest, RustAndJavaScriptSendBarePercentSigns) {
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/100%/tables/50%off"),
              ElementsAre("LoadTable 100%/50%off"));
}

TEST_F(ClientEncodingTest, GoSendsReservedCharactersBare) {
  EXPECT_THAT(CallsOf("GET", "/v1/namespaces/a&b=c:d@e$f"),
              ElementsAre("LoadNamespaceMetadata a&b=c:d@e$f"));
}

TEST_F(ClientEncodingTest, ClickHouseSendsRawBytes) {
  EXPECT_THAT(
      CallsOf("DELETE", "/v1/namespaces/\xE6\x95\xB0\xE6\x8D\xAE/tables/a b?purgeRequested=False"),
      ElementsAre("DropTable \xE6\x95\xB0\xE6\x8D\xAE/a b"));
}

}  // namespace
}  // namespace berglite::rest
