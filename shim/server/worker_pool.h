// WorkerPool: the threads that answer requests, first come first served.
//
// A worker never waits for a client: it gets a whole request, and hands back what the client does
// not take at once. So a few of them serve any number of connections.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "berglite/server.h"
#include "shim/rest/http.h"
#include "shim/server/limits.h"
#include "shim/server/reply_writer.h"

namespace berglite::server {

struct Connection;

// What answers requests. Called from all workers at the same time.
using Handler = std::function<rest::HttpReply(const rest::HttpRequest&)>;

// A request to be answered, or to be refused as `refusal` says.
struct Job {
  // Whose request it is; only the front looks inside.
  Connection* connection = nullptr;
  int socket = -1;
  rest::HttpRequest request;
  std::optional<rest::HttpReply> refusal;
  bool keep_alive = true;
  std::chrono::steady_clock::time_point received;
};

// An answered request.
struct Finished {
  Connection* connection = nullptr;
  WireReply::Progress progress = WireReply::Progress::kDone;
  // What the client has yet to take, where it is blocked.
  WireReply rest;
  bool keep_alive = true;
};

class WorkerPool {
 public:
  struct Options {
    int workers = 0;
    Handler handler;
    std::function<void(const RequestRecord&)> on_request;
    // Called from the workers with each answered request.
    std::function<void(Finished)> on_finished;
  };

  // The limits are borrowed and must outlive the pool.
  WorkerPool(Options options, const Limits& limits);
  // As Stop.
  ~WorkerPool();

  // Starts the threads; throws std::system_error where the system has no more.
  void Start();
  void Push(Job job);
  // From now on every answer says that the connection is closed.
  void CloseConnections() { close_connections_ = true; }
  // Answers what has been pushed and ends the threads.
  void Stop();

 private:
  void Run(ReplyWriter& writer);
  bool Pop(Job& job);
  void Answer(Job job, ReplyWriter& writer);
  rest::HttpReply Handle(rest::HttpRequest& request) const;
  void Report(const Job& job, RequestRecord record) const;

  const Options options_;
  const Limits& limits_;
  std::atomic<bool> close_connections_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;   // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_

  std::vector<std::unique_ptr<ReplyWriter>> writers_;
  std::vector<std::thread> threads_;
};

// Starts a thread that no signal is delivered to: signals are for the threads of the program.
std::thread StartThread(std::function<void()> run);

}  // namespace berglite::server
