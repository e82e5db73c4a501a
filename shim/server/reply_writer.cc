#include "shim/server/reply_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <functional>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include <httplib.h>

namespace berglite::server {
namespace {

// Where cpp-httplib reads a request head from and writes a reply to. The names are those of every
// version's httplib::Stream, so that older and newer ones find what they ask for.
class MemoryStream final : public httplib::Stream {
 public:
  // `body` is recognised by its address when it is written, and not copied.
  MemoryStream(std::string_view request, std::string_view body) : request_(request), body_(body) {}

  const std::string& head() const { return head_; }

  ssize_t read(char* to, size_t size) final {
    const size_t count = std::min(size, request_.size());
    request_.copy(to, count);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) final {
    const std::less<> before;
    const bool in_body =
        !body_.empty() && !before(from, body_.data()) && before(from, body_.data() + body_.size());
    if (!in_body) head_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  virtual bool is_readable() const { return true; }
  virtual bool is_writable() const { return true; }
  virtual bool wait_readable() const { return true; }
  virtual bool wait_writable() const { return true; }
  virtual time_t duration() const { return 0; }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const final {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const final {}
  int socket() const final { return 0; }

 private:
  std::string_view request_;
  std::string_view body_;
  std::string head_;
};

// RFC 9110 5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`, whatever the locale.
std::string HttpDate(std::time_t now) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 64> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%.3s, %02d %.3s %d %02d:%02d:%02d GMT",
                    kDays.substr(3 * static_cast<size_t>(utc.tm_wday)).data(), utc.tm_mday,
                    kMonths.substr(3 * static_cast<size_t>(utc.tm_mon)).data(), utc.tm_year + 1900,
                    utc.tm_hour, utc.tm_min, utc.tm_sec);
  return {text.data(), static_cast<size_t>(size)};
}

bool MayHaveBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

// cpp-httplib writes a reply only as the answer to a request that it has read, so it is given one
// of two lines: all that it has to know of the real one is whether it was a HEAD.
class ReplyWriter::Engine : public httplib::Server {
 public:
  Engine() {
    // Anything but "invalid": otherwise the library takes itself for stopped and writes no body.
    svr_sock_ = 0;
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      Fill(response);
      return HandlerResponse::Handled;
    });
    set_post_routing_handler(
        [this](const httplib::Request&, httplib::Response& response) { SettleHeaders(response); });
  }

  // The head of `reply`, and whether its body follows.
  std::string Write(const rest::HttpReply& reply, const ReplyContext& context) {
    reply_ = &reply;
    context_ = &context;
    const bool is_head = context.method == "HEAD";
    MemoryStream stream(is_head ? "HEAD /_ HTTP/1.1\r\n\r\n" : "GET /_ HTTP/1.1\r\n\r\n",
                        reply.body());
    bool closed = false;
    Process(*this, stream, !context.keep_alive, closed);
    return stream.head();
  }

 private:
  // The signature of process_request grew in newer versions.
  template <typename Self>
  static void Process(Self& self, httplib::Stream& stream, bool close, bool& closed) {
    if constexpr (requires { self.process_request(stream, close, closed, nullptr); }) {
      self.process_request(stream, close, closed, nullptr);
    } else {
      self.process_request(stream, "", 0, "", 0, close, closed, nullptr);
    }
  }

  void Fill(httplib::Response& response) const {
    response.status = reply_->status;
    for (const auto& [name, value] : reply_->headers) response.headers.emplace(name, value);
    const std::string& body = reply_->body();
    if (body.empty() || !MayHaveBody(reply_->status)) return;
    const auto type = response.headers.find("Content-Type");
    const std::string content_type =
        type == response.headers.end() ? "application/json" : type->second;
    // A provider hands over the body where it is; set_content would copy it, and compress it with
    // whatever the library likes best.
    response.headers.erase("Content-Type");
    response.set_content_provider(body.size(), content_type,
                                  [&body](size_t offset, size_t size, httplib::DataSink& sink) {
                                    return sink.write(body.data() + offset, size);
                                  });
  }

  // Puts right what the library adds by itself.
  void SettleHeaders(httplib::Response& response) const {
    httplib::Headers& headers = response.headers;
    // RFC 9110, 8.6: to a HEAD the length is that of what a GET would get, which is not known here
    // where the body was not made.
    const bool is_unmade = context_->method == "HEAD" && reply_->body().empty();
    if (is_unmade || !MayHaveBody(response.status)) headers.erase("Content-Length");
    headers.erase("Accept-Ranges");  // no answer of ours comes in parts
    headers.erase("Keep-Alive");
    headers.erase("Connection");
    if (context_->keep_alive) {
      // HTTP/1.0 clients need the first; the library's own second line would claim a request limit.
      headers.emplace("Connection", "keep-alive");
      headers.emplace("Keep-Alive", "timeout=" + std::to_string(context_->idle_timeout.count()));
    } else {
      headers.emplace("Connection", "close");
    }
    headers.emplace("Date", HttpDate(std::time(nullptr)));
  }

  const rest::HttpReply* reply_ = nullptr;
  const ReplyContext* context_ = nullptr;
};

ReplyWriter::ReplyWriter() {
  // The library's constructor makes the whole process ignore SIGPIPE, which is not ours to decide:
  // every send of ours says MSG_NOSIGNAL instead.
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  engine_ = std::make_unique<Engine>();
  sigaction(SIGPIPE, &before, nullptr);
}

ReplyWriter::~ReplyWriter() = default;

WireReply ReplyWriter::Write(rest::HttpReply reply, const ReplyContext& context) {
  WireReply wire;
  wire.reply_ = std::move(reply);
  wire.has_body_ = context.method != "HEAD" && MayHaveBody(wire.reply_.status);
  wire.head_ = engine_->Write(wire.reply_, context);
  return wire;
}

WireReply::Progress WireReply::Send(int socket) {
  const std::string& body = reply_.body();
  while (missing_bytes() > 0) {
    const size_t head_sent = std::min(sent_, head_.size());
    const size_t body_sent = sent_ - head_sent;
    std::array<iovec, 2> parts{{{head_.data() + head_sent, head_.size() - head_sent},
                                {const_cast<char*>(body.data()) + body_sent,
                                 BodySize() - std::min(body_sent, BodySize())}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Progress::kBlocked;
    } else if (errno != EINTR) {
      return Progress::kBroken;
    }
  }
  return Progress::kDone;
}

}  // namespace berglite::server
