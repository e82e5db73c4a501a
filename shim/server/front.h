// Front: accepts connections, reads requests, hands whole ones to workers and minds all deadlines,
// in one thread that never blocks.
//
// Whatever waits for a client waits here, where it costs a few hundred bytes and no thread: idle
// connections, slow senders, slow readers. There is no timer a connection; the thread sleeps until
// something happens or the first deadline passes.
//
// Ownership: a Connection belongs to the front's thread alone. While a worker answers its request
// the front leaves its socket open and untouched; the worker hands it back through Finish.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berglite/result.h"
#include "shim/server/limits.h"
#include "shim/server/listener.h"
#include "shim/server/worker_pool.h"

namespace berglite::server {

class Front {
 public:
  using Clock = std::chrono::steady_clock;

  // The limits are borrowed and must outlive the front, and so must the count of open connections
  // that it keeps, which may be null. Errors: kUnavailable where the system has
  // no more file descriptors.
  static Result<std::unique_ptr<Front>> Create(Listener listener, const Limits& limits,
                                               std::atomic<size_t>* open_connections);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // Serves until Stop has been called and everything begun is answered. `workers` must outlive it.
  void Run(WorkerPool& workers);
  // From any thread: Run returns soon.
  void Stop();
  // From workers: a request is answered.
  void Finish(Finished finished);

 private:
  Front(Listener listener, UniqueFd epoll, UniqueFd wake, const Limits& limits,
        std::atomic<size_t>* open_connections);

  // The loop.
  int WaitMs() const;
  void Wake();
  void TakeFinished();
  void OnEvent(Connection& connection, uint32_t events);
  void Progress(Connection& connection);

  // Accepting.
  void Accept();
  void AcceptFrom(int listener);
  bool MakeRoom();
  void Listen(bool on);
  void Open(UniqueFd socket);
  void Close(Connection& connection);
  void TellOpenConnections();

  // Reading.
  void Read(Connection& connection);
  bool ReadOnce(Connection& connection);
  void OnBytes(Connection& connection);
  bool Charge(Connection& connection);
  void SetReadDeadline(Connection& connection);
  void Dispatch(Connection& connection);
  void Refuse(Connection& connection, int status, std::string_view type, std::string_view message);
  void Push(Connection& connection, Job job);

  // Answering.
  void OnFinished(Finished finished);
  void Write(Connection& connection);
  void AfterReply(Connection& connection);
  void Linger(Connection& connection);
  void Drain(Connection& connection);

  // Deadlines.
  void SetDeadline(Connection& connection, Clock::time_point deadline);
  void CheckDeadlines();
  void Expire(Connection& connection);
  Clock::time_point TransferDeadline(Clock::time_point from, size_t bytes) const;
  void BeginStop();
  void StopReading(Connection& connection);

  const Limits& limits_;
  const size_t connections_max_;
  std::atomic<size_t>* const open_connections_;
  Listener listener_;
  const UniqueFd epoll_;
  const UniqueFd wake_;
  WorkerPool* workers_ = nullptr;

  std::atomic<bool> stop_requested_ = false;
  std::mutex mutex_;
  std::vector<Finished> finished_;  // guarded by mutex_

  // Of the front's thread.
  bool listening_ = true;
  bool accept_ = false;  // a listener has connections
  bool stopping_ = false;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  // Closed in this round of the loop: events of the round may still name them.
  std::vector<std::unique_ptr<Connection>> closed_;
  // With more to read than their share of a round.
  std::vector<Connection*> ready_;
  // No deadline is earlier.
  Clock::time_point next_deadline_ = Clock::time_point::max();
  Clock::time_point now_;
  size_t held_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace berglite::server
