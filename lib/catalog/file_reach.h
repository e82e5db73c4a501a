// What metadata reaches: the ways from a metadata document over manifest lists and manifests to
// the files of a table, and what of it other tables still need.
//
// Two locations are the same file where their local paths are equal (`file:///a` and `/a`).
//
// Threads: functions without state; a KeptFiles is immutable once collected.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/manifest/manifest.h"
#include "lib/metadata/named_files.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// The local path of a location; the location itself where it is none.
std::string PathOf(const std::string& location);
// The directory that `path` is in; empty for one without a slash.
std::string DirectoryOf(const std::string& path);
// Whether `path` is `directory` or below it.
bool IsWithin(const std::string& path, const std::string& directory);

// Manifest lists and manifests at their locations. Errors: those of FileIO::ReadPart and of
// lib/manifest.
Status ReadManifestListAt(FileIO& file_io, const std::string& location,
                          const std::function<Status(const manifest::ManifestFile&)>& visit);
Status ReadManifestAt(FileIO& file_io, const std::string& location,
                      const std::function<Status(const manifest::ManifestEntry&)>& visit);

// Whether what could not be read because of `error` may be readable later.
bool MayPass(const Error& error);

// Asked between files. true: end now.
using StopSign = std::function<bool()>;
// What a reader returns that was told to stop.
Error Stopped();

// A dropped table whose files are to go.
struct DroppedTable {
  std::string metadata_location;
  metadata::NamedFiles files;
};

// What must stay when dropped tables are removed, since other tables and views of the file are
// still there (of whichever catalog in it):
// - each file that one of these reaches and that may be a file of a dropped table, because they
//   have directories in common or one above the other;
// - all that is in the location of another table, unless that location is also one of, or above,
//   a dropped table: a table may have taken in files of others.
class KeptFiles {
 public:
  // Looks at every entry of the file. Errors: kUnavailable where the metadata of one that matters
  // cannot be read now, where there are more files than the limit, or where told to stop: then it
  // is not known what must stay, and so nothing may be removed.
  static Result<KeptFiles> Collect(store::Store& store, FileIO& file_io,
                                   const std::vector<DroppedTable>& dropped, const StopSign& stop);

  bool HoldsFile(const std::string& path) const;
  // Whether clients of another table expect this directory.
  bool HoldsDirectory(const std::string& path) const { return directories_.contains(path); }

 private:
  class Collector;

  // Hashes: of two files that have the same one, the one that could go stays.
  std::vector<uint64_t> files_;                // sorted
  std::unordered_set<std::string> locations_;  // of tables that no dropped one shares
  std::unordered_set<std::string> directories_;
};

}  // namespace berglite::catalog
