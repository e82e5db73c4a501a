// Counters: what a catalog has done since it was opened, in numbers, for whoever watches over it.
#pragma once

#include <cstdint>
#include <optional>

namespace berglite {

// All but the two that say otherwise only grow, from 0. They are read one after the other while
// work goes on, so that sums of several may be off by what happens meanwhile.
struct Counters {
  // Of the catalog; of Warehouses, the sum of all that are open.

  // Calls that have moved the pointer of a table or view, or of several, or made one.
  uint64_t commits = 0;
  // Such calls that were refused with kCommitFailed, as a requirement did not hold.
  uint64_t commit_conflicts = 0;
  // Times that such a call was overtaken, and started over on what the other had left.
  uint64_t commit_races_lost = 0;
  // Metadata documents of tables and views that were needed: at hand, or read from their files.
  uint64_t metadata_cache_hits = 0;
  uint64_t metadata_cache_misses = 0;

  // Of the file, whichever of its catalogs is asked. A catalog in memory has no queue: zeros.

  // Writes of this process wait in a queue, and go to disk in groups.
  uint64_t write_groups = 0;
  uint64_t grouped_writes = 0;
  // How many wait for their group now; may fall.
  uint64_t waiting_writes = 0;
  // Groups that found the file locked by another process and waited for it.
  uint64_t busy_waits = 0;
  // Dropped tables whose files are still to be removed, by any process; may fall. Absent where the
  // file cannot be read now.
  std::optional<uint64_t> owed_purges = 0;
};

}  // namespace berglite
