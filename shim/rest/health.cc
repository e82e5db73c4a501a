#include "shim/rest/health.h"

#include <exception>
#include <string>
#include <utility>

#include "shim/rest/service.h"

namespace berglite::rest {

namespace {

HttpReply Say(std::string_view status) {
  HttpReply reply;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.text = "{\"status\":\"" + std::string(status) + "\"}";
  return reply;
}

}  // namespace

std::optional<HttpReply> Health::Answer(std::string_view method, std::string_view path) {
  const bool asks_ready = path == "/readyz";
  if (!asks_ready && path != "/healthz") return std::nullopt;
  if (method == "GET" || method == "HEAD") return asks_ready ? AnswerReady() : Say("ok");
  HttpReply reply = MakeErrorReply(405, "MethodNotAllowedException",
                                   "Method not allowed: " + std::string(method) + " " +
                                       std::string(path) + "; expected one of GET, HEAD");
  reply.headers.emplace_back("Allow", "GET, HEAD");
  return reply;
}

// Who asks may be anybody, so that the reason, which names files, is for the log alone.
HttpReply Health::AnswerReady() {
  const Status ready = Readiness();
  if (ready) return Say("ready");
  HttpReply reply = MakeErrorReply(503, "ServiceUnavailableException",
                                   "The catalog cannot store changes now; the log says why");
  reply.error = "ServiceUnavailableException: " + ready.error().message;
  reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

Status Health::Look() {
  try {
    return catalog_.CheckWritable();
  } catch (const std::exception& e) {
    return Error{ErrorKind::kInternal, e.what()};
  }
}

Status Health::Readiness() {
  std::unique_lock lock(mutex_);
  const bool is_fresh = looked_at_ && Clock::now() - *looked_at_ < age_max_;
  if (looking_ || is_fresh) return found_;
  looking_ = true;
  lock.unlock();
  Status found = Look();
  lock.lock();
  looking_ = false;
  looked_at_ = Clock::now();
  return found_ = std::move(found);
}

}  // namespace berglite::rest
