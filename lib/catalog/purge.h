// Removing the files of a dropped table, in an order that loses none of them to a crash.
//
// A file is removed after all that is only known from it, and after that is gone for good, as the
// directories are synced in between: data and delete files, then their manifests, then the manifest
// lists, at last the metadata file. So a removal that was cut off, by a loss of power too, can be
// started over from the metadata file, and what is missing on the way is done with.
//
// Exactly the files that the metadata reaches are removed, and the hidden checksum files (`.x.crc`)
// that Hadoop's file system keeps beside them; then directories at and below the table's location
// that have become empty by this. A link is not removed, nor what it leads to.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/catalog/file_reach.h"
#include "lib/catalog/kept_files.h"

namespace berglite::catalog {

// Threads: one at a time.
// Ownership: all that is passed is borrowed.
// Errors of all methods: kUnavailable where not all could be removed for now; all that led to what
// is left is still there.
class Purge {
 public:
  Purge(FileIO& file_io, KeptFiles& kept, const StopSign& stop, PurgeTotals& totals)
      : file_io_(file_io), kept_(kept), stop_(stop), totals_(totals) {}

  // Removes the files of `table`, which was added to the KeptFiles.
  Status Run(const DroppedTable& table);

  // Removes the directories that a crash may leave after the metadata file itself is gone.
  Status RemoveRemains(const std::string& metadata_location);

 private:
  Status Start(const std::string& metadata_location, const std::string& location);

  // What these return: whether all is gone, or is to stay, so that nothing that leads there is
  // needed any more. Where not, failure_ says why.
  bool RemoveFilesOfList(const std::string& location);
  bool RemoveFilesOfManifest(const std::string& location);
  // Those whose files are gone, after that is durable.
  bool RemoveManifests();
  bool RemoveFiles(const std::vector<std::string>& files);
  bool RemoveFile(const std::string& location);
  bool IsLink(const std::string& path, const std::string& real);
  // Of a file on the way that could not be read.
  bool IsDoneWith(const std::string& location, const Error& error);
  bool Fail(const Error& error);

  bool RemoveDirectories();
  bool RemoveDirectory(std::string path);
  bool SyncDirectories();

  FileIO& file_io_;
  KeptFiles& kept_;
  const StopSign& stop_;
  PurgeTotals& totals_;

  std::string own_metadata_;                 // real location of the table's metadata file
  std::string location_;                     // path of the table's location; empty: none
  std::unordered_set<std::string> visited_;  // manifests
  std::vector<std::string> manifests_;       // whose files are gone
  std::set<std::string> directories_;        // that may have become empty
  std::set<std::string> unsynced_;           // directories where something was removed
  Status failure_;                           // the first one
};

}  // namespace berglite::catalog
