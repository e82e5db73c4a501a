// Counter: counts what happens, from any thread, at the cost of one relaxed addition.
#pragma once

#include <atomic>
#include <cstdint>

namespace berglite {

// Threads: every method may be called from any thread at the same time. What is counted orders
// nothing: a reader may see one of two counters moved on and the other not yet.
class Counter {
 public:
  void Add(uint64_t count = 1) { count_.fetch_add(count, std::memory_order_relaxed); }
  uint64_t value() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> count_ = 0;
};

}  // namespace berglite
