// SignalWatch: clears up before a signal ends the program.
#pragma once

#include <functional>
#include <signal.h>
#include <thread>

namespace berglite::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP run `clear_up` on a thread of its own and then end the
// program as they would have.
//
// Threads: made before any other thread, as those that exist take signals by themselves. What
// `clear_up` works on, others may be using at that moment.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> clear_up);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void Run() const;

  const std::function<void()> clear_up_;
  sigset_t signals_{};
  sigset_t mask_before_{};
  std::thread thread_;
};

}  // namespace berglite::cli
