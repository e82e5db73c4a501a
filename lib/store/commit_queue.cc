#include "lib/store/commit_queue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/store/schema.h"

namespace berglite::store {
namespace {

// Bounds how long the first of a group waits for the last.
constexpr size_t kGroupMax = 128;

// A body is the caller's and may not throw; running on after an exception would leave every caller
// of its group without an answer.
Status RunNoexcept(const CommitQueue::Body& body, CatalogRows& rows) noexcept { return body(rows); }

}  // namespace

Status CommitQueue::Write(const Body& body, const Landed& landed) {
  Request request{.body = body, .landed = landed};
  return Wait(request);
}

// Nothing is written, so to commit costs nothing and cannot fail half way.
Status CommitQueue::ReadAlone(const Body& body) {
  const Landed is_nothing = [](CatalogRows&) -> Result<bool> { return true; };
  Request request{.body = body, .landed = is_nothing, .company = Company::kNone};
  return Wait(request);
}

Status CommitQueue::Wait(Request& request) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  if (has_leader_) {
    request.turn.wait(lock, [&] { return request.leads || request.done; });
    if (request.done) return request.outcome;
  }
  has_leader_ = true;
  Group group = TakeGroup();  // this request is the oldest and so in it
  lock.unlock();
  groups_.Add();
  writes_.Add(group.size());
  Run(group);
  if (session_ != nullptr && !IsGoodAsNew(session_->connection())) session_ = nullptr;
  lock.lock();
  FinishGroup(group);
  return request.outcome;
}

WriteCounters CommitQueue::ReadCounters() {
  WriteCounters counters{.groups = groups_.value(),
                         .writes = writes_.value(),
                         .waiting = 0,
                         .busy_waits = busy_waits_.value()};
  std::lock_guard lock(mutex_);
  counters.waiting = waiting_.size();
  return counters;
}

CommitQueue::Group CommitQueue::TakeGroup() {
  auto end = waiting_.begin() + static_cast<ptrdiff_t>(std::min(waiting_.size(), kGroupMax));
  const auto alone = std::find_if(waiting_.begin(), end, [](const Request* request) {
    return request->company == Company::kNone;
  });
  // The oldest is always taken.
  if (alone != end) end = alone == waiting_.begin() ? alone + 1 : alone;
  Group group(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  return group;
}

void CommitQueue::FinishGroup(const Group& group) {
  for (Request* request : group) {
    request->done = true;
    request->turn.notify_one();
  }
  has_leader_ = !waiting_.empty();
  if (!has_leader_) return;
  waiting_.front()->leads = true;
  waiting_.front()->turn.notify_one();
}

void CommitQueue::Run(const Group& group) {
  auto fail = [&](const Error& error) {
    for (Request* request : group) request->outcome = error;
  };
  // A change of a file that was deleted or replaced would be gone with the last connection to it.
  if (session_ != nullptr && session_->connection().has_moved()) session_ = nullptr;
  if (session_ == nullptr) {
    Result<std::unique_ptr<Session>> session = Session::Open(options_);
    if (!session) return fail(session.error());
    session_ = *std::move(session);
  }
  Result<sqlite::Transaction> transaction = BeginWrite();
  if (!transaction) return fail(transaction.error());

  if (!RunBodies(group)) {
    transaction->Rollback();
    // The changes of the others are undone with it, and what they were told may rest on changes
    // that are undone. Each starts over alone, so that nobody pays for another's failure.
    if (group.size() > 1) {
      for (Request* request : group) Run({request});
    }
    return;
  }
  bool all_failed = std::none_of(group.begin(), group.end(),
                                 [](const Request* r) { return r->outcome.has_value(); });
  if (all_failed) return;
  if (Status committed = transaction->Commit(); !committed) {
    SettleFailedCommit(group, committed.error());
  }
}

Result<sqlite::Transaction> CommitQueue::BeginWrite() {
  sqlite::Connection& connection = session_->connection();
  const uint64_t waits_before = connection.busy_waits();
  Result<sqlite::Transaction> transaction =
      sqlite::Transaction::Begin(connection, sqlite::TransactionKind::kWrite);
  busy_waits_.Add(connection.busy_waits() - waits_before);
  return transaction;
}

bool CommitQueue::RunBodies(const Group& group) {
  return std::all_of(group.begin(), group.end(), [this](Request* r) { return RunBody(*r); });
}

bool CommitQueue::RunBody(Request& request) {
  sqlite::Connection& connection = session_->connection();
  Result<sqlite::Savepoint> savepoint = sqlite::Savepoint::Begin(connection);
  if (!savepoint) {
    request.outcome = savepoint.error();
    return false;
  }
  request.outcome = RunNoexcept(request.body, session_->rows());
  // Errors such as a full disk end the whole transaction.
  if (!connection.in_transaction()) {
    if (request.outcome) {
      request.outcome = Error{ErrorKind::kUnavailable, "The transaction was rolled back"};
    }
    return false;
  }
  Status ended = request.outcome ? savepoint->Release() : savepoint->Undo();
  if (!ended) request.outcome = ended;
  return ended.has_value();
}

// A failed COMMIT leaves three cases.
//
// SQLITE_BUSY: nothing was written.
//
// SQLITE_FULL: the frames of a transaction are appended to the log one after the other, and the
// last alone says that it is complete. One of them was refused, so it can never count.
//
// Anything else, above all a failed sync: all frames may be in the log, though no connection counts
// them, because the shared index of the log is only moved on after the sync. They are still a
// danger: where every process dies now, the next to open the file finds complete frames and takes
// them for committed. An answer must hold then too. So a small write of ours is committed: it goes
// to where those frames are, and once it is durable what is left of them does not fit its checksums
// any more. After that what is in the rows is what counts, and each body's `landed` looks for its
// own change. Where that write fails as well, it cannot be told.
//
// A fresh connection does this, as the old one has just failed. The old one is closed after the new
// one is open: if the file were closed altogether, opening it would already take in the frames.
//
// A body that failed by itself has nothing in the file in any case. But its reason may be the
// change of another body that is gone now, so it is asked to try again.
void CommitQueue::SettleFailedCommit(const Group& group, const Error& error) {
  sqlite::Failure failure = session_->connection().last_failure();
  std::optional<Error> unsettled;
  if (failure != sqlite::Failure::kBusy && failure != sqlite::Failure::kFull) {
    Result<std::unique_ptr<Session>> fresh = Session::Open(options_);
    Status barrier = fresh ? WriteBarrier((*fresh)->connection()) : Status(Error(fresh.error()));
    session_ = fresh ? *std::move(fresh) : nullptr;
    if (!barrier) {
      unsettled = Error{ErrorKind::kCommitStateUnknown,
                        error.message + "; then " + barrier.error().message};
    }
  }
  bool may_have_landed = failure != sqlite::Failure::kBusy && failure != sqlite::Failure::kFull;
  for (Request* request : group) {
    bool was_made = request->outcome.has_value();
    request->outcome = Error{ErrorKind::kUnavailable, error.message};
    if (!was_made || !may_have_landed) continue;
    if (unsettled) {
      request->outcome = *unsettled;
    } else {
      AskWhetherLanded(*request);
    }
  }
}

void CommitQueue::AskWhetherLanded(Request& request) {
  bool is_there = false;
  Status read = ReadWith(*session_, [&](CatalogRows& rows) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(is_there, request.landed(rows));
    return {};
  });
  if (!read) {
    request.outcome = Error{ErrorKind::kCommitStateUnknown, read.error().message};
  } else if (is_there) {
    request.outcome = {};
  }
}

}  // namespace berglite::store
