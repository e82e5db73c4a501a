// The yardstick of the benchmark's loads: berglite's HTTP server around a handler that does nothing
// but hand out one text. Prints its URI, serves until a signal ends it.
//
//   berglite_trivial_server <bytes of the text>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "shim/server/http_server.h"

int main(int argc, char** argv) {
  const auto size = static_cast<size_t>(argc > 1 ? std::atol(argv[1]) : 0);
  berglite::rest::HttpReply reply;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.text = '"' + std::string(size < 2 ? 0 : size - 2, 'x') + '"';
  const auto server = berglite::server::StartHttpServer(
      {.port = 0}, [&reply](const berglite::rest::HttpRequest&) { return reply; });
  if (!server) {
    std::fprintf(stderr, "berglite_trivial_server: %s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", (*server)->uri().c_str());
  std::fflush(stdout);
  pause();
  return 0;
}
