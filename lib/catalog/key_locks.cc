#include "lib/catalog/key_locks.h"

#include <utility>

namespace berglite::catalog {

KeyLocks::Guard KeyLocks::Lock(std::vector<std::string> keys) {
  auto ticket = std::make_unique<Guard::Ticket>();
  ticket->keys = std::move(keys);
  std::unique_lock lock(mutex_);
  for (const std::string& key : ticket->keys) {
    std::deque<Guard::Ticket*>& queue = queues_[key];
    if (!queue.empty()) ++ticket->awaited;
    queue.push_back(ticket.get());
  }
  ticket->ready.wait(lock, [&ticket] { return ticket->awaited == 0; });
  return Guard(this, std::move(ticket));
}

KeyLocks::Guard::~Guard() {
  if (locks_ == nullptr) return;
  std::lock_guard lock(locks_->mutex_);
  for (const std::string& key : ticket_->keys) {
    auto queue = locks_->queues_.find(key);
    queue->second.pop_front();
    if (queue->second.empty()) {
      locks_->queues_.erase(queue);
    } else if (Ticket* next = queue->second.front(); --next->awaited == 0) {
      next->ready.notify_one();
    }
  }
}

}  // namespace berglite::catalog
