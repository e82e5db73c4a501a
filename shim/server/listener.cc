#include "shim/server/listener.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace berglite::server {
namespace {

// The longest the system allows by default; shorter ones make bursts of connects wait a second.
constexpr int kBacklog = 1024;
// How often a free port of IPv4 is looked for that is free on IPv6 too.
constexpr int kPortAttemptsMax = 16;

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  int family() const { return bytes.ss_family; }
};

// `127.0.0.1` or `::1`.
std::string ToText(const Address& address) {
  std::array<char, NI_MAXHOST> text{};
  getnameinfo(address.get(), address.size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return text.data();
}

// As in a URI: an IPv6 address in brackets.
std::string ToUriHost(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string ToText(const std::string& host, int port) {
  return ToUriHost(host) + ":" + std::to_string(port);
}

struct FreeAddrInfo {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Result<Address> Resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int code = host.empty()
                       ? EAI_NONAME
                       : getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code != 0) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot listen on host '" + host + "': " + gai_strerror(code)};
  }
  const std::unique_ptr<addrinfo, FreeAddrInfo> owner(list);
  Address address;
  address.size = list->ai_addrlen;
  std::memcpy(&address.bytes, list->ai_addr, list->ai_addrlen);
  return address;
}

Error ListenError(const Address& address, const std::string& host, int port, int code) {
  const std::string numeric = ToText(address);
  std::string where = ToText(numeric, port);
  if (host != numeric) where += " (" + host + ")";
  if (code == EADDRINUSE) {
    return {ErrorKind::kUnavailable, where + " is already in use by another program"};
  }
  const ErrorKind kind =
      code == EADDRNOTAVAIL ? ErrorKind::kInvalidArgument : ErrorKind::kUnavailable;
  return {kind, "Cannot listen on " + where + ": " + std::system_category().message(code)};
}

// A socket, or the error number.
struct Opened {
  UniqueFd socket;
  int code = 0;
};

// SO_REUSEADDR lets a server start again at once after its last run; SO_REUSEPORT, which would let
// two servers share a port, is never set.
Opened Open(const Address& address, bool only_ipv6) {
  Opened opened{UniqueFd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
  const int fd = opened.socket.get();
  const int on = 1;
  const int off = 0;
  const bool done =
      fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      (address.family() != AF_INET6 ||
       setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, only_ipv6 ? &on : &off, sizeof(on)) == 0) &&
      bind(fd, address.get(), address.size) == 0 && listen(fd, kBacklog) == 0;
  if (!done) opened.code = errno;
  return opened;
}

int PortOf(int socket) {
  Address address;
  address.size = sizeof(address.bytes);
  getsockname(socket, address.get(), &address.size);
  return ntohs(address.family() == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(address.get())->sin_port);
}

Result<Listener> ListenOn(const std::string& host, int port) {
  BERGLITE_ASSIGN_OR_RETURN(const Address address, Resolve(host, port));
  Opened opened = Open(address, false);
  if (opened.code != 0) return ListenError(address, host, port, opened.code);
  Listener listener;
  listener.port = PortOf(opened.socket.get());
  listener.sockets.push_back(std::move(opened.socket));
  const std::string reached = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host;
  listener.uri = "http://" + ToText(reached, listener.port);
  return listener;
}

// Whether the machine has no ::1 at all.
bool IsAbsent(int code) { return code == EAFNOSUPPORT || code == EADDRNOTAVAIL; }

// Clients that say `localhost` may try either loopback first.
Result<Listener> ListenOnLoopbacks(int port) {
  for (int attempt = 1;; ++attempt) {
    BERGLITE_ASSIGN_OR_RETURN(Listener listener, ListenOn("127.0.0.1", port));
    BERGLITE_ASSIGN_OR_RETURN(const Address address, Resolve("::1", listener.port));
    Opened opened = Open(address, true);
    if (opened.code == 0) {
      listener.sockets.push_back(std::move(opened.socket));
      return listener;
    }
    if (IsAbsent(opened.code)) return listener;
    if (port != 0 || opened.code != EADDRINUSE || attempt == kPortAttemptsMax) {
      return ListenError(address, "::1", listener.port, opened.code);
    }
  }
}

}  // namespace

UniqueFd::~UniqueFd() {
  if (fd_ >= 0) close(fd_);
}

UniqueFd::UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<Listener> Listen(const std::string& host, int port) {
  if (port < 0 || port > 65535) {
    return Error{ErrorKind::kInvalidArgument,
                 "A port is a number from 0 to 65535, not " + std::to_string(port)};
  }
  return host == "localhost" ? ListenOnLoopbacks(port) : ListenOn(host, port);
}

bool IsWildcard(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

std::vector<std::string> NamesOf(const std::string& host) {
  if (!IsWildcard(host)) return {host};
  std::vector<std::string> names;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) names.emplace_back(name.data());
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return names;
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    if (item->ifa_addr == nullptr) continue;
    const int family = item->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    Address address;
    address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.bytes, item->ifa_addr, address.size);
    names.push_back(ToText(address));
  }
  freeifaddrs(list);
  return names;
}

}  // namespace berglite::server
