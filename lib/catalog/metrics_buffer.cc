#include "lib/catalog/metrics_buffer.h"

#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/base/limits.h"

namespace berglite::catalog {

MetricsBuffer::~MetricsBuffer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  (void)Flush().has_value();
}

void MetricsBuffer::Add(store::MetricsRecord report) {
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(report));
  if (waiting_.size() > limits::kMetricsWaitingMax) waiting_.pop_front();
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      return;  // The next report tries again.
    }
  }
  if (waiting_.size() == 1) changed_.notify_one();
}

Status MetricsBuffer::Flush() {
  std::lock_guard flush_lock(flush_mutex_);
  std::vector<store::MetricsRecord> batch;
  {
    std::lock_guard lock(mutex_);
    batch.assign(std::make_move_iterator(waiting_.begin()),
                 std::make_move_iterator(waiting_.end()));
    waiting_.clear();
  }
  if (batch.empty()) return {};
  // Nobody is told that a report is in the file, so whether it has landed matters to nobody.
  return store_.Write([&](store::Writer& writer) { return writer.AddMetrics(batch); },
                      [](store::Reader&) -> Result<bool> { return false; });
}

void MetricsBuffer::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    changed_.wait_for(lock, limits::kMetricsDelay, [&] { return stopping_; });
    lock.unlock();
    (void)Flush().has_value();
    lock.lock();
  }
}

}  // namespace berglite::catalog
