// How long, and with what random numbers, the tests of this directory run.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace berglite::testing {

inline uint32_t SeedOfThisRun() {
  const char* seed = std::getenv("BERGLITE_MODEL_SEED");
  return seed == nullptr ? 1 : static_cast<uint32_t>(std::strtoul(seed, nullptr, 10));
}

// `by_default`, or what was asked for.
inline int StepsOfThisRun(int by_default) {
  const char* steps = std::getenv("BERGLITE_MODEL_STEPS");
  return steps == nullptr ? by_default : std::atoi(steps);
}

}  // namespace berglite::testing
