// MetricsBuffer: metrics reports on their way to the file.
//
// Clients send a report after every scan and every commit, and a report is worth no sync of the
// disk. So reports wait in memory, and a thread writes all of a second in one transaction, which
// joins those of the commits that come at that time. A crash loses the last second of them; so does
// a file that cannot be written.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "berglite/result.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// Threads: every method may be called from any thread at the same time. The thread of its own is
// started by the first Add.
// Ownership: the Store is borrowed and must outlive the buffer.
class MetricsBuffer {
 public:
  explicit MetricsBuffer(store::Store& store) : store_(store) {}
  // Writes what waits.
  ~MetricsBuffer();
  MetricsBuffer(const MetricsBuffer&) = delete;
  MetricsBuffer& operator=(const MetricsBuffer&) = delete;

  // Waits for nothing but the mutex. Where reports come faster than they can be written, the oldest
  // are dropped.
  void Add(store::MetricsRecord report);

  // Writes what was added before the call. Errors: those of Store::Write; the reports are lost.
  Status Flush();

 private:
  void Run();

  store::Store& store_;
  std::mutex flush_mutex_;  // held while reports are taken and written; taken before mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<store::MetricsRecord> waiting_;  // guarded by mutex_, as is all that follows
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berglite::catalog
