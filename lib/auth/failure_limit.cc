#include "lib/auth/failure_limit.h"

namespace berglite::auth {

bool FailureLimit::Allows(const std::string& name, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  Turn(now_ms);
  auto found = by_name_.find(name);
  return failures_ < kFailuresMax &&
         (found == by_name_.end() || found->second < kFailuresPerNameMax);
}

void FailureLimit::Note(const std::string& name, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  Turn(now_ms);
  ++failures_;
  ++by_name_[name];
}

void FailureLimit::Turn(int64_t now_ms) {
  if (now_ms >= window_begin_ms_ && now_ms - window_begin_ms_ < kWindowMs) return;
  window_begin_ms_ = now_ms;
  failures_ = 0;
  by_name_.clear();
}

}  // namespace berglite::auth
