// RawClient: one TCP connection of a test to a server, byte by byte.
//
// A receive that waits for 20 s fails the test: nothing here depends on time otherwise.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace berglite::testing {

struct RawReply {
  int status = 0;
  // The status line and the headers, each ending with CRLF.
  std::string head;
  std::string body;
};

class RawClient {
 public:
  explicit RawClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval timeout{.tv_sec = 20, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { Close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        connected_(other.connected_),
        buffer_(std::move(other.buffer_)) {}
  RawClient(const RawClient&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return socket_; }

  // False where the server has closed.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  // The next reply; `method` is that of its request, since replies to HEAD have no body.
  RawReply Read(std::string_view method = "GET") {
    const std::optional<RawReply> reply = TryRead(method);
    if (!reply) ADD_FAILURE() << "No whole reply, but: '" << buffer_ << "'";
    return reply.value_or(RawReply{});
  }
  // The same; nullopt where the server closes before it.
  std::optional<RawReply> TryRead(std::string_view method = "GET") {
    const size_t end = FillUntil("\r\n\r\n");
    if (end == std::string::npos) return std::nullopt;
    RawReply reply;
    reply.head = Take(end + 2);
    Take(2);
    reply.status = std::stoi(reply.head.substr(9, 3));
    const bool has_body =
        method != "HEAD" && reply.status >= 200 && reply.status != 204 && reply.status != 304;
    const std::optional<std::string> length = Header(reply, "Content-Length");
    if (has_body && length) reply.body = TakeExactly(std::stoul(*length));
    return reply;
  }

  // The bytes of an interim reply.
  std::string TakeExactly(size_t size) {
    while (buffer_.size() < size && Fill()) {
    }
    EXPECT_GE(buffer_.size(), size);
    return Take(std::min(size, buffer_.size()));
  }

  // Everything until the server closes.
  std::string ReadToEnd() {
    while (Fill()) {
    }
    return Take(buffer_.size());
  }
  bool IsClosedByServer() { return ReadToEnd().empty(); }

  RawReply Ask(std::string_view request, std::string_view method = "GET") {
    Send(request);
    return Read(method);
  }

  void Close() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
  }
  // Closes so that the server's system sees a reset.
  void Reset() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    Close();
  }
  void FinishSending() const { shutdown(socket_, SHUT_WR); }

  static std::optional<std::string> Header(const RawReply& reply, const std::string& name) {
    const size_t found = reply.head.find("\r\n" + name + ": ");
    if (found == std::string::npos) return std::nullopt;
    const size_t from = found + 2 + name.size() + 2;
    return reply.head.substr(from, reply.head.find("\r\n", from) - from);
  }

 private:
  bool Fill() {
    char chunk[65536];
    const ssize_t count = recv(socket_, chunk, sizeof(chunk), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      ADD_FAILURE() << "The server sent nothing for 20 s";
    }
    if (count <= 0) return false;
    buffer_.append(chunk, static_cast<size_t>(count));
    return true;
  }
  size_t FillUntil(std::string_view mark) {
    size_t found = buffer_.find(mark);
    while (found == std::string::npos && Fill()) found = buffer_.find(mark);
    return found;
  }
  std::string Take(size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace berglite::testing
