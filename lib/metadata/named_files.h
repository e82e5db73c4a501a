// The files that a metadata document names by itself: where a search for all files of a table
// starts.
//
// Read leniently, as what stands there, so that it also tells of documents that are no tables. What
// is not as expected is passed over, and said to have been.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"

namespace berglite::metadata {

struct NamedFiles {
  std::string location;                     // without trailing slashes; empty where there is none
  std::vector<std::string> manifest_lists;  // of all snapshots, also those without a reference
  std::vector<std::string> manifests;       // of version 1 snapshots without a list
  std::vector<std::string> statistics;      // those of partitions too
  std::vector<std::string> metadata_log;    // earlier metadata files
  std::vector<std::string> write_paths;     // where properties send new files
  bool owns_data = true;                    // property gc.enabled: no other catalog needs its files
  // Empty, or what of the document was not understood, so that there may be further files.
  std::string gap;
};

NamedFiles FilesNamedIn(const Json& metadata);

}  // namespace berglite::metadata
