#include "lib/catalog/sweeper.h"

#include <chrono>
#include <limits>
#include <new>
#include <utility>

#include "lib/base/limits.h"
#include "lib/catalog/purge.h"

namespace berglite::catalog {

using metadata::TableMetadata;

namespace {

void Add(const PurgeTotals& some, PurgeTotals& sum) {
  sum.tables += some.tables;
  sum.files_removed += some.files_removed;
  sum.files_kept += some.files_kept;
  sum.files_refused += some.files_refused;
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
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
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
    // What was not reached is as it was, and not to wait for.
    if (stopping_ || !Settle(*tasks)) break;
  }
  return true;
}

bool Sweeper::IsAnyOwed() {
  bool is_owed = true;
  Status read = store_.Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> locations,
                              reader.ListOwedDeletions(std::numeric_limits<int64_t>::max(), 1));
    is_owed = !locations.empty();
    return {};
  });
  return !read || is_owed;
}

Result<std::vector<Sweeper::Task>> Sweeper::NextBatch() {
  std::vector<Task> tasks;
  BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
    tasks.clear();
    BERGLITE_ASSIGN_OR_RETURN(
        std::vector<std::string> locations,
        reader.ListOwedDeletions(environment_.NowMs(), limits::kSweepBatchMax));
    for (std::string& location : locations) {
      tasks.emplace_back().metadata_location = std::move(location);
    }
    return {};
  }));
  return tasks;
}

void Sweeper::ReadTable(Task& task) {
  Result<TableMetadata> metadata = tables_.Read(task.metadata_location);
  if (metadata) {
    task.owns_data = metadata::OwnsItsData(*metadata);
    task.table = DroppedTable{task.metadata_location, metadata::FilesNamedIn(metadata->json())};
  } else {
    task.is_gone = metadata.error().kind == ErrorKind::kNotFound;
    if (!MayPass(metadata.error())) task.outcome = Task::Outcome::kSettled;
  }
}

void Sweeper::RemoveFiles(std::vector<Task>& tasks) {
  std::vector<DroppedTable> dropped;
  for (const Task& task : tasks) {
    if (task.table) dropped.push_back(*task.table);
    if (task.is_gone) dropped.push_back({task.metadata_location, {}});
  }
  Result<KeptFiles> kept = KeptFiles::Collect(store_, file_io_, dropped, stop_);
  if (!kept) return;
  PurgeTotals totals;
  Purge purge(file_io_, *kept, stop_, totals);
  for (Task& task : tasks) {
    if (stopping_) break;
    if (task.is_gone) purge.RemoveRemains(task.metadata_location);
    if (!task.table) continue;
    auto data = task.owns_data ? Purge::Data::kRemove : Purge::Data::kKeep;
    if (purge.Run(*task.table, data)) task.outcome = Task::Outcome::kSettled;
  }
  std::lock_guard lock(mutex_);
  Add(totals, totals_);
}

Status Sweeper::Settle(const std::vector<Task>& tasks) {
  const int64_t later_ms = environment_.NowMs() + limits::kSweepRetryMs;
  auto body = [&](store::Writer& writer) -> Status {
    for (const Task& task : tasks) {
      const bool is_settled = task.outcome == Task::Outcome::kSettled;
      BERGLITE_RETURN_IF_ERROR(is_settled ? writer.SettleDeletion(task.metadata_location)
                                          : writer.OweDeletion(task.metadata_location, later_ms));
    }
    return {};
  };
  // To do it again is no loss.
  return store_.Write(body, [](store::Reader&) -> Result<bool> { return false; });
}

}  // namespace berglite::catalog
