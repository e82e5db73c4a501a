// What metadata reaches: the ways from a metadata document over manifest lists and manifests to
// the files of a table.
//
// Threads: functions without state; a FileWalk belongs to one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/manifest/manifest.h"
#include "lib/metadata/named_files.h"

namespace berglite::catalog {

// The local path of a location; the location itself where it is none.
std::string PathOf(const std::string& location);
// The directory that `path` is in; empty for one without a slash.
std::string DirectoryOf(const std::string& path);
// The file `name` in `directory`.
std::string JoinPath(const std::string& directory, const std::string& name);
// Whether `path` is `directory` or below it.
bool IsWithin(const std::string& path, const std::string& directory);

// The last name of a path.
std::string FileNameOf(const std::string& path);

// Removes a file, and before it the hidden checksum file that Hadoop's file system keeps beside it.
// Errors: those of FileIO::Delete.
Status DeleteWithChecksum(FileIO& file_io, const std::string& path);

// Reads of the file at `location`; both are borrowed.
manifest::ReadPart PartsOf(FileIO& file_io, const std::string& location);

// Manifest lists and manifests at their locations. Errors: those of FileIO::ReadPart and of
// lib/manifest.
Status ReadManifestListAt(FileIO& file_io, const std::string& location,
                          const std::function<Status(const manifest::ManifestFile&)>& visit);
Status ReadManifestAt(FileIO& file_io, const std::string& location,
                      const std::function<Status(const manifest::ManifestEntry&)>& visit);

// Whether what could not be read because of `error` may be readable later.
bool MayPass(const Error& error);

// Whether a file that is missing was removed, as far as can be told: a directory above it, other
// than an allowed location itself, is there. Otherwise a disk may not be mounted.
bool IsGoneForGood(FileIO& file_io, const std::string& location);

// Asked between files. true: end now.
using StopSign = std::function<bool()>;
// What a reader returns that was told to stop.
Error Stopped();

// Visits all files that tables reach, each manifest list and manifest once in the life of the walk:
// snapshots share most of them, and so do tables that were registered twice.
class FileWalk {
 public:
  struct Visitor {
    std::function<Status(const std::string& location)> on_file;
    // What becomes of a manifest list or manifest that could not be read.
    std::function<Status(const std::string& location, const Error&)> on_unreadable;
  };

  FileWalk(FileIO& file_io, Visitor visitor) : file_io_(file_io), visitor_(std::move(visitor)) {}

  // The metadata file too. Errors: those of the visitor.
  Status Walk(const std::string& metadata_location, const metadata::NamedFiles& files);

 private:
  Status WalkManifestList(const std::string& location);
  Status WalkManifest(const std::string& location);
  // What is left to report of a read whose visits may have failed too.
  Status Conclude(const std::string& location, const Status& read);
  Status Visit(const std::string& location);

  FileIO& file_io_;
  const Visitor visitor_;
  std::unordered_set<std::string> read_;  // paths of manifest lists and manifests
  Status outcome_;                        // of the visitor
};

}  // namespace berglite::catalog
