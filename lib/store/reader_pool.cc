#include "lib/store/reader_pool.h"

#include <utility>

#include "lib/base/limits.h"

namespace berglite::store {

Status ReaderPool::Read(const std::function<Status(CatalogRows&)>& body) {
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Take());
  Status status = ReadWith(*session, body);
  if (!IsGoodAsNew(session->connection())) session.reset();
  GiveBack(std::move(session));
  return status;
}

Result<std::unique_ptr<Session>> ReaderPool::Take() {
  {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return !idle_.empty() || session_count_ < limits::kReadersMax; });
    if (!idle_.empty()) {
      std::unique_ptr<Session> session = std::move(idle_.back());
      idle_.pop_back();
      if (!session->connection().has_moved()) return session;
    } else {
      ++session_count_;
    }
  }
  Result<std::unique_ptr<Session>> session = Session::Open(options_);
  if (!session) GiveBack(nullptr);
  return session;
}

void ReaderPool::GiveBack(std::unique_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  if (session != nullptr) {
    idle_.push_back(std::move(session));
  } else {
    --session_count_;
  }
  given_back_.notify_one();
}

}  // namespace berglite::store
