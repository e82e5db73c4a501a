// Sweeper: removes the files of tables that were dropped with a purge, on a thread of its own.
//
// The drop itself notes in its transaction that the files are owed (Writer::OweDeletion). The
// sweeper works that off and settles it. A process that dies in between owes it still; the next
// Sweeper on the file starts over. Two processes may do so at once: what one has removed the other
// takes for done.
//
// What becomes of a table whose metadata file cannot be read: where it is gone, damaged or nothing
// that the FileIO reads, its files stay, as nobody knows them, and nothing is owed any more. Where
// it may be readable later (kUnavailable, kInternal, a disk that is not mounted), it is owed until
// then, as is one that this FileIO may not touch: it belongs to a process that may.
//
// What fails is tried again after a time that doubles, and why it failed stands in the file. It is
// never given up by itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/limits.h"
#include "lib/catalog/kept_files.h"
#include "lib/catalog/metadata_reader.h"
#include "lib/catalog/purge.h"
#include "lib/metadata/table_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// Threads: every method may be called from any thread at the same time. The thread of its own is
// started by the first Request.
// Ownership: all that is passed is borrowed and must outlive the Sweeper.
class Sweeper {
 public:
  // `files_max`, of the dropped tables of a batch, is smaller in tests alone.
  Sweeper(store::Store& store, FileIO& file_io, MetadataReader<metadata::TableMetadata>& tables,
          Environment& environment, size_t files_max = limits::kPurgeFilesMax)
      : store_(store),
        file_io_(file_io),
        tables_(tables),
        environment_(environment),
        files_max_(files_max) {}
  // Waits for the file at hand. The rest stays owed.
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // Takes up what an earlier process left, where there is any.
  void Resume();
  // Looks for owed deletions that are due, soon. Returns a ticket to wait with.
  uint64_t Request();
  // Waits until all is done that was due when the ticket was given, at most `timeout_ms`.
  void Wait(uint64_t ticket, int64_t timeout_ms);

  // Carries out what is due, waits for it, and returns what was done since this was made.
  PurgeTotals Finish();

 private:
  // One owed deletion on its way.
  struct Task {
    enum class Step {
      kRemoveFiles,
      kRemoveRemains,  // the metadata file is gone
      kSettle,         // there is nothing to remove files by
      kPostpone,
    };
    store::OwedDeletion owed;
    Step step = Step::kPostpone;
    DroppedTable table = {};
    std::string obstacle = {};  // why it has to wait
  };

  void Run();
  // Returns whether something is owed that has to wait.
  bool SweepDue();
  Result<std::vector<Task>> NextBatch();
  void ReadTable(Task& task);
  void RemoveFiles(std::vector<Task>& tasks);
  static void CarryOut(Purge& purge, Task& task);
  bool IsAnyOwed();
  Status Settle(const std::vector<Task>& tasks);

  store::Store& store_;
  FileIO& file_io_;
  MetadataReader<metadata::TableMetadata>& tables_;
  Environment& environment_;
  const size_t files_max_;
  std::atomic<bool> stopping_ = false;
  const StopSign stop_ = [this] { return stopping_.load(std::memory_order_relaxed); };

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t requested_ = 0;  // guarded by mutex_, as is all that follows
  uint64_t completed_ = 0;
  PurgeTotals totals_;
  std::thread thread_;
};

}  // namespace berglite::catalog
