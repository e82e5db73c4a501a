#include "shim/cli/healthcheck.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iostream>
#include <memory>
#include <netdb.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>

namespace berglite::cli {
namespace {

constexpr time_t kTimeoutSeconds = 5;
constexpr std::string_view kScheme = "http://";

struct Url {
  std::string authority;  // as in the Host header
  std::string host;
  std::string port = "80";
  std::string target;
};

Error Failed(const std::string& url, const std::string& why) {
  return Error{ErrorKind::kUnavailable, url + " is not healthy: " + why};
}

Result<Url> ParseUrl(const std::string& text) {
  if (!text.starts_with(kScheme)) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected a URL that starts with http://, found '" + text + "'"};
  }
  Url url;
  const size_t slash = std::min(text.find('/', kScheme.size()), text.size());
  url.authority = text.substr(kScheme.size(), slash - kScheme.size());
  url.target = slash + 1 < text.size() ? text.substr(slash) : "/readyz";
  url.host = url.authority;
  const size_t bracket = url.host.rfind(']');
  const size_t colon = url.host.find(':', bracket == std::string::npos ? 0 : bracket);
  if (colon != std::string::npos) {
    url.port = url.host.substr(colon + 1);
    url.host.resize(colon);
  }
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  const bool is_plain = std::none_of(text.begin(), text.end(),
                                     [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (is_plain && !url.host.empty()) return url;
  return Error{ErrorKind::kInvalidArgument, "Expected a URL with a host, found '" + text + "'"};
}

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

struct FreeAddrInfo {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// Sends the request to one address and returns the beginning of the answer, or the error number.
int AskAddress(const addrinfo& address, const std::string& request, std::string& answer) {
  const Socket socket(
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  const timeval timeout{.tv_sec = kTimeoutSeconds, .tv_usec = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  if (connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  if (send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return errno;
  std::array<char, 1024> buffer{};
  while (answer.find('\n') == std::string::npos && answer.size() < buffer.size()) {
    const ssize_t count = recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (count < 0) return errno;
    if (count == 0) break;
    answer.append(buffer.data(), static_cast<size_t>(count));
  }
  return 0;
}

// The status line of the answer.
Result<std::string> Ask(const std::string& text, const Url& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  int code = getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &list);
  // An image without /etc/hosts still has it.
  if (code != 0 && url.host == "localhost") {
    code = getaddrinfo("127.0.0.1", url.port.c_str(), &hints, &list);
  }
  if (code != 0) return Failed(text, gai_strerror(code));
  const std::unique_ptr<addrinfo, FreeAddrInfo> owner(list);
  const std::string request = "GET " + url.target + " HTTP/1.1\r\nHost: " + url.authority +
                              "\r\nUser-Agent: berglite\r\nConnection: close\r\n\r\n";
  int error = 0;
  for (const addrinfo* address = list; address != nullptr; address = address->ai_next) {
    std::string answer;
    error = AskAddress(*address, request, answer);
    if (error == 0) return answer.substr(0, answer.find_first_of("\r\n"));
  }
  return Failed(text, error == EAGAIN || error == EINPROGRESS
                          ? "no answer within " + std::to_string(kTimeoutSeconds) + " s"
                          : std::system_category().message(error));
}

}  // namespace

Status CheckHealth(const std::string& url) {
  BERGLITE_ASSIGN_OR_RETURN(const Url parsed, ParseUrl(url));
  BERGLITE_ASSIGN_OR_RETURN(const std::string status_line, Ask(url, parsed));
  const std::string_view status =
      std::string_view(status_line).substr(std::min(status_line.find(' '), status_line.size()));
  if (status_line.starts_with("HTTP/1.") && status.starts_with(" 2")) return {};
  return Failed(url, "expected a status 2xx, found '" + status_line + "'");
}

bool IsCalledCurl(const char* program) {
  const std::string_view path(program);
  return path.substr(path.rfind('/') + 1) == "curl";
}

int RunAsCurl(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string url = argv[i];
    if (url.starts_with('-') || url.find_first_of(":/") == std::string::npos) continue;
    if (url.find("://") == std::string::npos) url.insert(0, kScheme);
    const Status status = CheckHealth(url);
    if (status) return 0;
    std::cerr << "curl (berglite): " << status.error().message << '\n';
    return 1;
  }
  std::cerr << "curl (berglite): expected a URL\n";
  return 1;
}

}  // namespace berglite::cli
