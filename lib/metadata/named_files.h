// The files that a metadata document names by itself: where a search for all files of a table
// starts.
//
// Read leniently, as what stands there, so that it also tells of documents that no rule of ours
// allows: views, and tables of versions to come. What is not as expected is passed over.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/metadata/table_metadata.h"

namespace berglite::metadata {

struct NamedFiles {
  std::string location;                     // without trailing slashes; empty where there is none
  std::vector<std::string> manifest_lists;  // of all snapshots, also those without a reference
  std::vector<std::string> manifests;       // of version 1 snapshots without a list
  std::vector<std::string> statistics;      // those of partitions too
  std::vector<std::string> metadata_log;    // earlier metadata files
};

NamedFiles FilesNamedIn(const Json& metadata);

// Whether the table alone owns its data files (property gc.enabled, by default true).
bool OwnsItsData(const TableMetadata& metadata);

}  // namespace berglite::metadata
