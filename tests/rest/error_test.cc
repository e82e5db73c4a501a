#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/rest/error_reply.h"
#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct KindCase {
  ErrorKind kind;
  int status;
  std::string type;
};

const std::vector<KindCase>& KindCases() {
  static const std::vector<KindCase> cases = {
      {ErrorKind::kInvalidArgument, 400, "IllegalArgumentException"},
      {ErrorKind::kValidation, 400, "ValidationException"},
      {ErrorKind::kMalformedRequest, 400, "BadRequestException"},
      {ErrorKind::kNoSuchNamespace, 404, "NoSuchNamespaceException"},
      {ErrorKind::kNoSuchTable, 404, "NoSuchTableException"},
      {ErrorKind::kNoSuchView, 404, "NoSuchViewException"},
      {ErrorKind::kNoSuchFunction, 404, "NoSuchFunctionException"},
      {ErrorKind::kNotFound, 404, "NotFoundException"},
      {ErrorKind::kNoSuchWarehouse, 404, "NoSuchWarehouseException"},
      {ErrorKind::kUnsupported, 406, "UnsupportedOperationException"},
      {ErrorKind::kAlreadyExists, 409, "AlreadyExistsException"},
      {ErrorKind::kCommitFailed, 409, "CommitFailedException"},
      {ErrorKind::kNamespaceNotEmpty, 409, "NamespaceNotEmptyException"},
      {ErrorKind::kUnprocessable, 422, "UnprocessableEntityException"},
      {ErrorKind::kUnavailable, 503, "SlowDownException"},
      {ErrorKind::kCommitStateUnknown, 500, "CommitStateUnknownException"},
  };
  return cases;
}

using ErrorTest = RestTest;

TEST_F(ErrorTest, OfEachKindHasATypeAndAStatus) {
  for (const KindCase& expected : KindCases()) {
    catalog_.failure = Error{expected.kind, "why"};
    HttpReply reply = Post("/v1/namespaces/ns/tables/t", "{}");
    EXPECT_THAT(reply, IsErrorReply(expected.status, expected.type, "why"));
    EXPECT_EQ(reply.error, expected.type + ": why");
    EXPECT_EQ(reply.operation, "updateTable");
    EXPECT_EQ(HeaderOf(reply, "Retry-After"), expected.status == 503 ? "1" : "(none)");
  }
}

TEST_F(ErrorTest, OfTheInsideIsNotTold) {
  catalog_.failure = Error{ErrorKind::kInternal, "row 7 of iceberg_tables is damaged"};
  HttpReply reply = Ask("GET", "/v1/namespaces/ns/tables/t");
  EXPECT_THAT(reply, IsErrorReply(500, "InternalServerError", Not(HasSubstr("iceberg_tables"))));
  EXPECT_EQ(reply.error, "InternalServerError: row 7 of iceberg_tables is damaged");
}

TEST_F(ErrorTest, OfACommitThatSurelyChangedNothingIsNever500) {
  catalog_.failure = Error{ErrorKind::kInternal, "inside"};
  for (const char* target :
       {"/v1/namespaces/ns/tables/t", "/v1/namespaces/ns/views/v", "/v1/transactions/commit"}) {
    HttpReply reply = Post(target, "{}");
    EXPECT_THAT(reply, IsErrorReply(503, "SlowDownException", Not(HasSubstr("inside"))));
    EXPECT_EQ(HeaderOf(reply, "Retry-After"), "1");
    EXPECT_EQ(reply.error, "SlowDownException: inside");
  }
  EXPECT_EQ(Post("/v1/namespaces/ns/tables", "{}").status, 500);
}

TEST_F(ErrorTest, OfAHeadHasNoBody) {
  for (const char* target : {"/v1/namespaces/no", "/v1/namespaces/no/tables/t", "/v1/nothing",
                             "/v1/config/x", "/v1/namespaces/ns/views/v", "/v1/namespaces/%FF"}) {
    HttpReply reply = Ask("HEAD", target);
    EXPECT_GE(reply.status, 400) << target;
    EXPECT_EQ(reply.body(), "") << target;
    EXPECT_EQ(HeaderOf(reply, "Content-Type"), "(none)") << target;
    EXPECT_NE(reply.error, "") << target;
  }
}

TEST(MakeErrorReply, WritesGoodJsonWhateverTheMessage) {
  HttpReply reply = MakeErrorReply(413, "PayloadTooLargeException", "\"\x01\xFF\"");
  EXPECT_THAT(reply, IsErrorReply(413, "PayloadTooLargeException", HasSubstr("\x01")));
}

TEST(MakeErrorReply, ForgivesAnUnknownOperation) {
  EXPECT_THAT(MakeErrorReply(Error{ErrorKind::kInternal, "inside"}, nullptr),
              IsErrorReply(500, "InternalServerError", Not(HasSubstr("inside"))));
}

}  // namespace
}  // namespace berglite::rest
