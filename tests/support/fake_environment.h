// A clock that stands still until it is moved, and numbered random bytes, so that documents are
// stable.
#pragma once

#include <atomic>

#include "lib/base/environment.h"

namespace berglite::testing {

class FakeEnvironment final : public Environment {
 public:
  int64_t NowMs() override { return now_ms_; }
  void SetNowMs(int64_t now_ms) { now_ms_ = now_ms; }

  // The counter in the last eight bytes; the rest is zero.
  std::array<uint8_t, 16> RandomBytes() override {
    std::array<uint8_t, 16> bytes{};
    uint64_t value = ++counter_;
    for (size_t i = 0; i < 8; ++i) bytes[15 - i] = static_cast<uint8_t>(value >> (8 * i));
    return bytes;
  }

 private:
  std::atomic<int64_t> now_ms_ = 1'700'000'000'000;
  std::atomic<uint64_t> counter_ = 0;
};

}  // namespace berglite::testing
