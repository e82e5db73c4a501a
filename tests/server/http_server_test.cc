// The HTTP server over real sockets, with a handler of the test's own instead of the service. The
// traps of serving HTTP with few threads are here, one test each.
#include "shim/server/http_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "shim/rest/service.h"
#include "tests/server/bytes.h"
#include "tests/server/raw_client.h"
#include "tests/support/matchers.h"

namespace berglite::server {
namespace {

using ::berglite::testing::Gzip;
using ::berglite::testing::IsError;
using ::berglite::testing::RawClient;
using ::berglite::testing::RawReply;
using ::berglite::testing::Repeat;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Answers with the target and the body.
rest::HttpReply Echo(const rest::HttpRequest& request) {
  rest::HttpReply reply;
  reply.headers = {{"Content-Type", "application/json"}};
  reply.text = request.method + " " + request.target + " " + request.body;
  return reply;
}

std::unique_ptr<Server> Start(Handler handler, const Limits& limits = {}, int workers = 2) {
  auto server = StartHttpServer({.port = 0, .workers = workers}, std::move(handler), limits);
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(server).value();
}

std::string Get(const std::string& target, const std::string& lines = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n";
}

std::string Post(const std::string& target, const std::string& body,
                 const std::string& lines = "") {
  return "POST " + target +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         lines + "\r\n" + body;
}

// A handler whose requests to /wait stay with their worker until Open.
class Gate {
 public:
  rest::HttpReply operator()(const rest::HttpRequest& request) {
    if (request.target == "/wait") {
      ++waiting_;
      waiting_.notify_all();
      open_.wait();
    }
    return Echo(request);
  }
  Handler handler() {
    return [this](const rest::HttpRequest& request) { return (*this)(request); };
  }
  void AwaitWaiting(int count) {
    for (int seen = waiting_; seen < count; seen = waiting_) waiting_.wait(seen);
  }
  void Open() { open_.count_down(); }

 private:
  std::atomic<int> waiting_ = 0;
  std::latch open_{1};
};

// A socket option of this process's end that is connected to (or, with no peer, listens like)...
// found among its files, since the server shows none.
template <typename Predicate>
int FindSocket(Predicate predicate) {
  for (int fd = 3; fd < 1024; ++fd) {
    if (predicate(fd)) return fd;
  }
  return -1;
}

int PortOf(int fd, int (*get)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (get(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

// The server's end of a connection.
class ServerEnd {
 public:
  explicit ServerEnd(const RawClient& client) : port_(PortOf(client.fd(), getsockname)) {}
  void AwaitOpen() const {
    while (!IsOpen()) std::this_thread::yield();
  }
  void AwaitClosed() const {
    while (IsOpen()) std::this_thread::yield();
  }

 private:
  bool IsOpen() const {
    return FindSocket([this](int fd) { return PortOf(fd, getpeername) == port_; }) >= 0;
  }
  const int port_;
};

// -- Connections --------------------------------------------------------------------------------

TEST(HttpServer, KeepsAConnectionForThousandsOfRequests) {
  const auto server = Start([](const rest::HttpRequest& request) {
    rest::HttpReply reply = Echo(request);
    if (request.target == "/204") reply.status = 204;
    if (request.target == "/304") reply.status = 304;
    if (request.target == "/404") reply.status = 404;
    return reply;
  });
  RawClient client(server->port());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(client.Ask(Get("/204")).status, 204);
    EXPECT_EQ(client.Ask("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD").status, 200);
    EXPECT_EQ(client.Ask("HEAD /404 HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD").status, 404);
    EXPECT_EQ(client.Ask(Get("/304")).status, 304);
    EXPECT_EQ(client.Ask(Get("/404")).status, 404);
    ASSERT_EQ(client.Ask(Post("/b", "body")).body, "POST /b body");
  }
}

TEST(HttpServer, IsNotHeldUpByIdleConnections) {
  const auto server = Start(Echo);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(idle.back()->connected());
    const bool has_asked = i % 2 == 0;
    if (has_asked) {
      ASSERT_EQ(idle.back()->Ask(Get("/")).status, 200);
    }
  }
  EXPECT_EQ(RawClient(server->port()).Ask(Get("/new")).body, "GET /new ");
  for (auto& client : idle) ASSERT_EQ(client->Ask(Get("/again")).body, "GET /again ");
}

// How often each thread of this process has gone to sleep. One that polls does so again and again.
std::map<std::string, long> Sleeps() {
  std::map<std::string, long> sleeps;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      const std::string_view name = "voluntary_ctxt_switches:";
      if (line.starts_with(name)) sleeps[task.path()] = std::stol(line.substr(name.size()));
    }
  }
  return sleeps;
}

TEST(HttpServer, SleepsWhileAllConnectionsAreIdle) {
  std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one
  const auto others = Sleeps();
  const auto sleeps = [&others] {
    auto all = Sleeps();
    std::erase_if(all, [&others](const auto& thread) { return others.contains(thread.first); });
    return all;
  };
  const auto server = Start(Echo);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_EQ(idle.back()->Ask(Get("/")).status, 200);
  }
  ASSERT_FALSE(sleeps().empty());
  // The first look may still see the workers lie down.
  bool has_slept_through = false;
  for (int look = 0; look < 20 && !has_slept_through; ++look) {
    const auto before = sleeps();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    has_slept_through = sleeps() == before;
  }
  EXPECT_TRUE(has_slept_through) << "some thread polls";
}

TEST(HttpServer, IsNotHeldUpBySlowSendersOrSlowReaders) {
  const auto server = Start([](const rest::HttpRequest& request) {
    rest::HttpReply reply = Echo(request);
    if (request.target == "/big") reply.text = Repeat(20'000'000, 'x');
    return reply;
  });
  std::vector<std::unique_ptr<RawClient>> slow;
  for (const std::string& bytes : {std::string("G"), std::string("GET / HTTP/1.1\r\nX: "),
                                   Post("/", "0123456789"), Get("/big")}) {
    for (int i = 0; i < 8; ++i) {
      slow.push_back(std::make_unique<RawClient>(server->port()));
      slow.back()->Send(bytes.ends_with("9") ? bytes.substr(0, bytes.size() - 1) : bytes);
    }
  }
  RawClient client(server->port());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.Ask(Get("/")).status, 200);
  slow[16]->Send("9");
  EXPECT_EQ(slow[16]->Read().body, "POST / 0123456789");
  EXPECT_EQ(slow[24]->Read().body.size(), 20'000'000U);
}

// Sends a byte at a time, for as long as it takes, until the server answers.
void Dribble(RawClient& client, const std::string& bytes) {
  pollfd poller{.fd = client.fd(), .events = POLLIN, .revents = 0};
  for (size_t i = 0; poll(&poller, 1, 1) == 0; ++i) {
    const size_t at = i < bytes.size() ? i : bytes.size() - 1;
    if (!client.Send(bytes.substr(at, 1))) return;
  }
}

// What arrives does not put the deadline off.
TEST(HttpServer, EndsClientsThatDribbleAndServesOthersMeanwhile) {
  Limits limits;
  limits.head_timeout = limits.transfer_timeout = std::chrono::milliseconds(300);
  const auto server = Start(Echo, limits);
  const std::vector<std::string> requests = {
      "GET / HTTP/1.1\r\nX: yyyy",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n1",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n1",
  };
  std::atomic<int> dribbling = 15;
  std::vector<std::thread> slow;
  slow.reserve(15);
  for (int i = 0; i < 15; ++i) {
    slow.emplace_back([&, i] {
      RawClient client(server->port());
      Dribble(client, requests[static_cast<size_t>(i) % requests.size()]);
      const RawReply reply = client.Read();
      EXPECT_EQ(reply.status, 408);
      EXPECT_EQ(RawClient::Header(reply, "Connection"), "close");
      --dribbling;
    });
  }
  RawClient client(server->port());
  do {
    ASSERT_EQ(client.Ask(Get("/")).status, 200);
  } while (dribbling > 0);
  for (std::thread& thread : slow) thread.join();
}

TEST(HttpServer, HasAsManyThreadsForManyConnectionsAsForOne) {
  Gate gate;
  const auto server = Start(gate.handler(), {}, 4);
  EXPECT_EQ(RawClient(server->port()).Ask(Get("/")).status, 200);
  const size_t threads = Sleeps().size();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(clients.back()->Send(i % 3 == 0 ? Get("/wait") : "GET /"));
  }
  gate.AwaitWaiting(4);
  EXPECT_EQ(Sleeps().size(), threads);
  gate.Open();
  for (size_t i = 0; i < clients.size(); i += 3) EXPECT_EQ(clients[i]->Read().status, 200);
  EXPECT_EQ(Sleeps().size(), threads);
}

TEST(HttpServer, SendsWithoutDelayAndTakesBurstsOfConnections) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(Get("/")).status, 200);
  const int port = PortOf(client.fd(), getsockname);
  const int accepted = FindSocket([&](int fd) { return PortOf(fd, getpeername) == port; });
  int no_delay = 0;
  socklen_t size = sizeof(no_delay);
  ASSERT_EQ(getsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
  const int listener = FindSocket([&](int fd) {
    int listens = 0;
    socklen_t length = sizeof(listens);
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0 &&
           PortOf(fd, getsockname) == server->port();
  });
  tcp_info info{};
  size = sizeof(info);
  ASSERT_EQ(getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
  EXPECT_GE(info.tcpi_sacked, 128U);  // of a listener: the length of its backlog
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests += i % 2 == 0 ? Get("/" + std::to_string(i)) : Post("/" + std::to_string(i), "x");
  }
  client.Send(requests);
  for (int i = 0; i < 100; ++i) {
    const std::string target = "/" + std::to_string(i);
    ASSERT_EQ(client.Read().body, i % 2 == 0 ? "GET " + target + " " : "POST " + target + " x");
  }
}

TEST(HttpServer, AnswersWhatCameBeforeABadRequestAndNothingAfterIt) {
  std::atomic<int> handled = 0;
  const auto server = Start([&](const rest::HttpRequest& request) {
    ++handled;
    return Echo(request);
  });
  RawClient client(server->port());
  client.Send(Get("/1") + Post("/2", "x") + "GET / HTTP/1.1\nHost: h\n\n" + Get("/4"));
  EXPECT_EQ(client.Read().body, "GET /1 ");
  EXPECT_EQ(client.Read().body, "POST /2 x");
  EXPECT_EQ(client.Read().status, 400);
  client.FinishSending();
  EXPECT_TRUE(client.IsClosedByServer());
  EXPECT_EQ(handled, 2);
}

TEST(HttpServer, ClosesWhenTheClientAsksTo) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  const RawReply reply = client.Ask(Get("/", "Connection: close\r\n"));
  EXPECT_THAT(reply.head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client.IsClosedByServer());
  RawClient old(server->port());
  EXPECT_THAT(old.Ask("GET / HTTP/1.0\r\n\r\n").head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(old.IsClosedByServer());
}

TEST(HttpServer, AnswersAClientThatHasFinishedSending) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  client.Send(Post("/half", "closed"));
  client.FinishSending();
  EXPECT_EQ(client.Read().body, "POST /half closed");
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST(HttpServer, DoesNotCarryOutHalfARequest) {
  std::atomic<int> handled = 0;
  const auto server = Start([&](const rest::HttpRequest& request) {
    ++handled;
    return Echo(request);
  });
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& part : {std::string("GET / HTTP/1.1\r\nHost: h\r\n"),
                                  std::string("POST / HTTP/1.1\r\nHost: h\r\n"
                                              "Content-Length: 9\r\n\r\n12345678"),
                                  chunked + "3\r\nabc\r\n", chunked + "3\r\nabc\r\n0\r\n"}) {
    RawClient client(server->port());
    client.Send(part);
    client.FinishSending();
    client.ReadToEnd();
  }
  EXPECT_EQ(handled, 0);
}

TEST(HttpServer, SaysHowLongAnIdleConnectionIsKeptAndClosesItThen) {
  Limits limits;
  limits.idle_timeout = std::chrono::milliseconds(1100);
  const auto server = Start(Echo, limits);
  RawClient unused(server->port());
  RawClient client(server->port());
  EXPECT_THAT(client.Ask(Get("/")).head, HasSubstr("\r\nKeep-Alive: timeout=1\r\n"));
  EXPECT_TRUE(client.IsClosedByServer());
  EXPECT_TRUE(unused.IsClosedByServer());
}

TEST(HttpServer, GivesUpOnARequestThatDoesNotArrive) {
  Limits limits;
  limits.head_timeout = limits.transfer_timeout = std::chrono::milliseconds(50);
  const auto server = Start(Echo, limits);
  for (const std::string& part : {std::string("G"), std::string("GET / HTTP/1.1\r\nHost: h\r\n"),
                                  std::string("POST / HTTP/1.1\r\nHost: h\r\n"
                                              "Content-Length: 9\r\n\r\n1234"),
                                  std::string("POST / HTTP/1.1\r\nHost: h\r\n"
                                              "Transfer-Encoding: chunked\r\n\r\n1")}) {
    RawClient client(server->port());
    client.Send(part);
    const RawReply reply = client.Read();
    EXPECT_EQ(reply.status, 408);
    EXPECT_THAT(reply.body, HasSubstr("took too long"));
    client.FinishSending();
    EXPECT_TRUE(client.IsClosedByServer());
  }
}

TEST(HttpServer, GivesUpOnAClientThatDoesNotTakeItsReply) {
  Limits limits;
  limits.transfer_timeout = limits.transfer_timeout_max = std::chrono::milliseconds(50);
  const auto server = Start(
      [](const rest::HttpRequest&) {
        rest::HttpReply reply;
        reply.text = Repeat(30'000'000, 'x');
        return reply;
      },
      limits);
  RawClient client(server->port());
  const ServerEnd server_end(client);
  server_end.AwaitOpen();
  client.Send(Get("/"));
  server_end.AwaitClosed();
  EXPECT_LT(client.ReadToEnd().size(), 30'000'000U);
}

// A body earns time by its length: here some minutes, beside which the 1 ms is nothing.
TEST(HttpServer, GivesALongBodyMoreTime) {
  Limits limits;
  limits.transfer_timeout = std::chrono::milliseconds(1);
  limits.bytes_per_second_min = 1;
  const auto server = Start(Echo, limits);
  const std::string body = Repeat(300, 'b');
  const std::string request = Post("/", body);
  RawClient slow(server->port());
  slow.Send(request.substr(0, request.size() - 100));
  RawClient other(server->port());
  for (int i = 0; i < 200; ++i) ASSERT_EQ(other.Ask(Get("/")).status, 200);
  slow.Send(request.substr(request.size() - 100));
  EXPECT_EQ(slow.Read().body, "POST / " + body);
}

// Of the two limits the other one cannot be what ends it.
TEST(HttpServer, EndsARefusedClientThatStaysAndOneThatSendsForEver) {
  for (const bool sends : {false, true}) {
    Limits limits;
    limits.body_bytes_max = 1000;
    limits.linger_timeout = limits.linger_timeout_max = std::chrono::hours(1);
    (sends ? limits.linger_timeout_max : limits.linger_timeout) = std::chrono::milliseconds(50);
    const auto server = Start(Echo, limits);
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
    EXPECT_EQ(client.Read().status, 413);
    if (sends) {
      while (client.Send("x")) std::this_thread::yield();
    }
    ServerEnd(client).AwaitClosed();
  }
}

TEST(HttpServer, MakesRoomByClosingTheConnectionIdleLongest) {
  Limits limits;
  limits.connections_max = 2;
  limits.idle_min = std::chrono::milliseconds(0);
  // One worker: it has handed the second connection back before it answers the first again.
  const auto server = Start(Echo, limits, 1);
  RawClient first(server->port());
  EXPECT_EQ(first.Ask(Get("/1")).status, 200);
  RawClient second(server->port());
  EXPECT_EQ(second.Ask(Get("/2")).status, 200);
  EXPECT_EQ(first.Ask(Get("/1")).status, 200);
  RawClient third(server->port());
  EXPECT_EQ(third.Ask(Get("/3")).status, 200);
  EXPECT_TRUE(second.IsClosedByServer());
  EXPECT_EQ(first.Ask(Get("/1")).status, 200);
}

// The limit of the process is set for as long as the server starts; its half is the most that is
// kept for other things.
TEST(HttpServer, LeavesFilesToTheRestOfTheProcess) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  constexpr rlim_t kFiles = 40;
  for (const size_t kept : {size_t{35}, size_t{15}}) {
    Limits limits;
    limits.idle_min = std::chrono::milliseconds(0);
    limits.file_descriptors_kept = kept;
    const rlimit few{.rlim_cur = kFiles, .rlim_max = files.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const auto server = Start(Echo, limits, 1);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    std::vector<std::unique_ptr<RawClient>> clients;
    const size_t connections_max = kFiles - std::min<size_t>(kept, kFiles / 2);
    for (size_t i = 0; i < connections_max; ++i) {
      clients.push_back(std::make_unique<RawClient>(server->port()));
      ASSERT_EQ(clients.back()->Ask(Get("/")).status, 200);
    }
    RawClient one_more(server->port());
    EXPECT_EQ(one_more.Ask(Get("/")).status, 200);
    const auto closed = std::count_if(clients.begin(), clients.end(), [](const auto& client) {
      pollfd poller{.fd = client->fd(), .events = POLLIN, .revents = 0};
      return poll(&poller, 1, 0) > 0;
    });
    EXPECT_EQ(closed, 1);
  }
}

TEST(HttpServer, LetsClientsWaitWhileAllConnectionsAreBusy) {
  Limits limits;
  limits.connections_max = 1;
  limits.idle_min = std::chrono::milliseconds(0);
  Gate gate;
  const auto server = Start(gate.handler(), limits);
  RawClient busy(server->port());
  busy.Send(Get("/wait"));
  gate.AwaitWaiting(1);
  RawClient waiting(server->port());
  waiting.Send(Get("/next"));
  gate.Open();
  EXPECT_EQ(busy.Read().status, 200);
  busy.Close();
  EXPECT_EQ(waiting.Read().body, "GET /next ");
}

TEST(HttpServer, BoundsTheMemoryOfAllRequestsTogether) {
  Limits limits;
  limits.buffered_bytes_max = 1'000'000;
  Gate gate;
  const auto server = Start(gate.handler(), limits);
  RawClient first(server->port());
  first.Send(Post("/wait", Repeat(600'000, 'x')));
  gate.AwaitWaiting(1);
  RawClient second(server->port());
  const RawReply refused = second.Ask(Post("/", Repeat(600'000, 'x')));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(RawClient::Header(refused, "Retry-After"), "1");
  second.FinishSending();
  EXPECT_TRUE(second.IsClosedByServer());
  gate.Open();
  EXPECT_EQ(first.Read().status, 200);
  EXPECT_EQ(first.Ask(Post("/", Repeat(600'000, 'x'))).status, 200);
}

// -- Framing ------------------------------------------------------------------------------------

TEST(HttpServer, RefusesInTheErrorModelAndCloses) {
  std::atomic<int> handled = 0;
  const auto server = Start([&](const rest::HttpRequest& request) {
    ++handled;
    return Echo(request);
  });
  RawClient client(server->port());
  // What follows must not be taken for a request.
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n" + Get("/smuggled"));
  const RawReply reply = client.Read();
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(RawClient::Header(reply, "Content-Type"), "application/json");
  EXPECT_EQ(RawClient::Header(reply, "Connection"), "close");
  EXPECT_THAT(reply.body, AllOf(StartsWith("{\"error\":{"), HasSubstr("\"code\":400"),
                                HasSubstr("\"type\":\"BadRequestException\""),
                                HasSubstr("Content-Length is not a number")));
  client.FinishSending();
  EXPECT_TRUE(client.IsClosedByServer());
  EXPECT_EQ(handled, 0);
}

TEST(HttpServer, AnswersAPostWithoutLengthAtOnce) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  EXPECT_EQ(client.Ask("POST /empty HTTP/1.1\r\nHost: h\r\n\r\n").body, "POST /empty ");
}

TEST(HttpServer, SaysContinueAtOnceInAnyCase) {
  const auto server = Start(Echo);
  for (const char* expect : {"100-continue", "100-Continue", "100-CONTINUE"}) {
    RawClient client(server->port());
    client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: " +
                std::string(expect) + "\r\n\r\n");
    EXPECT_EQ(client.TakeExactly(25), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(client.Ask("hello").body, "POST / hello");
    // Not of the next request.
    EXPECT_EQ(client.Ask(Get("/")).status, 200);
  }
}

TEST(HttpServer, RefusesALongBodyBeforeItIsSent) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Read().status, 413);
}

TEST(HttpServer, LetsAClientThatSendsOnReadItsRefusal) {
  Limits limits;
  limits.body_bytes_max = 1000;
  const auto server = Start(Echo, limits);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
  EXPECT_TRUE(client.Send(Repeat(20'000'000, 'x')));
  EXPECT_EQ(client.Read().status, 413);
  client.FinishSending();
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST(HttpServer, BoundsChunkedAndInflatedBodies) {
  Limits limits;
  limits.body_bytes_max = 1'000'000;
  const auto server = Start(Echo, limits);
  RawClient client(server->port());
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 16; ++i) client.Send(chunk);
  EXPECT_EQ(client.Read().status, 413);
  RawClient bomber(server->port());
  const std::string bomb = Gzip(Repeat(20'000'000, '0'));
  EXPECT_EQ(bomber.Ask(Post("/", bomb, "Content-Encoding: gzip\r\n")).status, 413);
  // That one was framed well, so the connection is still good.
  EXPECT_EQ(bomber.Ask(Post("/", Gzip("in"), "Content-Encoding: gzip\r\n")).body, "POST / in");
  EXPECT_EQ(bomber.Ask(Post("/", "no gzip", "Content-Encoding: gzip\r\n")).status, 400);
}

TEST(HttpServer, TakesChunkExtensionsAndTrailers) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  EXPECT_EQ(client
                .Ask("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n")
                .body,
            "POST / hello");
  EXPECT_EQ(client.Ask(Get("/next")).body, "GET /next ");
}

TEST(HttpServer, TakesALargeFormBody) {
  const auto server = Start(Echo);
  const std::string form = Repeat(1'000'000, 'a');
  RawClient client(server->port());
  EXPECT_EQ(client
                .Ask(Post("/v1/oauth/tokens", form,
                          "Content-Type: application/x-www-form-urlencoded\r\n"))
                .body.size(),
            form.size() + std::string("POST /v1/oauth/tokens ").size());
}

TEST(HttpServer, HandsTargetsAndHeadersOnAsSent) {
  rest::HttpRequest seen;
  const auto server = Start([&](const rest::HttpRequest& request) {
    seen = request;
    return rest::HttpReply{};
  });
  RawClient client(server->port());
  EXPECT_EQ(
      client.Ask(Get("//x/a%2Fb/?a?b=%31", "Authorization: Bearer a%2Fb%0d%0aX\r\nE:\r\n")).status,
      200);
  EXPECT_EQ(seen.target, "//x/a%2Fb/?a?b=%31");
  EXPECT_EQ(
      seen.headers,
      (rest::Headers{{"Host", "localhost"}, {"Authorization", "Bearer a%2Fb%0d%0aX"}, {"E", ""}}));
}

TEST(HttpServer, IgnoresRangesAndWishesForCompression) {
  const auto server = Start(Echo);
  RawClient client(server->port());
  const RawReply reply =
      client.Ask(Get("/abcdef", "Range: bytes=2-3\r\nAccept-Encoding: gzip, br\r\n"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "GET /abcdef ");
  EXPECT_THAT(reply.head, Not(HasSubstr("Content-Encoding")));
  EXPECT_EQ(client.Ask(Get("/a", "Range: nonsense\r\n")).status, 200);
}

// -- Answers ------------------------------------------------------------------------------------

TEST(HttpServer, TellsClientsNothingAboutAnException) {
  const auto server = Start([](const rest::HttpRequest& request) -> rest::HttpReply {
    if (request.target == "/throw") throw std::runtime_error("secret path");
    return Echo(request);
  });
  RawClient client(server->port());
  const RawReply reply = client.Ask(Get("/throw"));
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":500"));
  EXPECT_THAT(reply.head + reply.body, Not(HasSubstr("secret")));
  EXPECT_EQ(client.Ask(Get("/")).status, 200);
}

TEST(HttpServer, SendsAReplyOfManyMegabytes) {
  const std::string large = Repeat(20'000'000, 'z');
  const auto server = Start([&](const rest::HttpRequest&) {
    rest::HttpReply reply;
    reply.text = large;
    return reply;
  });
  RawClient client(server->port());
  EXPECT_TRUE(client.Ask(Get("/")).body == large);
  EXPECT_TRUE(client.Ask(Get("/")).body == large);
}

TEST(HttpServer, OutlivesClientsThatVanishAtAnyMoment) {
  const auto server = Start([](const rest::HttpRequest& request) {
    rest::HttpReply reply = Echo(request);
    reply.text += Repeat(1'000'000, 'x');
    return reply;
  });
  const std::string request = Post("/", "0123456789");
  for (size_t sent = 0; sent <= request.size(); ++sent) {
    RawClient client(server->port());
    client.Send(request.substr(0, sent));
    client.Reset();
  }
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(Get("/")).status, 200);
}

TEST(HttpServer, ReportsEachAnswer) {
  std::mutex mutex;
  std::vector<RequestRecord> records;
  ServerOptions options{.port = 0, .workers = 1};
  options.on_request = [&](const RequestRecord& record) {
    const std::lock_guard lock(mutex);
    records.push_back(record);
    throw std::runtime_error("a log must not end the server");
  };
  auto server = StartHttpServer(options, [](const rest::HttpRequest& request) {
    rest::HttpReply reply = Echo(request);
    reply.operation = "getConfig";
    return reply;
  });
  ASSERT_TRUE(server.has_value());
  RawClient client((*server)->port());
  client.Ask(Get("/v1/config"));
  client.Ask("BAD\r\n\r\n");
  (*server)->Stop();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].method, "GET");
  EXPECT_EQ(records[0].target, "/v1/config");
  EXPECT_EQ(records[0].operation, "getConfig");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].response_bytes, 15U);
  EXPECT_EQ(records[1].status, 400);
  EXPECT_THAT(records[1].error, HasSubstr("BadRequestException: The request line is not"));
}

TEST(HttpServer, ServesFirstComeFirstServed) {
  std::mutex mutex;
  std::vector<std::string> order;
  Gate gate;
  const auto server = Start(
      [&](const rest::HttpRequest& request) {
        {
          const std::lock_guard lock(mutex);
          order.push_back(request.target);
        }
        return gate(request);
      },
      {}, 1);
  RawClient first(server->port());
  first.Send(Get("/wait"));
  gate.AwaitWaiting(1);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->Send(Post("/" + std::to_string(i), "x"));
    // An interim answer shows that the server has read all that came before it.
    RawClient probe(server->port());
    probe.Send(
        "POST /probe HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n"
        "Expect: 100-continue\r\n\r\n");
    probe.TakeExactly(25);
  }
  gate.Open();
  for (auto& client : clients) EXPECT_EQ(client->Read().status, 200);
  ASSERT_EQ(order.size(), 21U);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(order[i + 1], "/" + std::to_string(i));
}

// -- Start and stop -----------------------------------------------------------------------------

TEST(HttpServer, StopsAtOnceWithIdleConnections) {
  auto server = Start(Echo);
  RawClient idle(server->port());
  EXPECT_EQ(idle.Ask(Get("/")).status, 200);
  RawClient unused(server->port());
  RawClient partial(server->port());
  partial.Send("GET / HT");
  server->Stop();
  server->Stop();
  EXPECT_TRUE(idle.IsClosedByServer());
  EXPECT_TRUE(unused.IsClosedByServer());
  EXPECT_THAT(partial.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(HttpServer, AnswersWhatItHasBegunBeforeItStops) {
  Gate gate;
  auto server = Start(gate.handler(), {}, 2);
  std::vector<std::unique_ptr<RawClient>> clients;
  // Two with a worker, and 18 more that queue for one.
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->Send(Get("/wait"));
    if (i == 1) gate.AwaitWaiting(2);
  }
  std::thread stop([&] { server->Stop(); });
  // The listener is closed once the server has begun to stop.
  while (RawClient(server->port()).connected()) std::this_thread::yield();
  gate.Open();
  for (auto& client : clients) {
    const RawReply reply = client->Read();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(RawClient::Header(reply, "Connection"), "close");
    EXPECT_TRUE(client->IsClosedByServer());
  }
  stop.join();
}

// Goal: no client keeps a server from stopping. Method: each limit but the one for stopping is an
// hour; the client stays and takes nothing.
class StopLimits : public ::testing::Test {
 protected:
  StopLimits() {
    limits_.linger_timeout = limits_.linger_timeout_max = std::chrono::hours(1);
    limits_.transfer_timeout = limits_.transfer_timeout_max = std::chrono::hours(1);
    limits_.stop_timeout = limits_.stop_linger_timeout = std::chrono::hours(1);
    limits_.body_bytes_max = 1000;
  }
  Handler LongAnswers() {
    return [this](const rest::HttpRequest& request) {
      rest::HttpReply reply = gate_(request);
      reply.text = Repeat(30'000'000, 'x');
      return reply;
    };
  }

  Limits limits_;
  Gate gate_;
};

TEST_F(StopLimits, EndAReplyThatWasOnItsWay) {
  limits_.stop_timeout = std::chrono::milliseconds(50);
  auto server = Start(LongAnswers(), limits_);
  RawClient client(server->port());
  client.Send(Get("/"));
  client.TakeExactly(1);
  server->Stop();
  EXPECT_LT(client.ReadToEnd().size(), 30'000'000U);
}

TEST_F(StopLimits, EndAReplyThatWasMadeMeanwhile) {
  limits_.stop_timeout = std::chrono::milliseconds(50);
  auto server = Start(LongAnswers(), limits_);
  RawClient client(server->port());
  client.Send(Get("/wait"));
  gate_.AwaitWaiting(1);
  std::thread stop([&] { server->Stop(); });
  while (RawClient(server->port()).connected()) std::this_thread::yield();
  gate_.Open();
  stop.join();
  EXPECT_LT(client.ReadToEnd().size(), 30'000'000U);
}

TEST_F(StopLimits, EndAClientThatHasBeenToldToGo) {
  limits_.stop_linger_timeout = std::chrono::milliseconds(50);
  auto server = Start(Echo, limits_);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
  EXPECT_EQ(client.Read().status, 413);
  server->Stop();
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(StopLimits, EndAClientThatIsToldToGoMeanwhile) {
  limits_.stop_linger_timeout = std::chrono::milliseconds(50);
  auto server = Start(Echo, limits_);
  RawClient client(server->port());
  client.Send("GET / HT");
  ServerEnd(client).AwaitOpen();
  server->Stop();
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
}

TEST(HttpServer, ServesClientsOfBothLoopbacks) {
  const auto server = Start(Echo);
  EXPECT_EQ(server->uri(), "http://127.0.0.1:" + std::to_string(server->port()));
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has_ipv6 =
      fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  address.sin6_port = htons(static_cast<uint16_t>(server->port()));
  if (has_ipv6) {
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  close(fd);
  if (!has_ipv6) GTEST_SKIP() << "This machine has no ::1";
}

TEST(HttpServer, RefusesAPortThatIsTaken) {
  const auto server = Start(Echo);
  const std::string where = "127.0.0.1:" + std::to_string(server->port());
  for (const char* host : {"localhost", "127.0.0.1"}) {
    EXPECT_THAT(StartHttpServer({.host = host, .port = server->port()}, Echo),
                IsError(ErrorKind::kUnavailable, where + " is already in use by another program"));
  }
}

TEST(HttpServer, TakesItsPortAgainAfterItStopped) {
  auto server = Start(Echo);
  const int port = server->port();
  RawClient client(port);
  EXPECT_EQ(client.Ask(Get("/")).status, 200);
  server->Stop();
  auto next = StartHttpServer({.port = port}, Echo);
  ASSERT_TRUE(next.has_value()) << next.error().message;
  EXPECT_EQ(RawClient(port).Ask(Get("/")).status, 200);
}

TEST(HttpServer, ListensOnOtherAddresses) {
  auto server = StartHttpServer({.host = "127.0.0.2", .port = 0}, Echo);
  ASSERT_TRUE(server.has_value()) << server.error().message;
  EXPECT_THAT((*server)->uri(), StartsWith("http://127.0.0.2:"));
  EXPECT_FALSE(RawClient((*server)->port()).connected());
  auto any = StartHttpServer({.host = "0.0.0.0", .port = 0}, Echo);
  ASSERT_TRUE(any.has_value()) << any.error().message;
  EXPECT_THAT((*any)->uri(), StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(RawClient((*any)->port()).Ask(Get("/")).status, 200);
}

TEST(HttpServer, RefusesOptionsThatCannotBe) {
  EXPECT_THAT(StartHttpServer({.host = "no such host", .port = 0}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("'no such host'")));
  EXPECT_THAT(StartHttpServer({.host = "", .port = 0}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("''")));
  EXPECT_THAT(StartHttpServer({.host = "192.0.2.1", .port = 0}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("192.0.2.1:0")));
  EXPECT_THAT(StartHttpServer({.port = 65536}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("not 65536")));
  EXPECT_THAT(StartHttpServer({.port = 0, .workers = 0}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("not 0")));
  EXPECT_THAT(StartHttpServer({.port = 0, .workers = 1025}, Echo),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("from 1 to 1024, not 1025")));
  const auto server = Start(Echo, {}, 1024);
  EXPECT_EQ(RawClient(server->port()).Ask(Get("/")).status, 200);
}

}  // namespace
}  // namespace berglite::server
