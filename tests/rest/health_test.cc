// The probes, and the names under which a server on every address is reached.
#include "shim/rest/health.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using HealthTest = RestTest;

TEST_F(HealthTest, LooksAtNothingToSayThatTheServerLives) {
  const HttpReply reply = Ask("GET", "/healthz");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body(), R"({"status":"ok"})");
  EXPECT_EQ(HeaderOf(reply, "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(reply, "Cache-Control"), "no-store");
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HealthTest, AsksTheCatalogWhetherItIsReady) {
  const HttpReply reply = Ask("GET", "/readyz?verbose");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body(), R"({"status":"ready"})");
  EXPECT_THAT(catalog_.calls, ElementsAre("CheckWritable"));
}

TEST_F(HealthTest, TellsTheReasonToTheLogAlone) {
  catalog_.failure = Error{ErrorKind::kUnavailable, "/secret/lake.db is read-only"};
  const HttpReply reply = Ask("GET", "/readyz");
  EXPECT_THAT(reply, IsErrorReply(503, "ServiceUnavailableException", Not(HasSubstr("/secret"))));
  EXPECT_EQ(HeaderOf(reply, "Retry-After"), "1");
  EXPECT_THAT(reply.error, HasSubstr("/secret/lake.db is read-only"));
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
}

TEST_F(HealthTest, AnswersHeadWithoutABody) {
  const HttpReply reply = Ask("HEAD", "/readyz");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body(), "");
}

TEST_F(HealthTest, TakesNoOtherMethod) {
  const HttpReply reply = Ask("POST", "/readyz");
  EXPECT_THAT(reply, IsErrorReply(405, "MethodNotAllowedException", HasSubstr("POST")));
  EXPECT_EQ(HeaderOf(reply, "Allow"), "GET, HEAD");
  EXPECT_THAT(catalog_.calls, IsEmpty());
}

TEST_F(HealthTest, AnswersUnderAnyName) {
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(Ask("GET", path, {{"Host", "probe.example"}}).status, 200);
  }
}

TEST_F(HealthTest, HasTwoPathsAlone) {
  for (const char* path : {"/healthz/", "/health", "/readyz/x", "/v1/readyz"}) {
    EXPECT_EQ(Ask("GET", path).status, 404) << path;
  }
}

TEST_F(HealthTest, DoesNotLookAgainWhileWhatItFoundIsFresh) {
  Health health(catalog_, std::chrono::hours(1));
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 200);
  catalog_.failure = Error{ErrorKind::kUnavailable, "full"};
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 200);
  EXPECT_THAT(catalog_.calls, ElementsAre("CheckWritable"));
}

TEST_F(HealthTest, LooksAgainWhenThatIsOld) {
  Health health(catalog_, std::chrono::milliseconds(0));
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 200);
  catalog_.failure = Error{ErrorKind::kUnavailable, "full"};
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 503);
  catalog_.failure.reset();
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 200);
}

// The fake catalog is for one thread at a time, which sanitizers see.
TEST_F(HealthTest, LooksOnceAtATimeHoweverManyAsk) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 200;
  Health health(catalog_, std::chrono::milliseconds(0));
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        ready += health.Answer("GET", "/readyz")->status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ready, kThreads * kRounds);
  EXPECT_THAT(catalog_.calls, Each("CheckWritable"));
}

TEST_F(HealthTest, IsNotTiedUpByALookThatThrows) {
  Health health(catalog_, std::chrono::milliseconds(0));
  catalog_.throws = true;
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 503);
  catalog_.throws = false;
  EXPECT_EQ(health.Answer("GET", "/readyz")->status, 200);
}

TEST_F(HealthTest, OfAServerOnEveryAddressIsNoMatterOfNamesThatAnyoneCanRegister) {
  Service service(catalog_, {.host_names = HostNames::kPrivate});
  const auto status = [&](const char* host) {
    return service.Handle({"GET", "/v1/config", {{"Host", host}}, {}}).status;
  };
  for (const char* host : {"rest", "iceberg-rest:8181", "0.0.0.0:8181", "10.1.2.3", "[fd00::1]:80",
                           "a.localhost", "rest.lake.svc.cluster.local", "host.docker.internal:1",
                           "lake.Test", "nas.home.arpa", "localhost", "127.0.0.1"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"example.org", "10.1.2.3.example.org", "10.1.2", "10.1.2.256",
                           "internal.example", "notlocal.xlocal.com", ".local", ""}) {
    EXPECT_EQ(status(host), 403) << host;
  }
}

}  // namespace
}  // namespace berglite::rest
