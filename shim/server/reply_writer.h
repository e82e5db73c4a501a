// ReplyWriter: turns replies into the bytes of HTTP with cpp-httplib, and WireReply: sends them.
//
// cpp-httplib is kept to writing. Its parser decodes header values, loses empty ones, answers
// unknown methods, `//` and a second `?` by itself and without a body, and reads request heads
// without a bound; the RequestReader, which has to frame requests before anyone may wait for them,
// gives the service the request as it was sent.
//
// Threads: a ReplyWriter is used by one thread at a time, a WireReply too.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "shim/rest/http.h"

namespace berglite::server {

// A reply on its way to a client. It owns what is still to be sent; the body is never copied.
class WireReply {
 public:
  enum class Progress {
    kDone,     // the system has taken all of it
    kBlocked,  // the client does not read: go on when the socket is writable
    kBroken,   // the connection is gone
  };

  WireReply() = default;

  // Sends what the socket takes without waiting, in one call where possible: head and body apart
  // would cost 40 ms between Nagle's algorithm and delayed acknowledgements.
  Progress Send(int socket);
  // Bytes not yet sent.
  size_t missing_bytes() const { return head_.size() + BodySize() - sent_; }

 private:
  friend class ReplyWriter;
  size_t BodySize() const { return has_body_ ? reply_.body().size() : 0; }

  std::string head_;
  rest::HttpReply reply_;
  // False for HEAD, 204 and 304: such replies never have bytes of a body.
  bool has_body_ = false;
  size_t sent_ = 0;
};

// What of the request, and of the connection, shows in the reply.
struct ReplyContext {
  std::string_view method;
  // Whether the client may send another request; if not, the reply says `Connection: close`.
  bool keep_alive = true;
  // How long an idle connection is kept, for `Keep-Alive: timeout=`.
  std::chrono::seconds idle_timeout{};
};

class ReplyWriter {
 public:
  ReplyWriter();
  ~ReplyWriter();

  WireReply Write(rest::HttpReply reply, const ReplyContext& context);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace berglite::server
