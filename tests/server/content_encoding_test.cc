#include "shim/server/content_encoding.h"

#include <string>

#include "tests/server/bytes.h"
#include "tests/support/matchers.h"

namespace berglite::server {
namespace {

using ::berglite::testing::Gzip;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::Repeat;
using ::testing::HasSubstr;

rest::HttpRequest Request(const std::string& encoding, std::string body) {
  rest::HttpRequest request;
  request.headers = {{"Host", "h"}, {"content-ENCODING", encoding}};
  request.body = std::move(body);
  return request;
}

TEST(DecodeBody, InflatesGzipAndDropsTheHeader) {
  for (const char* name : {"gzip", "GZip", "x-gzip"}) {
    rest::HttpRequest request = Request(name, Gzip("hello"));
    EXPECT_THAT(DecodeBody(request, 5), IsOk());
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.headers.size(), 1U);
  }
}

TEST(DecodeBody, InflatesSeveralMembers) {
  rest::HttpRequest request = Request("gzip", Gzip("hel") + Gzip("lo"));
  EXPECT_THAT(DecodeBody(request, 5), IsOk());
  EXPECT_EQ(request.body, "hello");
}

TEST(DecodeBody, StopsABombAtTheLimit) {
  rest::HttpRequest request = Request("gzip", Gzip(Repeat(50'000'000, '0')));
  EXPECT_LT(request.body.size(), 100'000U);
  EXPECT_THAT(DecodeBody(request, 1'000'000),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("1000000 bytes when inflated")));
  rest::HttpRequest one_past = Request("gzip", Gzip("hello"));
  EXPECT_THAT(DecodeBody(one_past, 4), IsError(ErrorKind::kInvalidArgument, HasSubstr("4 bytes")));
}

TEST(DecodeBody, RefusesWhatIsNotGzip) {
  const std::string whole = Gzip("hello hello hello");
  for (const std::string& bad :
       {std::string("{}"), whole.substr(0, whole.size() - 1), whole.substr(0, 12), whole + "x"}) {
    rest::HttpRequest request = Request("gzip", bad);
    EXPECT_THAT(DecodeBody(request, 1000),
                IsError(ErrorKind::kMalformedRequest, HasSubstr("not valid gzip")));
  }
}

TEST(DecodeBody, LeavesOtherEncodingsToTheService) {
  for (const char* name : {"zstd", "br", "deflate", "gzip, gzip"}) {
    rest::HttpRequest request = Request(name, "xyz");
    EXPECT_THAT(DecodeBody(request, 1000), IsOk());
    EXPECT_EQ(request.body, "xyz");
    EXPECT_EQ(request.headers.size(), 2U);
  }
}

TEST(DecodeBody, TakesAnEmptyBodyAsEmpty) {
  rest::HttpRequest request = Request("gzip", "");
  EXPECT_THAT(DecodeBody(request, 1000), IsOk());
  EXPECT_EQ(request.body, "");
}

}  // namespace
}  // namespace berglite::server
