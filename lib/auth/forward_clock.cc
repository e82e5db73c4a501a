#include "lib/auth/forward_clock.h"

#include <algorithm>
#include <utility>

namespace berglite::auth {

ForwardClock::ForwardClock(Environment& environment, std::function<int64_t()> steady_ms)
    : environment_(environment),
      steady_ms_(std::move(steady_ms)),
      last_ms_(environment_.NowMs()),
      last_steady_ms_(steady_ms_()) {}

int64_t ForwardClock::NowMs() {
  const std::lock_guard lock(mutex_);
  const int64_t steady_ms = steady_ms_();
  last_ms_ = std::max(environment_.NowMs(), last_ms_ + (steady_ms - last_steady_ms_));
  last_steady_ms_ = steady_ms;
  return last_ms_;
}

}  // namespace berglite::auth
