#include "lib/catalog/purge.h"

#include "lib/base/limits.h"

namespace berglite::catalog {

using manifest::ManifestEntry;
using manifest::ManifestFile;

namespace {

// Where Hadoop's checksummed local file system has the checksum of a file.
std::string ChecksumFileOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const size_t name =
      directory.empty() || directory == "/" ? directory.size() : directory.size() + 1;
  return path.substr(0, name) + "." + path.substr(name) + ".crc";
}

}  // namespace

Status Purge::Run(const DroppedTable& table, Data data) {
  location_ = PathOf(table.files.location);
  visited_.clear();
  directories_.clear();
  failure_ = {};
  bool is_done = true;
  if (data == Data::kRemove) {
    for (const std::string& manifest : table.files.manifests) is_done &= RemoveManifest(manifest);
    for (const std::string& list : table.files.manifest_lists) is_done &= RemoveManifestList(list);
  }
  for (const std::string& file : table.files.statistics) is_done &= RemoveFile(file);
  for (const std::string& file : table.files.metadata_log) is_done &= RemoveFile(file);
  // Made with the table, whether or not anything was written to it.
  directories_.insert(location_ + "/data");
  if (!RemoveDirectories() || !is_done || !RemoveFile(table.metadata_location)) return failure_;
  directories_.insert({location_, location_ + "/metadata"});
  if (!RemoveDirectories()) return failure_;
  ++totals_.tables;
  return {};
}

// Of the location only the usual form is known: metadata files are in its directory `metadata`.
void Purge::RemoveRemains(const std::string& metadata_location) {
  const std::string path = PathOf(metadata_location);
  const std::string directory = DirectoryOf(path);
  location_ = directory.ends_with("/metadata") ? DirectoryOf(directory) : "";
  // What fails here costs a few bytes and harms nobody.
  if (!kept_.HoldsFile(path)) (void)file_io_.Delete(ChecksumFileOf(path)).has_value();
  (void)RemoveDirectory(directory);
}

bool Purge::RemoveManifestList(const std::string& location) {
  // A table that needs the list needs all that it names.
  if (kept_.HoldsFile(PathOf(location))) return RemoveFile(location);
  bool is_done = true;
  Status read = ReadManifestListAt(file_io_, location, [&](const ManifestFile& file) -> Status {
    is_done &= RemoveManifest(file.path);
    return {};
  });
  if (!read) is_done &= IsDoneWith(read.error());
  return is_done && RemoveFile(location);
}

bool Purge::RemoveManifest(const std::string& location) {
  const std::string path = PathOf(location);
  if (!visited_.insert(path).second) return true;
  if (kept_.HoldsFile(path)) return RemoveFile(location);
  bool is_done = true;
  Status read = ReadManifestAt(file_io_, location, [&](const ManifestEntry& entry) -> Status {
    is_done &= RemoveFile(entry.file_path);
    return stop_() ? Status(Stopped()) : Status();
  });
  if (!read) is_done &= IsDoneWith(read.error());
  // While the manifest is there: without it they would never be found again.
  is_done &= RemoveDirectories();
  return is_done && RemoveFile(location);
}

bool Purge::RemoveFile(const std::string& location) {
  if (stop_()) return Fail(Stopped());
  const std::string path = PathOf(location);
  if (kept_.HoldsFile(path)) {
    ++totals_.files_kept;
    return true;
  }
  const Status checksum = file_io_.Delete(ChecksumFileOf(path));
  if (!checksum && checksum.error().kind != ErrorKind::kInvalidArgument) {
    return Fail(checksum.error());
  }
  if (Status removed = file_io_.Delete(path); !removed) {
    if (removed.error().kind != ErrorKind::kInvalidArgument) return Fail(removed.error());
    // Outside of the allowed roots, or no file at all: that will not change.
    ++totals_.files_refused;
    return true;
  }
  ++totals_.files_removed;
  directories_.insert(DirectoryOf(path));
  return directories_.size() < limits::kPendingDirectoriesMax || RemoveDirectories();
}

// A file on the way that is missing was removed before, and all that it led to before that. Where
// one is damaged or out of reach, what it leads to stays unknown.
bool Purge::IsDoneWith(const Error& error) { return !MayPass(error) || Fail(error); }

bool Purge::Fail(const Error& error) {
  if (failure_) failure_ = Error{ErrorKind::kUnavailable, error.message};
  return false;
}

bool Purge::RemoveDirectories() {
  bool is_done = true;
  // Deeper ones come later in the order of texts.
  for (auto path = directories_.rbegin(); path != directories_.rend(); ++path) {
    is_done &= RemoveDirectory(*path);
  }
  directories_.clear();
  return is_done;
}

// Also its parents, as long as that empties them, up to the location.
bool Purge::RemoveDirectory(std::string path) {
  while (!location_.empty() && IsWithin(path, location_) && !kept_.HoldsDirectory(path)) {
    Result<bool> removed = file_io_.RemoveEmptyDirectory(path);
    if (!removed) return IsDoneWith(removed.error());
    if (!*removed) break;
    path = DirectoryOf(path);
  }
  return true;
}

}  // namespace berglite::catalog
