// CommitQueue: all writes of this process to one file, in arrival order, many to a transaction.
//
// A durable commit costs one sync of the disk, whatever is in it. So bodies that wait while one
// commit is synced go together into the next. There is no thread for that: the oldest waiting
// caller leads. It runs the bodies of all that wait, commits, tells each its outcome, and hands the
// lead to the oldest of those that came meanwhile. Two connections of one process therefore never
// contend for the write lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/base/counter.h"
#include "lib/sqlite/transaction.h"
#include "lib/store/session.h"
#include "lib/store/store.h"

namespace berglite::store {

// Threads: Write may be called from any thread at the same time.
class CommitQueue {
 public:
  // Bodies choose the catalog that they are about.
  using Body = std::function<Status(CatalogRows&)>;
  using Landed = std::function<Result<bool>(CatalogRows&)>;

  CommitQueue(SessionOptions options, std::unique_ptr<Session> session)
      : options_(std::move(options)), session_(std::move(session)) {}

  // As Store::Write.
  Status Write(const Body& body, const Landed& landed);

  // As Store::ReadAlone: has a group of its own, so that no change is open while it runs.
  Status ReadAlone(const Body& body);

  WriteCounters ReadCounters();

  // How many calls wait for their turn, the leader's group not counted. For tests, which hold the
  // lead with one body until others wait.
  size_t WaitingForTest() { return ReadCounters().waiting; }

 private:
  enum class Company { kOthers, kNone };

  // One call of Write; lives on its caller's stack.
  struct Request {
    const Body& body;
    const Landed& landed;
    Company company = Company::kOthers;
    Status outcome = {};
    std::condition_variable turn = {};
    bool leads = false;  // guarded by mutex_, as is done
    bool done = false;
  };
  using Group = std::vector<Request*>;

  Status Wait(Request& request);
  Group TakeGroup();                     // mutex_ is held
  void FinishGroup(const Group& group);  // mutex_ is held

  // The leader alone runs what follows, without mutex_.
  void Run(const Group& group);
  // Whether every body was run to its end, well or not, and the transaction still stands.
  bool RunBodies(const Group& group);
  bool RunBody(Request& request);
  Result<sqlite::Transaction> BeginWrite();
  void SettleFailedCommit(const Group& group, const Error& error);
  void AskWhetherLanded(Request& request);

  const SessionOptions options_;
  std::unique_ptr<Session> session_;  // of the leader; null where it could not be opened again

  Counter groups_;
  Counter writes_;
  Counter busy_waits_;

  std::mutex mutex_;
  std::deque<Request*> waiting_;  // guarded by mutex_
  bool has_leader_ = false;       // guarded by mutex_
};

}  // namespace berglite::store
