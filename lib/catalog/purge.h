// Removing the files of a dropped table, in an order that loses none of them to a crash.
//
// A file is removed after all that is only known from it: data and delete files, then their
// manifest, then the manifest list, at last the metadata file. So a removal that was cut off can
// be started over from the metadata file, and what is missing on the way is done with.
//
// Exactly the files that the metadata reaches are removed, and the hidden checksum files (`.x.crc`)
// that Hadoop's file system keeps beside them; then directories at and below the table's location
// that have become empty by this.
#pragma once

#include <set>
#include <string>
#include <unordered_set>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/catalog/file_reach.h"

namespace berglite::catalog {

// Threads: one at a time.
// Ownership: all that is passed is borrowed.
class Purge {
 public:
  Purge(FileIO& file_io, const KeptFiles& kept, const StopSign& stop, PurgeTotals& totals)
      : file_io_(file_io), kept_(kept), stop_(stop), totals_(totals) {}

  // kKeep: data and delete files, manifests and manifest lists stay (gc.enabled=false).
  enum class Data { kRemove, kKeep };

  // Removes the files of `table`. Errors: kUnavailable where some could not be removed for now; all
  // that led to them are still there.
  Status Run(const DroppedTable& table, Data data);

  // Removes what a crash may leave after the metadata file itself is gone.
  void RemoveRemains(const std::string& metadata_location);

 private:
  // What these return: whether all is gone, or is to stay, so that nothing that leads there is
  // needed any more. Where not, failure_ says why.
  bool RemoveManifestList(const std::string& location);
  bool RemoveManifest(const std::string& location);
  bool RemoveFile(const std::string& location);
  // Of a file on the way that could not be read.
  bool IsDoneWith(const Error& error);
  bool Fail(const Error& error);

  bool RemoveDirectories();
  bool RemoveDirectory(std::string path);

  FileIO& file_io_;
  const KeptFiles& kept_;
  const StopSign& stop_;
  PurgeTotals& totals_;

  std::string location_;                     // path of the table's location
  std::unordered_set<std::string> visited_;  // manifests
  std::set<std::string> directories_;        // that may have become empty
  Status failure_;                           // the first one
};

}  // namespace berglite::catalog
