// ForwardClock: the wall clock, but for steps back.
//
// Where the wall clock is set back, this goes on by the steady clock, so that nothing lives longer.
// Where it is set forward, this follows: that cannot be told from time that the machine has slept.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "lib/base/environment.h"

namespace berglite::auth {

// Threads: every method may be called from any thread at the same time.
// Ownership: the Environment is borrowed and must outlive this.
class ForwardClock {
 public:
  // `steady_ms` tells milliseconds since any fixed time.
  ForwardClock(Environment& environment, std::function<int64_t()> steady_ms);

  // In milliseconds since 1970-01-01T00:00:00Z; never less than before.
  int64_t NowMs();

 private:
  Environment& environment_;
  const std::function<int64_t()> steady_ms_;
  std::mutex mutex_;
  int64_t last_ms_;         // guarded by mutex_
  int64_t last_steady_ms_;  // guarded by mutex_
};

}  // namespace berglite::auth
