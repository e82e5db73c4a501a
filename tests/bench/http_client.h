// A minimal blocking HTTP/1.1 client for loads on loopback: one keep-alive connection, one request
// at a time.
#pragma once

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace berglite::bench {

struct Reply {
  int status = 0;
  std::string body;
};

// Throws std::runtime_error when the connection breaks or nothing comes for a minute: a benchmark
// has nothing to mend.
class HttpClient {
 public:
  explicit HttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      close(socket_);
      throw std::runtime_error("cannot connect to port " + std::to_string(port));
    }
    const timeval timeout{.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  ~HttpClient() { close(socket_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `headers` are whole lines, each with its CRLF.
  Reply Send(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view headers = {}) {
    std::string request =
        std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    if (!body.empty() || method == "POST") {
      request +=
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n";
    }
    request += headers;
    request += "\r\n";
    request += body;
    if (!SendBytes(request)) throw std::runtime_error("the connection broke while sending");
    return Receive();
  }

  // A part of a request. False where the connection has ended.
  bool SendBytes(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

 private:
  Reply Receive() {
    size_t head_end = std::string::npos;
    while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) Fill();
    Reply reply;
    reply.status = std::atoi(buffer_.c_str() + 9);
    const std::string head = buffer_.substr(0, head_end);
    buffer_.erase(0, head_end + 4);
    if (head.find("Transfer-Encoding: chunked") != std::string::npos) {
      while (const size_t size = std::strtoull(TakeLine().c_str(), nullptr, 16)) {
        reply.body += Take(size);
        TakeLine();
      }
      TakeLine();
    } else if (const size_t at = head.find("Content-Length: "); at != std::string::npos) {
      reply.body = Take(std::strtoull(head.c_str() + at + 16, nullptr, 10));
    }
    return reply;
  }

  std::string Take(size_t size) {
    while (buffer_.size() < size) Fill();
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }
  std::string TakeLine() {
    size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n")) == std::string::npos) Fill();
    return Take(end + 2);
  }

  void Fill() {
    char chunk[65536];
    ssize_t n = recv(socket_, chunk, sizeof(chunk), 0);
    if (n <= 0) throw std::runtime_error("the connection broke while receiving");
    buffer_.append(chunk, static_cast<size_t>(n));
  }

  int socket_;
  std::string buffer_;
};

}  // namespace berglite::bench
