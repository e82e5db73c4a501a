// Listener: the sockets on which a server accepts connections.
#pragma once

#include <string>
#include <vector>

#include "berglite/result.h"

namespace berglite::server {

// A file descriptor that is closed with its owner.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  ~UniqueFd();
  UniqueFd(UniqueFd&& other) noexcept;
  UniqueFd& operator=(UniqueFd&& other) noexcept;

  int get() const { return fd_; }

 private:
  int fd_;
};

struct Listener {
  // One, or two for `localhost`. Non-blocking.
  std::vector<UniqueFd> sockets;
  int port = 0;
  // For clients on this machine, such as `http://127.0.0.1:8181`.
  std::string uri;
};

// Listens as ServerOptions says. Errors: those of Server::Start.
Result<Listener> Listen(const std::string& host, int port);

// Whether the host stands for every address of the machine.
bool IsWildcard(const std::string& host);

// The names and addresses of this machine under which a server that listens on `host` is reached:
// the host itself, or all of the machine's where it stands for every address.
std::vector<std::string> NamesOf(const std::string& host);

}  // namespace berglite::server
