// ReplyWriter and WireReply over a local socket that keeps the borders of messages.
#include "shim/server/reply_writer.h"

#include <array>
#include <csignal>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Progress = WireReply::Progress;

constexpr ReplyContext kGet = {.method = "GET", .idle_timeout = std::chrono::seconds(300)};

rest::HttpReply Reply(int status, std::string text) {
  rest::HttpReply reply;
  reply.status = status;
  reply.headers = {{"Content-Type", "application/json"}, {"ETag", "\"a\""}};
  reply.text = std::move(text);
  return reply;
}

// What each send to a client sent.
std::vector<std::string> Sent(WireReply wire) {
  std::array<int, 2> ends{};
  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data());
  EXPECT_EQ(wire.Send(ends[0]), Progress::kDone);
  close(ends[0]);
  std::vector<std::string> sent;
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = recv(ends[1], buffer.data(), buffer.size(), 0)) > 0;) {
    sent.emplace_back(buffer.data(), static_cast<size_t>(count));
  }
  close(ends[1]);
  return sent;
}

std::string Written(rest::HttpReply reply, const ReplyContext& context) {
  ReplyWriter writer;
  std::vector<std::string> sent = Sent(writer.Write(std::move(reply), context));
  EXPECT_EQ(sent.size(), 1U);
  return sent.empty() ? "" : sent[0];
}

TEST(ReplyWriter, SendsHeadAndBodyInOneWrite) {
  const std::string bytes = Written(Reply(200, "{\"a\":1}"), kGet);
  EXPECT_THAT(bytes, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nContent-Length: 7\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(bytes, HasSubstr("\r\nETag: \"a\"\r\n"));
  EXPECT_THAT(bytes, EndsWith("\r\n\r\n{\"a\":1}"));
}

TEST(ReplyWriter, IsHonestAboutKeepingTheConnection) {
  const std::string kept = Written(Reply(200, "{}"), kGet);
  EXPECT_THAT(kept, HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(kept, HasSubstr("\r\nKeep-Alive: timeout=300\r\n"));
  const std::string closed =
      Written(Reply(200, "{}"), {.method = "GET", .keep_alive = false, .idle_timeout = {}});
  EXPECT_THAT(closed, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(closed, Not(HasSubstr("Keep-Alive")));
  // An error is no reason to close.
  EXPECT_THAT(Written(Reply(404, "{}"), kGet), HasSubstr("\r\nConnection: keep-alive\r\n"));
}

TEST(ReplyWriter, SaysWhatDayItIs) {
  EXPECT_THAT(Written(Reply(200, "{}"), kGet),
              ::testing::ContainsRegex(
                  "\r\nDate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT\r\n"));
}

TEST(ReplyWriter, LeavesTheBodyOutForHead) {
  const std::string bytes = Written(Reply(200, "{\"a\":1}"), {.method = "HEAD"});
  EXPECT_THAT(bytes, HasSubstr("\r\nContent-Length: 7\r\n"));
  EXPECT_THAT(bytes, EndsWith("\r\n\r\n"));
  EXPECT_THAT(bytes, Not(HasSubstr("Accept-Ranges")));
}

TEST(ReplyWriter, TellsNoLengthForHeadWhereTheBodyWasNotMade) {
  EXPECT_THAT(Written(Reply(200, ""), {.method = "HEAD"}), Not(HasSubstr("Content-Length")));
}

TEST(ReplyWriter, NeverGivesABodyToAStatusWithoutOne) {
  for (const int status : {204, 304}) {
    const std::string bytes = Written(Reply(status, "{}"), kGet);
    EXPECT_THAT(bytes, EndsWith("\r\n\r\n"));
    EXPECT_THAT(bytes, Not(HasSubstr("Content-Length")));
  }
  EXPECT_THAT(Written(Reply(200, ""), kGet), HasSubstr("\r\nContent-Length: 0\r\n"));
}

TEST(ReplyWriter, SendsADocumentAsItIs) {
  rest::HttpReply reply;
  reply.document = Document::Parse("{\"a\": [1, 2]}").value();
  EXPECT_THAT(Written(std::move(reply), kGet), EndsWith("\r\n\r\n{\"a\": [1, 2]}"));
}

TEST(ReplyWriter, LeavesTheSignalsOfTheProcessAlone) {
  signal(SIGPIPE, SIG_DFL);
  const ReplyWriter writer;
  struct sigaction action {};
  sigaction(SIGPIPE, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(WireReply, GoesOnWhereTheClientStoppedReading) {
  std::string body(5'000'000, 'x');
  body.back() = 'y';
  ReplyWriter writer;
  WireReply wire = writer.Write(Reply(200, body), kGet);
  const size_t total = wire.missing_bytes();
  std::array<int, 2> ends{};
  socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data());
  std::string received;
  std::vector<char> buffer(100'000);
  while (wire.Send(ends[0]) == Progress::kBlocked) {
    EXPECT_LT(wire.missing_bytes(), total);
    const ssize_t count = recv(ends[1], buffer.data(), buffer.size(), 0);
    ASSERT_GT(count, 0);
    received.append(buffer.data(), static_cast<size_t>(count));
  }
  EXPECT_EQ(wire.missing_bytes(), 0U);
  for (ssize_t count = 0; (count = recv(ends[1], buffer.data(), buffer.size(), 0)) > 0;) {
    received.append(buffer.data(), static_cast<size_t>(count));
  }
  EXPECT_EQ(received.size(), total);
  EXPECT_TRUE(received.ends_with("\r\n\r\n" + body));
  close(ends[0]);
  close(ends[1]);
}

TEST(WireReply, SurvivesAClientThatIsGone) {
  signal(SIGPIPE, SIG_DFL);  // which would end this process
  std::array<int, 2> ends{};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
  close(ends[1]);
  ReplyWriter writer;
  EXPECT_EQ(writer.Write(Reply(200, "{}"), kGet).Send(ends[0]), Progress::kBroken);
  close(ends[0]);
}

}  // namespace
}  // namespace berglite::server
