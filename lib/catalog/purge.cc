#include "lib/catalog/purge.h"

#include <algorithm>
#include <utility>

#include "lib/base/limits.h"

namespace berglite::catalog {

using manifest::ManifestEntry;
using manifest::ManifestFile;

namespace {

Error Refused(std::string why) { return Error{ErrorKind::kInvalidArgument, std::move(why)}; }

}  // namespace

Status Purge::Run(const DroppedTable& table) {
  BERGLITE_RETURN_IF_ERROR(Start(table.metadata_location, table.files.location));
  const std::vector<std::string>& lists = table.files.manifest_lists;
  bool is_done = true;
  for (const std::string& manifest : table.files.manifests) {
    is_done &= RemoveFilesOfManifest(manifest);
  }
  for (const std::string& list : lists) is_done &= RemoveFilesOfList(list);
  is_done &= RemoveManifests();
  if (is_done) is_done = SyncDirectories() && RemoveFiles(lists);
  // Made with the table, whether or not anything was written to it.
  directories_.insert(location_ + "/data");
  is_done &= RemoveFiles(table.files.statistics);
  is_done &= RemoveFiles(table.files.metadata_log);
  if (!is_done || !SyncDirectories()) return failure_;
  directories_.insert({location_, location_ + "/metadata"});
  if (!RemoveFiles({table.metadata_location}) || !SyncDirectories()) return failure_;
  ++totals_.tables;
  return {};
}

// Of the location only the usual form is known: metadata files are in its directory `metadata`.
Status Purge::RemoveRemains(const std::string& metadata_location) {
  const std::string directory = DirectoryOf(PathOf(metadata_location));
  BERGLITE_RETURN_IF_ERROR(
      Start(metadata_location, directory.ends_with("/metadata") ? DirectoryOf(directory) : ""));
  directories_.insert(directory);
  unsynced_.insert(directory);
  return RemoveFiles({}) && SyncDirectories() ? Status() : failure_;
}

Status Purge::Start(const std::string& metadata_location, const std::string& location) {
  own_metadata_ = file_io_.RealLocation(PathOf(metadata_location));
  location_ = PathOf(location);
  visited_.clear();
  manifests_.clear();
  directories_.clear();
  unsynced_.clear();
  failure_ = {};
  if (location.empty()) return {};
  const Status may_touch = file_io_.CheckWritable(location_);
  if (may_touch) return {};
  // A location that may not be written has no directories to remove, least of all those of others
  // below it.
  if (!MayPass(may_touch.error())) {
    location_.clear();
    return {};
  }
  Fail(may_touch.error());
  return failure_;
}

bool Purge::RemoveFilesOfList(const std::string& location) {
  bool is_done = true;
  Status read = ReadManifestListAt(file_io_, location, [&](const ManifestFile& file) -> Status {
    is_done &= RemoveFilesOfManifest(file.path);
    return stop_() ? Status(Stopped()) : Status();
  });
  if (!read) is_done &= IsDoneWith(location, read.error());
  return is_done;
}

bool Purge::RemoveFilesOfManifest(const std::string& location) {
  if (!visited_.insert(PathOf(location)).second) return true;
  std::vector<std::string> files;
  bool is_done = true;
  Status read = ReadManifestAt(file_io_, location, [&](const ManifestEntry& entry) -> Status {
    files.push_back(entry.file_path);
    if (files.size() >= limits::kPurgeFilesAtOnce) {
      is_done &= RemoveFiles(std::exchange(files, {}));
    }
    return stop_() ? Status(Stopped()) : Status();
  });
  if (!read) is_done &= IsDoneWith(location, read.error());
  is_done &= RemoveFiles(files);
  if (!is_done) return false;
  manifests_.push_back(location);
  return manifests_.size() < limits::kPurgeFilesAtOnce || RemoveManifests();
}

// Without them their files would never be found again.
bool Purge::RemoveManifests() {
  return SyncDirectories() && RemoveFiles(std::exchange(manifests_, {}));
}

bool Purge::RemoveFiles(const std::vector<std::string>& files) {
  bool is_done = true;
  size_t next = 0;
  do {
    if (stop_()) return Fail(Stopped());
    Status removed = kept_.WhileNothingChanges([&] {
      const size_t end = std::min(files.size(), next + limits::kPurgeFilesAtOnce);
      for (; next < end; ++next) is_done &= RemoveFile(files[next]);
      is_done &= RemoveDirectories();
    });
    if (!removed) return Fail(removed.error());
  } while (next < files.size());
  return is_done;
}

bool Purge::RemoveFile(const std::string& location) {
  if (stop_()) return Fail(Stopped());
  const std::string path = PathOf(location);
  const std::string real = file_io_.RealLocation(path);
  const Fate fate = kept_.FateOf(real, own_metadata_);
  if (fate == Fate::kUnknown) {
    return Fail({ErrorKind::kUnavailable, location + " was not there when it was looked for"});
  }
  if (fate == Fate::kStays) {
    ++totals_.files_kept;
    return true;
  }
  Status removed =
      IsLink(path, real) ? Refused(location + " is a link") : DeleteWithChecksum(file_io_, path);
  if (removed) {
    ++totals_.files_removed;
    directories_.insert(DirectoryOf(path));
    unsynced_.insert(DirectoryOf(path));
    return true;
  }
  if (removed.error().kind != ErrorKind::kInvalidArgument) return Fail(removed.error());
  // Outside of the allowed roots, or no file at all: that will not change.
  ++totals_.files_refused;
  return true;
}

bool Purge::IsLink(const std::string& path, const std::string& real) {
  return real != JoinPath(file_io_.RealLocation(DirectoryOf(path)), FileNameOf(path));
}

// A file on the way that is missing was removed before, and all that it led to before that. Where
// one is damaged or out of reach, what it leads to stays unknown.
bool Purge::IsDoneWith(const std::string& location, const Error& error) {
  const bool may_come_back =
      error.kind == ErrorKind::kNotFound && !IsGoneForGood(file_io_, location);
  return (!may_come_back && !MayPass(error)) || Fail(error);
}

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
  while (!location_.empty() && IsWithin(path, location_) &&
         !kept_.HoldsDirectory(file_io_.RealLocation(path))) {
    Result<bool> removed = file_io_.RemoveEmptyDirectory(path);
    if (!removed) return !MayPass(removed.error()) || Fail(removed.error());
    if (!*removed) break;
    path = DirectoryOf(path);
    unsynced_.insert(path);
  }
  return true;
}

// What is gone already may have been removed by a process that died, or by another, before it came
// to this: so it counts like what was removed here.
bool Purge::SyncDirectories() {
  for (const std::string& directory : unsynced_) {
    if (stop_()) return Fail(Stopped());
    Status synced = file_io_.SyncDirectory(directory);
    if (!synced && MayPass(synced.error())) return Fail(synced.error());
  }
  unsynced_.clear();
  return true;
}

}  // namespace berglite::catalog
