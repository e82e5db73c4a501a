// Metrics: how requests are answered and what the catalog has done, as the text that Prometheus and
// its like collect (exposition format 0.0.4).
//
// Threads: Count and Text may be called from any thread at the same time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "berglite/counters.h"
#include "shim/rest/operations.h"

namespace berglite::rest {

class Metrics {
 public:
  // `operation` is null where the request names none.
  void Count(const Operation* operation, int status, std::chrono::microseconds duration);

  // Names no thing of the catalog: whoever can connect may read it. `open_connections` may be null.
  std::string Text(const Counters& counters, const std::atomic<size_t>* open_connections) const;

 private:
  // Upper bounds in microseconds: a cached load, a commit on a fast and on a slow disk, a long
  // queue, and the busy timeout.
  static constexpr std::array<int64_t, 7> kBoundsUs = {1'000,   5'000,     25'000,    100'000,
                                                       500'000, 2'500'000, 10'000'000};
  static constexpr int kStatusMin = 200;
  static constexpr int kStatusMax = 599;

  struct Requests {
    std::array<std::atomic<uint64_t>, kStatusMax - kStatusMin + 1> by_status = {};
    // By the first bound that is not passed; the last one has none.
    std::array<std::atomic<uint64_t>, kBoundsUs.size() + 1> by_duration = {};
    std::atomic<uint64_t> duration_us = 0;
  };

  void AppendRequests(std::string& text) const;
  void AppendDurations(std::string& text) const;

  // One for each operation, in their order, and one for requests that name none.
  std::array<Requests, kOperationCount + 1> requests_;
};

}  // namespace berglite::rest
