// ReaderPool: the connections that reads run on.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/store/session.h"
#include "lib/store/store.h"

namespace berglite::store {

// Connections are opened when they are first needed, limits::kReadersMax at most, and kept. In WAL
// mode their reads neither wait for writers nor hold them up.
//
// Threads: every method may be called from any thread at the same time.
class ReaderPool {
 public:
  explicit ReaderPool(SessionOptions options) : options_(std::move(options)) {}

  // Runs `body` in one read transaction on a connection that no other read uses meanwhile. Waits
  // for one where all are in use. The body chooses the catalog that it is about.
  Status Read(const std::function<Status(CatalogRows&)>& body);

 private:
  Result<std::unique_ptr<Session>> Take();
  // `session` is null where it could not be opened or is of no more use.
  void GiveBack(std::unique_ptr<Session> session);

  const SessionOptions options_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Session>> idle_;  // guarded by mutex_
  size_t session_count_ = 0;                    // guarded by mutex_: those idle and those in use
};

}  // namespace berglite::store
