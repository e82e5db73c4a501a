// FaultVfs: the machine's file layer under SQLite, with calls that fail on demand.
#pragma once

#include <atomic>
#include <cstdint>

namespace berglite::store {

enum class FaultDuration { kOnce, kFromThenOn };

// While it lives every new connection of this process goes through it. One at a time.
//
// Threads: faults are set while no call is under way that they could hit.
class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // Lets the `number`-th write, sync, truncation or opening of a file from now on (counted from 1)
  // fail with `code`, a result code of SQLite's. A sync fails with SQLITE_IOERR_FSYNC and an
  // opening with SQLITE_CANTOPEN instead where `code` could not come from one.
  void FailCall(int64_t number, int code, FaultDuration duration);
  // Lets the `number`-th sync from now on fail.
  void FailSync(int64_t number);
  // Lets writes to a log beyond `size` bytes fail for want of space.
  void LimitLog(int64_t size);
  // Lets every read fail as a block does that the disk cannot read.
  void FailReads();
  // Everything works again. Returns whether anything had failed since it last did.
  bool Heal();
};

}  // namespace berglite::store
