// FailureLimit: how many wrong secrets are hashed before further checks are refused for a while.
//
// Each hashing costs time and memory that a stranger makes us spend. Good secrets are not counted,
// so busy clients never meet the limit.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace berglite::auth {

class FailureLimit {
 public:
  // Of one principal within a window: a person who pastes the wrong secret, and a client that
  // repeats it a few times.
  static constexpr int kFailuresPerNameMax = 10;
  // Altogether within a window: a fifth of one core. It bounds memory too.
  static constexpr int kFailuresMax = 40;
  static constexpr int64_t kWindowMs = 10'000;

  // Whether another secret of that name may be checked now.
  bool Allows(const std::string& name, int64_t now_ms);
  void Note(const std::string& name, int64_t now_ms);

 private:
  // Begins a window where the last one has ended, or the clock was set back.
  void Turn(int64_t now_ms);  // mutex_ is held

  std::mutex mutex_;
  int64_t window_begin_ms_ = 0;  // guarded by mutex_, as are all below
  int failures_ = 0;
  std::map<std::string, int> by_name_;
};

}  // namespace berglite::auth
