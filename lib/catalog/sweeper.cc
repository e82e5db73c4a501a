#include "lib/catalog/sweeper.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "lib/base/limits.h"

namespace berglite::catalog {

using metadata::TableMetadata;
using store::OwedDeletion;

namespace {

void Add(const PurgeTotals& some, PurgeTotals& sum) {
  sum.tables += some.tables;
  sum.files_removed += some.files_removed;
  sum.files_kept += some.files_kept;
  sum.files_refused += some.files_refused;
  if (!some.obstacle.empty()) sum.obstacle = some.obstacle;
}

// After so many attempts that failed before.
int64_t WaitMs(int64_t attempts) {
  constexpr int64_t kDoublingsMax = 10;
  return std::min(limits::kSweepRetryMs << std::min(attempts, kDoublingsMax),
                  limits::kSweepRetryMsMax);
}

}  // namespace

Sweeper::~Sweeper() {
  std::thread thread;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  changed_.notify_all();
  if (thread.joinable()) thread.join();
}

void Sweeper::Resume() {
  if (IsAnyOwed()) Request();
}

uint64_t Sweeper::Request() {
  std::lock_guard lock(mutex_);
  ++requested_;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    // There is no room for a thread now. What is owed stays so; nobody waits for it.
    completed_ = requested_;
  }
  changed_.notify_all();
  return requested_;
}

void Sweeper::Wait(uint64_t ticket, int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                    [&] { return completed_ >= ticket || stopping_; });
}

PurgeTotals Sweeper::Finish() {
  const uint64_t ticket = Request();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return completed_ >= ticket || stopping_; });
  return totals_;
}

void Sweeper::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const uint64_t ticket = requested_;
    lock.unlock();
    bool has_more = true;
    try {
      has_more = SweepDue();
    } catch (const std::bad_alloc&) {
      // The metadata of some table is too large for now. It stays owed.
    }
    lock.lock();
    completed_ = ticket;
    changed_.notify_all();
    auto is_wanted = [&] { return requested_ > ticket || stopping_; };
    if (has_more) {
      changed_.wait_for(lock, std::chrono::milliseconds(limits::kSweepRetryMs), is_wanted);
    } else {
      changed_.wait(lock, is_wanted);
    }
  }
}

bool Sweeper::SweepDue() {
  while (!stopping_) {
    Result<std::vector<Task>> tasks = NextBatch();
    if (!tasks) break;
    if (tasks->empty()) return IsAnyOwed();
    for (Task& task : *tasks) ReadTable(task);
    RemoveFiles(*tasks);
    if (!Settle(*tasks)) break;
  }
  return true;
}

bool Sweeper::IsAnyOwed() {
  bool is_owed = true;
  Status read = store_.Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<OwedDeletion> owed,
                              reader.ListOwedDeletions(std::numeric_limits<int64_t>::max(), 1));
    is_owed = !owed.empty();
    return {};
  });
  return !read || is_owed;
}

Result<std::vector<Sweeper::Task>> Sweeper::NextBatch() {
  std::vector<Task> tasks;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
    tasks.clear();
    BERGLITE_ASSIGN_OR_RETURN(
        std::vector<OwedDeletion> owed,
        reader.ListOwedDeletions(environment_.NowMs(), limits::kSweepBatchMax));
    for (OwedDeletion& one : owed) tasks.push_back({.owed = std::move(one)});
    return {};
  }));
  return tasks;
}

void Sweeper::ReadTable(Task& task) {
  const std::string& location = task.owed.metadata_location;
  task.table.metadata_location = location;
  Status may_touch = file_io_.CheckWritable(DirectoryOf(location));
  if (!may_touch) {
    task.obstacle = may_touch.error().message;
    return;
  }
  Result<TableMetadata> metadata = tables_.ReadAfresh(location);
  if (metadata) {
    task.step = Task::Step::kRemoveFiles;
    task.table.files = metadata::FilesNamedIn(metadata->json());
    if (task.table.files.owns_data) return;
    task.table.files.manifest_lists.clear();
    task.table.files.manifests.clear();
    return;
  }
  task.obstacle = metadata.error().message;
  if (metadata.error().kind == ErrorKind::kNotFound) {
    if (IsGoneForGood(file_io_, location)) task.step = Task::Step::kRemoveRemains;
  } else if (!MayPass(metadata.error())) {
    task.step = Task::Step::kSettle;
  }
}

void Sweeper::RemoveFiles(std::vector<Task>& tasks) {
  KeptFiles kept(store_, file_io_, stop_, KeptFiles::Purpose::kPurge, files_max_);
  auto has_files = [](const Task& task) { return task.step == Task::Step::kRemoveFiles; };
  for (auto task = tasks.begin(); task != tasks.end(); ++task) {
    if (!has_files(*task)) continue;
    Status added = kept.AddDropped(task->table);
    if (added) continue;
    task->step = Task::Step::kPostpone;
    task->obstacle = added.error().message;
    // It may be too large only for the company of those before. Then it is next.
    if (std::none_of(tasks.begin(), task, has_files)) continue;
    tasks.erase(task, tasks.end());
    break;
  }
  auto removes = [&](const Task& task) {
    return has_files(task) || task.step == Task::Step::kRemoveRemains;
  };
  // A look at everything is not taken for nothing.
  Status collected = std::any_of(tasks.begin(), tasks.end(), removes) ? kept.Collect() : Status();
  PurgeTotals totals;
  Purge purge(file_io_, kept, stop_, totals);
  for (auto task = tasks.begin(); task != tasks.end(); ++task) {
    if (!collected && removes(*task)) {
      task->step = Task::Step::kPostpone;
      task->obstacle = collected.error().message;
    } else {
      CarryOut(purge, *task);
    }
    const bool has_to_wait = task->step == Task::Step::kPostpone;
    if (has_to_wait && stopping_) {
      // What was not reached is as it was, and not to wait for.
      tasks.erase(task, tasks.end());
      break;
    }
    if (has_to_wait) totals.obstacle = task->obstacle;
  }
  std::lock_guard lock(mutex_);
  Add(totals, totals_);
}

void Sweeper::CarryOut(Purge& purge, Task& task) {
  Status done = {};
  if (task.step == Task::Step::kRemoveFiles) {
    done = purge.Run(task.table);
  } else if (task.step == Task::Step::kRemoveRemains) {
    done = purge.RemoveRemains(task.table.metadata_location);
  }
  if (done) return;
  task.step = Task::Step::kPostpone;
  task.obstacle = done.error().message;
}

Status Sweeper::Settle(const std::vector<Task>& tasks) {
  const int64_t now_ms = environment_.NowMs();
  auto body = [&](store::Writer& writer) -> Status {
    for (const Task& task : tasks) {
      if (task.step == Task::Step::kPostpone) {
        BERGLITE_RETURN_IF_ERROR(writer.PostponeDeletion(
            task.owed.id, now_ms + WaitMs(task.owed.attempts), task.obstacle));
      } else {
        BERGLITE_RETURN_IF_ERROR(writer.SettleDeletion(task.owed.id));
      }
    }
    return {};
  };
  // To do it again is no loss.
  return store_.Write(body, [](store::Reader&) -> Result<bool> { return false; });
}

}  // namespace berglite::catalog
