// cpp-httplib's classes have other layouts with other flags than the installed library was built
// with; a program that mixes them reads and writes the wrong members, silently.
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

namespace berglite::server {
namespace {

TEST(Httplib, SeesItsObjectsAsTheInstalledLibraryDoes) {
  httplib::Server server;
  httplib::Request seen;
  // Filled by the library, read by this file, down to the last members.
  server.Put("/some", [&seen](const httplib::Request& request, httplib::Response& response) {
    seen = request;
    response.set_content("body", "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  ASSERT_GT(port, 0);
  std::thread listener([&server] { server.listen_after_bind(); });
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(false);
  const auto result = client.Put("/some?a=1", "four", "text/plain");
  server.stop();
  listener.join();

  ASSERT_TRUE(result);
  EXPECT_EQ(result->body, "body");
  EXPECT_EQ(seen.body, "four");
  EXPECT_EQ(seen.target, "/some?a=1");
  EXPECT_EQ(seen.redirect_count_, static_cast<size_t>(CPPHTTPLIB_REDIRECT_MAX_COUNT));
  EXPECT_EQ(seen.content_length_, 0U);
  EXPECT_FALSE(seen.is_chunked_content_provider_);
  EXPECT_EQ(seen.authorization_count_, 0U);
}

}  // namespace
}  // namespace berglite::server
