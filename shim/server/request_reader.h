// RequestReader: cuts the byte stream of one connection into requests, by the framing rules of
// RFC 9112 and within Limits.
//
// Bytes may come in any pieces. What is not surely well framed is refused, never guessed at: a
// reader that refused is at its end, since nobody can tell where the next request would begin.
// The target and the header values are handed on as sent; nothing is percent-decoded here.
//
// Threads: none of its own; used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shim/rest/http.h"
#include "shim/server/limits.h"

namespace berglite::server {

// Why a request is not served: an HTTP status, an Iceberg error type and a message.
struct Refusal {
  int status = 0;
  std::string_view type;
  std::string message;
};

class RequestReader {
 public:
  enum class State {
    kIdle,      // nothing of a request has come
    kHead,      // within the request line or the headers
    kBody,      // the head is complete, the body is not
    kComplete,  // TakeRequest has a request
    kRefused,   // refusal() says why
  };

  // The limits are borrowed and must outlive the reader.
  explicit RequestReader(const Limits& limits) : limits_(limits) {}

  // Takes the next bytes of the connection. Those beyond the end of the request are kept for the
  // one after it.
  State Feed(std::string_view bytes);
  State state() const { return state_; }

  // After kComplete: the request. Another Feed, of nothing too, goes on with the bytes kept.
  rest::HttpRequest TakeRequest();
  // After kRefused: what is known of the request, for a log.
  rest::HttpRequest TakeRemains();
  const Refusal& refusal() const { return refusal_; }

  // Whether the client may use the connection after this request's answer. Of the request that
  // TakeRequest returns next.
  bool keep_alive() const { return keep_alive_; }
  // True once for a request whose client waits for `100 Continue` before it sends the body.
  bool TakeContinue();
  // Bytes of the body so far, decoded; and all bytes held.
  size_t body_bytes() const { return request_.body.size(); }
  size_t held_bytes() const { return held_head_bytes_ + request_.body.size() + rest_.size(); }

 private:
  enum class Step { kRequestLine, kHeaders, kLength, kChunkSize, kChunk, kChunkEnd, kTrailers };
  enum class Line { kWhole, kPartial, kRefused };

  void Run();
  // Each does one step and returns whether another can follow.
  bool DoStep();
  bool ReadRequestLine();
  bool ReadHeader();
  bool ReadBody();
  bool ReadChunkSize();
  bool ReadChunkEnd();
  bool ReadTrailer();

  Line NextLine(std::string_view& line);
  bool ParseRequestLine(std::string_view line);
  bool ParseVersion(std::string_view version);
  bool ParseHeader(std::string_view line);
  bool FinishHead();
  bool FinishHost();
  bool FinishFraming();
  bool ParseContentLength(std::string_view value);
  bool FinishExpect();
  void FinishRequest();
  bool Refuse(int status, std::string message);

  const Limits& limits_;
  State state_ = State::kIdle;
  Step step_ = Step::kRequestLine;
  rest::HttpRequest request_;
  Refusal refusal_;
  bool http_1_0_ = false;
  bool keep_alive_ = true;
  bool wants_continue_ = false;

  // What is being read: the bytes of this Feed, or rest_ with them at its end.
  std::string_view input_;
  std::string rest_;
  // Where in input_ the search for the end of the line goes on, so that slow senders cost no more.
  size_t searched_ = 0;
  // Bytes of this request's lines so far; of the chunk lines and trailers in a body.
  size_t line_bytes_ = 0;
  size_t held_head_bytes_ = 0;
  size_t fields_ = 0;
  // Bytes still to come of the body or of the chunk.
  uint64_t missing_ = 0;
};

}  // namespace berglite::server
