#include "lib/catalog/file_reach.h"

#include <vector>

#include "lib/storage/location.h"

namespace berglite::catalog {

using manifest::ManifestEntry;
using manifest::ManifestFile;
using metadata::NamedFiles;

manifest::ReadPart PartsOf(FileIO& file_io, const std::string& location) {
  return [&file_io, &location](uint64_t offset, size_t size) {
    return file_io.ReadPart(location, offset, size);
  };
}

std::string PathOf(const std::string& location) {
  Result<std::string> path = storage::LocalPathOf(location);
  return path ? *std::move(path) : location;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string JoinPath(const std::string& directory, const std::string& name) {
  return directory == "/" ? "/" + name : directory + "/" + name;
}

bool IsWithin(const std::string& path, const std::string& directory) {
  if (directory == "/") return path.starts_with('/');
  if (directory.empty() || !path.starts_with(directory)) return false;
  return path.size() == directory.size() || path[directory.size()] == '/';
}

std::string FileNameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The name of the checksum file may be too long for there to be one.
Status DeleteWithChecksum(FileIO& file_io, const std::string& path) {
  Status checksum = file_io.Delete(JoinPath(DirectoryOf(path), "." + FileNameOf(path) + ".crc"));
  if (!checksum && checksum.error().kind != ErrorKind::kInvalidArgument) return checksum;
  return file_io.Delete(path);
}

Status ReadManifestListAt(FileIO& file_io, const std::string& location,
                          const std::function<Status(const ManifestFile&)>& visit) {
  return manifest::ReadManifestList(location, PartsOf(file_io, location), visit);
}

Status ReadManifestAt(FileIO& file_io, const std::string& location,
                      const std::function<Status(const ManifestEntry&)>& visit) {
  return manifest::ReadManifest(location, PartsOf(file_io, location), visit);
}

bool MayPass(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kInternal;
}

bool IsGoneForGood(FileIO& file_io, const std::string& location) {
  std::string directory = DirectoryOf(PathOf(location));
  while (directory.size() > 1 && file_io.CheckWritable(DirectoryOf(directory))) {
    Result<bool> exists = file_io.Exists(directory);
    if (!exists) return false;
    if (*exists) return true;
    directory = DirectoryOf(directory);
  }
  return false;
}

Error Stopped() { return Error{ErrorKind::kUnavailable, "The catalog is being closed"}; }

Status FileWalk::Walk(const std::string& metadata_location, const NamedFiles& files) {
  outcome_ = {};
  BERGLITE_RETURN_IF_ERROR(Visit(metadata_location));
  for (const auto* list : {&files.statistics, &files.metadata_log}) {
    for (const std::string& file : *list) BERGLITE_RETURN_IF_ERROR(Visit(file));
  }
  for (const std::string& list : files.manifest_lists) {
    BERGLITE_RETURN_IF_ERROR(WalkManifestList(list));
  }
  for (const std::string& file : files.manifests) BERGLITE_RETURN_IF_ERROR(WalkManifest(file));
  return {};
}

Status FileWalk::WalkManifestList(const std::string& location) {
  if (!read_.insert(PathOf(location)).second) return {};
  BERGLITE_RETURN_IF_ERROR(Visit(location));
  return Conclude(location, ReadManifestListAt(file_io_, location, [&](const ManifestFile& file) {
                    return WalkManifest(file.path);
                  }));
}

Status FileWalk::WalkManifest(const std::string& location) {
  if (!read_.insert(PathOf(location)).second) return {};
  BERGLITE_RETURN_IF_ERROR(Visit(location));
  return Conclude(location, ReadManifestAt(file_io_, location, [&](const ManifestEntry& entry) {
                    return Visit(entry.file_path);
                  }));
}

Status FileWalk::Conclude(const std::string& location, const Status& read) {
  // What was not seen to its end is to be seen again.
  if (!read) read_.erase(PathOf(location));
  if (!read && outcome_) outcome_ = visitor_.on_unreadable(location, read.error());
  return outcome_;
}

Status FileWalk::Visit(const std::string& location) {
  outcome_ = visitor_.on_file(location);
  return outcome_;
}

}  // namespace berglite::catalog
