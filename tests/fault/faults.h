// Faults: the loop that makes each fault of a kind in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/fault/disk.h"
#include "tests/fault/machine.h"

namespace berglite::testing {

std::vector<Fault> AllFaults();

// Such as `IoOnce`.
std::string NameOf(const Fault& fault);

// Makes the first fault, the second, and so on, until there is none so late: `try_one` returns
// whether it was there. That as many as `faults_min` are there is known, so that no loop can come
// to visit none. Of faults of memory, and of all that are not `per_step` 1, a sample is taken;
// BERGLITE_FAULT_STEP says otherwise, and 1 is for every fault.
void ForEachFault(const Fault& fault, int64_t faults_min,
                  const std::function<bool(int64_t number)>& try_one, int64_t per_step = 1);

// Leaves on disk what is there where every process is killed after `calls`, which began with what
// is in `before`.
void WriteKilled(Disk before, const std::vector<DiskCall>& calls);

}  // namespace berglite::testing
