#include "shim/server/worker_pool.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string_view>
#include <utility>

#include "shim/rest/service.h"
#include "shim/server/content_encoding.h"

namespace berglite::server {
namespace {

// The token endpoint takes a secret in its query, and that is for no log.
std::string LoggedTarget(const std::string& target) {
  const size_t query = std::min(target.find('?'), target.size());
  const std::string_view path = std::string_view(target).substr(0, query);
  return path.find("/oauth/tokens") == std::string_view::npos ? target : std::string(path);
}

}  // namespace

std::thread StartThread(std::function<void()> run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

WorkerPool::WorkerPool(Options options, const Limits& limits)
    : options_(std::move(options)), limits_(limits) {}

void WorkerPool::Start() {
  for (int i = 0; i < options_.workers; ++i) {
    ReplyWriter& writer = *writers_.emplace_back(std::make_unique<ReplyWriter>());
    threads_.push_back(StartThread([this, &writer] { Run(writer); }));
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void WorkerPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Run(ReplyWriter& writer) {
  Job job;
  while (Pop(job)) Answer(std::move(job), writer);
}

// Waits for a job; false when there will be none.
bool WorkerPool::Pop(Job& job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
  if (jobs_.empty()) return false;
  job = std::move(jobs_.front());
  jobs_.pop_front();
  return true;
}

void WorkerPool::Answer(Job job, ReplyWriter& writer) {
  rest::HttpReply reply = job.refusal ? *std::move(job.refusal) : Handle(job.request);
  RequestRecord record;
  record.operation = reply.operation;
  record.error = reply.error;
  record.status = reply.status;
  record.response_bytes = job.request.method == "HEAD" ? 0 : reply.body().size();

  Finished finished;
  finished.connection = job.connection;
  finished.keep_alive = job.keep_alive && !close_connections_;
  finished.rest = writer.Write(
      std::move(reply),
      {.method = job.request.method,
       .keep_alive = finished.keep_alive,
       .idle_timeout = std::chrono::floor<std::chrono::seconds>(limits_.idle_timeout)});
  finished.progress = finished.rest.Send(job.socket);
  if (finished.progress == WireReply::Progress::kDone) finished.rest = {};
  // From here on the connection is no longer ours.
  options_.on_finished(std::move(finished));
  Report(job, std::move(record));
}

rest::HttpReply WorkerPool::Handle(rest::HttpRequest& request) const {
  try {
    const Status decoded = DecodeBody(request, limits_.body_bytes_max);
    if (!decoded.has_value()) {
      const bool is_too_long = decoded.error().kind == ErrorKind::kInvalidArgument;
      return rest::MakeErrorReply(is_too_long ? 413 : 400, "BadRequestException",
                                  decoded.error().message);
    }
    return options_.handler(request);
  } catch (const std::exception&) {
    // Memory ran out, or there is a bug; what() is for no client.
    return rest::MakeErrorReply(500, "InternalServerError", "The server failed unexpectedly");
  }
}

void WorkerPool::Report(const Job& job, RequestRecord record) const {
  if (!options_.on_request) return;
  record.method = job.request.method;
  record.target = LoggedTarget(job.request.target);
  record.duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - job.received);
  try {
    options_.on_request(record);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a log must not end the server
  }
}

}  // namespace berglite::server
