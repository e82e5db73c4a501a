// RequestReader without sockets: what is a request, what is refused, and that the pieces in which
// bytes arrive make no difference.
#include "shim/server/request_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using State = RequestReader::State;

const Limits kLimits;

// What came of `bytes`: the request, or the status and message of its refusal.
struct Outcome {
  State state = State::kIdle;
  rest::HttpRequest request;
  int status = 0;
  std::string message;
  bool keep_alive = true;
};

Outcome Finish(RequestReader& reader) {
  Outcome outcome;
  outcome.state = reader.state();
  outcome.keep_alive = reader.keep_alive();
  if (outcome.state == State::kComplete) outcome.request = reader.TakeRequest();
  if (outcome.state == State::kRefused) {
    outcome.status = reader.refusal().status;
    outcome.message = reader.refusal().message;
  }
  return outcome;
}

Outcome Read(std::string_view bytes, const Limits& limits = kLimits) {
  RequestReader reader(limits);
  reader.Feed(bytes);
  return Finish(reader);
}

// A GET with these header lines besides Host.
std::string Get(const std::string& lines) {
  return "GET / HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n";
}

std::string Post(const std::string& lines, const std::string& body) {
  return "POST /v1 HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n" + body;
}

TEST(RequestReader, GivesTheRequestAsItWasSent) {
  const Outcome outcome = Read(
      "GET /v1//a%2Fb%zz\x1F\xC3\xA4?x=1?y=%31#f HTTP/1.1\r\nHost: h:1\r\nX-Empty:\r\n"
      "Authorization: \t Bearer a%2Fb%25 \r\nx-empty: again\r\n\r\n");
  ASSERT_EQ(outcome.state, State::kComplete) << outcome.message;
  EXPECT_EQ(outcome.request.method, "GET");
  EXPECT_EQ(outcome.request.target, "/v1//a%2Fb%zz\x1F\xC3\xA4?x=1?y=%31#f");
  EXPECT_THAT(outcome.request.headers,
              ElementsAre(Pair("Host", "h:1"), Pair("X-Empty", ""),
                          Pair("Authorization", "Bearer a%2Fb%25"), Pair("x-empty", "again")));
  EXPECT_EQ(outcome.request.body, "");
  EXPECT_TRUE(outcome.keep_alive);
}

TEST(RequestReader, IsIdleAfterACrlfTooManyThatCameInTwoPieces) {
  RequestReader reader(kLimits);
  EXPECT_EQ(reader.Feed(Get("") + "\r"), State::kComplete);
  reader.TakeRequest();
  EXPECT_EQ(reader.Feed({}), State::kHead);
  EXPECT_EQ(reader.Feed("\n"), State::kIdle);
  EXPECT_EQ(reader.Feed("G"), State::kHead);
}

TEST(RequestReader, MakesTheSameOfBytesInAnyPieces) {
  const std::vector<std::string> streams = {
      Post("Content-Length: 5\r\n", "hello"),
      Post("Transfer-Encoding: Chunked\r\n", "2;x=\"y\"\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n"),
  };
  for (const std::string& stream : streams) {
    for (size_t cut = 0; cut <= stream.size(); ++cut) {
      RequestReader reader(kLimits);
      reader.Feed(stream.substr(0, cut));
      EXPECT_EQ(reader.state() == State::kComplete, cut == stream.size()) << cut;
      reader.Feed(stream.substr(cut));
      EXPECT_EQ(Finish(reader).request.body, "hello") << cut;
    }
    RequestReader reader(kLimits);
    for (const char byte : stream) reader.Feed(std::string_view(&byte, 1));
    EXPECT_EQ(Finish(reader).request.body, "hello");
  }
}

TEST(RequestReader, KeepsTheBytesOfTheNextRequests) {
  RequestReader reader(kLimits);
  reader.Feed(Post("Content-Length: 1\r\n", "a") + "\r\n" +
              Post("Transfer-Encoding: chunked\r\n", "1\r\nb\r\n0\r\n\r\n") + "GET /c");
  EXPECT_EQ(Finish(reader).request.body, "a");
  EXPECT_EQ(reader.state(), State::kIdle);
  EXPECT_EQ(reader.Feed({}), State::kComplete);
  EXPECT_EQ(Finish(reader).request.body, "b");
  EXPECT_EQ(reader.Feed({}), State::kHead);
  EXPECT_EQ(reader.held_bytes(), 6U);
  EXPECT_EQ(reader.Feed(" HTTP/1.1\r\nHost: h\r\n\r\n"), State::kComplete);
  EXPECT_EQ(Finish(reader).request.target, "/c");
  EXPECT_EQ(reader.Feed({}), State::kIdle);
  EXPECT_EQ(reader.held_bytes(), 0U);
}

TEST(RequestReader, TellsHeadAndBodyApart) {
  RequestReader reader(kLimits);
  EXPECT_EQ(reader.Feed("\r\n"), State::kIdle);
  EXPECT_EQ(reader.Feed("P"), State::kHead);
  EXPECT_EQ(reader.Feed("OST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"), State::kHead);
  EXPECT_EQ(reader.Feed("\r\n"), State::kBody);
  EXPECT_EQ(reader.Feed("1"), State::kBody);
  EXPECT_EQ(reader.body_bytes(), 1U);
  EXPECT_EQ(reader.Feed("2"), State::kComplete);
}

TEST(RequestReader, TakesAPostWithoutLengthAsEmpty) {
  const Outcome outcome = Read(Post("", ""));
  EXPECT_EQ(outcome.state, State::kComplete);
  EXPECT_EQ(outcome.request.body, "");
}

TEST(RequestReader, TakesTheAbsoluteFormOfATarget) {
  const Outcome outcome = Read("GET HTTP://other:8181/v1?a HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(outcome.request.target, "/v1?a");
  EXPECT_THAT(outcome.request.headers, ElementsAre(Pair("Host", "other:8181")));
  EXPECT_EQ(Read("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n").request.target, "/");
  EXPECT_EQ(Read("GET http://h?a HTTP/1.1\r\nHost: h\r\n\r\n").request.target, "/?a");
  EXPECT_EQ(Read("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").request.target, "*");
}

TEST(RequestReader, GivesUnknownMethodsToTheService) {
  EXPECT_EQ(Read("get / HTTP/1.1\r\nHost: h\r\n\r\n").request.method, "get");
  EXPECT_EQ(Read("BREW /x HTTP/1.1\r\nHost: h\r\n\r\n").request.method, "BREW");
}

struct Refused {
  const char* what;
  std::string bytes;
  int status;
};

class BadRequests : public ::testing::TestWithParam<Refused> {};

TEST_P(BadRequests, AreRefusedAndEndTheReader) {
  RequestReader reader(kLimits);
  reader.Feed(GetParam().bytes);
  ASSERT_EQ(reader.state(), State::kRefused);
  EXPECT_EQ(reader.refusal().status, GetParam().status) << reader.refusal().message;
  EXPECT_FALSE(reader.refusal().message.empty());
  EXPECT_FALSE(reader.keep_alive());
  EXPECT_EQ(reader.Feed(Get("")), State::kRefused);
}

INSTANTIATE_TEST_SUITE_P(
    OfAllKinds, BadRequests,
    ::testing::Values(
        Refused{"TlsHello", "\x16\x03\x01", 400}, Refused{"NoTarget", "GET HTTP/1.1\r\n", 400},
        Refused{"SpaceInTarget", "GET /a b HTTP/1.1\r\n", 400},
        Refused{"ControlInTarget", "GET /a\x01 HTTP/1.1\r\n", 400},
        Refused{"RelativeTarget", "GET v1 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        Refused{"OtherScheme", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        Refused{"NoAuthority", "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        Refused{"BadMethod", "G(T / HTTP/1.1\r\n", 400},
        Refused{"Http2", "PRI * HTTP/2.0\r\n", 505}, Refused{"NoVersion", "GET / HTPT\r\n", 400},
        Refused{"BareLineFeed", "GET / HTTP/1.1\nHost: h\n\n", 400},
        Refused{"BareLineFeedAfterAHeader", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400},
        Refused{"BareLineFeedAfterTheHead", "GET / HTTP/1.1\r\nHost: h\r\n\n", 400},
        Refused{"FoldBeforeTheFirstHeader", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
        Refused{"LongMethod", std::string(33, 'M') + " / HTTP/1.1\r\n", 400},
        Refused{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        Refused{"TwoHosts", Get("Host: i\r\n"), 400},
        Refused{"SpaceBeforeColon", Get("X : y\r\n"), 400}, Refused{"NoColon", Get("X\r\n"), 400},
        Refused{"NoName", Get(": y\r\n"), 400}, Refused{"FoldedValue", Get("X: y\r\n z\r\n"), 400},
        Refused{"CarriageReturnInValue", Get("X: y\rz: a\r\n"), 400},
        Refused{"NulInValue", Get(std::string("X: y\0z\r\n", 8)), 400},
        Refused{"NegativeLength", Post("Content-Length: -1\r\n", ""), 400},
        Refused{"SignedLength", Post("Content-Length: +1\r\n", ""), 400},
        Refused{"WordAsLength", Post("Content-Length: abc\r\n", ""), 400},
        Refused{"NoLength", Post("Content-Length:\r\n", ""), 400},
        Refused{"HexLength", Post("Content-Length: 0x1\r\n", ""), 400},
        Refused{"ListOfLengths", Post("Content-Length: 1, 1\r\n", ""), 400},
        Refused{"TwoLengths", Post("Content-Length: 1\r\nContent-Length: 1\r\n", ""), 400},
        Refused{"TwoOtherLengths", Post("Content-Length: 1\r\ncontent-length: 2\r\n", ""), 400},
        Refused{"HugeLength", Post("Content-Length: 99999999999999999999\r\n", ""), 413},
        Refused{"LengthAndChunked", Post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", ""),
                400},
        Refused{"ChunkedAndLength", Post("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", ""),
                400},
        Refused{"ChunkedAsAWordInAnother", Post("Transfer-Encoding: xchunked\r\n", ""), 501},
        Refused{"ChunkedAfterATabulator",
                Post("Transfer-Encoding: \x0B"
                     "chunked\r\n",
                     ""),
                400},
        Refused{"ChunkedBeforeAnother", Post("Transfer-Encoding: chunked, identity\r\n", ""), 501},
        Refused{"NoCoding", Post("Transfer-Encoding:\r\n", ""), 501},
        Refused{"GzipChunked", Post("Transfer-Encoding: gzip, chunked\r\n", ""), 501},
        Refused{"Identity", Post("Transfer-Encoding: identity\r\n", ""), 501},
        Refused{"ChunkedTwice",
                Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""), 400},
        Refused{"ChunkedInOldHttp",
                "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        Refused{"NoChunkSize", Post("Transfer-Encoding: chunked\r\n", "\r\n"), 400},
        Refused{"BadChunkSize", Post("Transfer-Encoding: chunked\r\n", "1x\r\n"), 400},
        Refused{"NegativeChunkSize", Post("Transfer-Encoding: chunked\r\n", "-1\r\n"), 400},
        Refused{"HugeChunkSize", Post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"),
                413},
        Refused{"BareLineFeedAfterAChunkSize", Post("Transfer-Encoding: chunked\r\n", "1\na\r\n"),
                400},
        Refused{"BareLineFeedInAChunkExtension",
                Post("Transfer-Encoding: chunked\r\n", "1;a\n0\r\n\r\n"), 400},
        Refused{"HexPrefixedChunkSize", Post("Transfer-Encoding: chunked\r\n", "0x1\r\na\r\n"),
                400},
        Refused{"ChunkTooLong", Post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n"), 400},
        Refused{"OtherExpectation", Post("Expect: 200-ok\r\n", ""), 417}),
    [](const auto& refused) { return refused.param.what; });

// The next four: at the limit, and one past it.

TEST(RequestReader, TakesATargetUpToTheLimit) {
  const auto with_target = [](size_t size) {
    return Read("GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n");
  };
  EXPECT_EQ(with_target(kLimits.target_bytes_max).request.target.size(), kLimits.target_bytes_max);
  EXPECT_EQ(with_target(kLimits.target_bytes_max + 1).status, 414);
  // Without waiting for the end of the line.
  EXPECT_EQ(Read("GET /" + std::string(kLimits.target_bytes_max + 100, 'a')).status, 414);
}

TEST(RequestReader, TakesAHeadUpToTheLimit) {
  const auto with_head = [](size_t size) {
    const size_t rest = Get("X: \r\n").size();
    return Read(Get("X: " + std::string(size - rest, 'a') + "\r\n"));
  };
  EXPECT_EQ(with_head(kLimits.head_bytes_max).state, State::kComplete);
  EXPECT_EQ(with_head(kLimits.head_bytes_max + 1).status, 431);
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nX: " + std::string(kLimits.head_bytes_max, 'a')).status, 431);
}

TEST(RequestReader, TakesHeaderFieldsUpToTheLimit) {
  const auto with_fields = [](size_t count) {
    std::string lines;
    for (size_t i = 1; i < count; ++i) lines += "X: y\r\n";
    return Read(Get(lines));
  };
  EXPECT_EQ(with_fields(kLimits.header_fields_max).request.headers.size(),
            kLimits.header_fields_max);
  EXPECT_EQ(with_fields(kLimits.header_fields_max + 1).status, 431);
}

TEST(RequestReader, TakesABodyUpToTheLimit) {
  Limits limits;
  limits.body_bytes_max = 10;
  EXPECT_EQ(Read(Post("Content-Length: 10\r\n", "0123456789"), limits).request.body.size(), 10U);
  EXPECT_EQ(Read(Post("Content-Length: 11\r\n", ""), limits).status, 413);
  const auto chunked = [&](const std::string& last) {
    return Read(Post("Transfer-Encoding: chunked\r\n", "6\r\n012345\r\n" + last), limits);
  };
  EXPECT_EQ(chunked("4\r\n6789\r\n0\r\n\r\n").request.body, "0123456789");
  EXPECT_EQ(chunked("5\r\n").status, 413);
}

TEST(RequestReader, BoundsWhatComesBetweenChunks) {
  const std::string extension = ";" + std::string(kLimits.head_bytes_max / 4, 'x');
  std::string body;
  for (int i = 0; i < 5; ++i) body += "1" + extension + "\r\na\r\n";
  EXPECT_EQ(Read(Post("Transfer-Encoding: chunked\r\n", body)).status, 431);
  // Many small chunks are no attack.
  std::string small;
  for (int i = 0; i < 50'000; ++i) small += "1\r\na\r\n";
  EXPECT_EQ(Read(Post("Transfer-Encoding: chunked\r\n", small + "0\r\n\r\n")).request.body.size(),
            50'000U);
}

TEST(RequestReader, BoundsTrailers) {
  const auto with_trailers = [](size_t size) {
    const size_t rest = std::string("X: \r\n\r\n").size();
    return Read(Post("Transfer-Encoding: chunked\r\n",
                     "0\r\nX: " + std::string(size - rest, 'y') + "\r\n\r\n"));
  };
  EXPECT_EQ(with_trailers(kLimits.head_bytes_max).state, State::kComplete);
  EXPECT_EQ(with_trailers(kLimits.head_bytes_max + 1).status, 431);
}

TEST(RequestReader, TakesAMethodUpToTheLimit) {
  const std::string method(32, 'M');
  EXPECT_EQ(Read(method + " / HTTP/1.1\r\nHost: h\r\n\r\n").request.method, method);
}

TEST(RequestReader, ReservesNoMemoryForAClaimedLength) {
  RequestReader reader(kLimits);
  reader.Feed(Post("Content-Length: 60000000\r\n", "x"));
  EXPECT_LT(reader.held_bytes(), 200U);
  EXPECT_EQ(reader.state(), State::kBody);
}

TEST(RequestReader, TellsWhoMayKeepTheConnection) {
  EXPECT_TRUE(Read(Get("")).keep_alive);
  EXPECT_FALSE(Read(Get("Connection: close\r\n")).keep_alive);
  EXPECT_FALSE(Read(Get("connection: Foo , CLOSE\r\n")).keep_alive);
  EXPECT_FALSE(Read("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(Read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
}

TEST(RequestReader, SaysOnceThatTheClientWaitsForContinue) {
  RequestReader reader(kLimits);
  reader.Feed(Post("Expect: 100-Continue\r\nContent-Length: 1\r\n", ""));
  EXPECT_TRUE(reader.TakeContinue());
  EXPECT_FALSE(reader.TakeContinue());
  EXPECT_EQ(reader.Feed("a"), State::kComplete);
}

TEST(RequestReader, KnowsWhenNobodyWaitsForContinue) {
  const auto waits = [](const std::string& bytes) {
    RequestReader reader(kLimits);
    reader.Feed(bytes);
    return reader.TakeContinue();
  };
  EXPECT_TRUE(waits(Post("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n", "")));
  EXPECT_FALSE(waits(Post("Expect: 100-continue\r\nContent-Length: 1\r\n", "a")));
  EXPECT_FALSE(waits(Post("Expect: 100-continue\r\n", "")));
  EXPECT_FALSE(waits("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"));
  EXPECT_FALSE(waits(Post("Expect: 100-continue\r\nContent-Length: 99999999999\r\n", "")));
}

}  // namespace
}  // namespace berglite::server
