// Environment: the only way in which the library sees the clock and randomness.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <array>
#include <cstdint>

namespace berglite {

class Environment {
 public:
  virtual ~Environment() = default;

  // Wall-clock time in milliseconds since 1970-01-01T00:00:00Z.
  virtual int64_t NowMs() = 0;
  // Sixteen unpredictable bytes.
  virtual std::array<uint8_t, 16> RandomBytes() = 0;
};

// The machine's clock and its random number generator. Stateless; lives as long as the process.
Environment& SystemEnvironment();

}  // namespace berglite
