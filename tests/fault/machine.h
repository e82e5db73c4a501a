// Machine: the file calls of this very program, and SQLite's for memory, made to fail on demand;
// the former are noted down.
//
// The program defines `open`, `write`, `fsync` and their like itself, and so stands between the
// system and all that runs in it: berglite's own file layer and SQLite alike. The locks of SQLite
// and the shared memory beside the file are as ever. Nothing is ever really synced, which makes
// thousands of runs affordable; what a sync is good for is Disk's to say.
//
// Threads: calls may come from any thread; the methods from one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fault/disk.h"

namespace berglite::testing {

struct Fault {
  enum class Kind {
    kIo,          // any call fails with EIO
    kFull,        // what needs space fails with ENOSPC
    kShortWrite,  // half of a write is made, and the next fails with ENOSPC
    kCannotOpen,  // opening fails with EMFILE
    kNoMemory,    // SQLite gets no memory
  };
  enum class Duration { kOnce, kFromThenOn };
  Kind kind;
  Duration duration;
};

// While it lives, what is at and below a directory is watched. One at a time.
class Machine {
 public:
  explicit Machine(std::string root);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Lets the `number`-th call from now on (counted from 1) of those that `fault` is about fail.
  void FailCall(int64_t number, const Fault& fault);
  // Everything works again. Returns whether anything has failed since it last did.
  bool Heal();

  // The calls since the Machine was made that change what is on disk, but for the shared memory
  // beside a catalog file, which no crash survives.
  std::vector<DiskCall> Calls() const;
};

}  // namespace berglite::testing
