// KeyLocks: lets the commits of one process to one table go one after another.
//
// The pointer's compare-and-swap alone would be right, but of many clients that commit to one table
// all but one would have written their metadata file in vain. Locks are taken for all keys of a
// call at once, in arrival order, so nobody starves and nothing deadlocks.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace berglite::catalog {

class KeyLocks {
 public:
  // Holds its keys until it is destroyed. Must not outlive the KeyLocks.
  class Guard {
   public:
    Guard(Guard&& other) noexcept : locks_(other.locks_), ticket_(std::move(other.ticket_)) {
      other.locks_ = nullptr;
    }
    Guard& operator=(Guard&&) = delete;
    ~Guard();

   private:
    friend class KeyLocks;
    struct Ticket {
      std::vector<std::string> keys;
      size_t awaited = 0;  // queues in which others stand before it
      std::condition_variable ready;
    };
    Guard(KeyLocks* locks, std::unique_ptr<Ticket> ticket)
        : locks_(locks), ticket_(std::move(ticket)) {}

    KeyLocks* locks_;
    std::unique_ptr<Ticket> ticket_;
  };

  // Waits until all `keys` are free of earlier holders. `keys` must not hold one twice.
  Guard Lock(std::vector<std::string> keys);

 private:
  std::mutex mutex_;
  // Who holds (first) and who waits for each key. Guarded by mutex_.
  std::map<std::string, std::deque<Guard::Ticket*>> queues_;
};

}  // namespace berglite::catalog
