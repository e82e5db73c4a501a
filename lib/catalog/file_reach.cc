#include "lib/catalog/file_reach.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/metadata/metadata_file.h"
#include "lib/storage/location.h"

namespace berglite::catalog {

using manifest::ManifestEntry;
using manifest::ManifestFile;
using metadata::NamedFiles;
using store::AnyEntry;

namespace {

constexpr size_t kEntriesAtATime = 1000;

manifest::ReadPart PartsOf(FileIO& file_io, const std::string& location) {
  return [&file_io, &location](uint64_t offset, size_t size) {
    return file_io.ReadPart(location, offset, size);
  };
}

// The directories that a table or view has files in, as far as its metadata says.
std::vector<std::string> PlacesOf(const std::string& metadata_location, const NamedFiles& files) {
  std::vector<std::string> places;
  if (!files.location.empty()) places.push_back(PathOf(files.location));
  auto add = [&](const std::string& file) {
    std::string directory = DirectoryOf(PathOf(file));
    if (std::find(places.begin(), places.end(), directory) == places.end()) {
      places.push_back(std::move(directory));
    }
  };
  add(metadata_location);
  for (const auto* list :
       {&files.manifest_lists, &files.manifests, &files.statistics, &files.metadata_log}) {
    for (const std::string& file : *list) add(file);
  }
  return places;
}

bool AreRelated(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& a) {
    return std::any_of(others.begin(), others.end(),
                       [&](const std::string& b) { return IsWithin(a, b) || IsWithin(b, a); });
  });
}

Result<NamedFiles> ReadNamedFiles(FileIO& file_io, const std::string& metadata_location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes,
                            file_io.Read(metadata_location, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), metadata_location));
  return metadata::FilesNamedIn(DocumentAccess::Dom(document));
}

Error CannotTell(const std::string& metadata_location, const std::string& why) {
  return Error{ErrorKind::kUnavailable,
               "Cannot tell which files " + metadata_location + " needs: " + why};
}

}  // namespace

std::string PathOf(const std::string& location) {
  Result<std::string> path = storage::LocalPathOf(location);
  return path ? *std::move(path) : location;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool IsWithin(const std::string& path, const std::string& directory) {
  if (directory == "/") return path.starts_with('/');
  if (directory.empty() || !path.starts_with(directory)) return false;
  return path.size() == directory.size() || path[directory.size()] == '/';
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

Error Stopped() { return Error{ErrorKind::kUnavailable, "The catalog is being closed"}; }

class KeptFiles::Collector {
 public:
  Collector(store::Store& store, FileIO& file_io, const std::vector<DroppedTable>& dropped,
            const StopSign& stop)
      : store_(store), file_io_(file_io), stop_(stop) {
    for (const DroppedTable& table : dropped) {
      for (std::string& place : PlacesOf(table.metadata_location, table.files)) {
        places_.push_back(std::move(place));
      }
      if (!table.files.location.empty()) locations_.push_back(PathOf(table.files.location));
    }
  }

  Result<KeptFiles> Run() {
    int64_t after = 0;
    for (;;) {
      BERGLITE_ASSIGN_OR_RETURN(std::vector<AnyEntry> entries, List(after, kEntriesAtATime));
      if (entries.empty()) break;
      after = entries.back().row_id;
      for (AnyEntry& entry : entries) BERGLITE_RETURN_IF_ERROR(AddEntry(std::move(entry)));
    }
    BERGLITE_RETURN_IF_ERROR(SortFiles());
    return std::move(kept_);
  }

 private:
  Result<std::vector<AnyEntry>> List(int64_t after, size_t limit) {
    std::vector<AnyEntry> entries;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(entries, reader.ListAllEntries(after, limit));
      return {};
    }));
    return entries;
  }

  Status AddEntry(AnyEntry entry) {
    if (stop_()) return Stopped();
    if (entry.metadata_location.empty()) return {};
    for (;;) {
      Result<NamedFiles> files = ReadNamedFiles(file_io_, entry.metadata_location);
      if (files) return AddTable(entry.metadata_location, *files);
      if (files.error().kind != ErrorKind::kNotFound) {
        return AddUnreadable(entry.metadata_location, files.error());
      }
      // Superseded since it was listed, or gone for good.
      BERGLITE_ASSIGN_OR_RETURN(std::vector<AnyEntry> now, List(entry.row_id - 1, 1));
      if (now.empty() || now.front().row_id != entry.row_id) return {};
      if (now.front().metadata_location == entry.metadata_location) return {};
      entry = std::move(now.front());
    }
  }

  // Where it lies far from every dropped table it does not matter.
  Status AddUnreadable(const std::string& metadata_location, const Error& error) {
    if (!AreRelated(places_, PlacesOf(metadata_location, {}))) return {};
    return CannotTell(metadata_location, error.message);
  }

  Status AddTable(const std::string& metadata_location, const NamedFiles& files) {
    const std::string location = PathOf(files.location);
    if (!location.empty()) AddLocation(location);
    if (!AreRelated(places_, PlacesOf(metadata_location, files))) return {};
    kept_.directories_.insert({location, location + "/data", location + "/metadata",
                               DirectoryOf(PathOf(metadata_location))});
    BERGLITE_RETURN_IF_ERROR(AddFile(metadata_location));
    for (const auto* list : {&files.statistics, &files.metadata_log}) {
      for (const std::string& file : *list) BERGLITE_RETURN_IF_ERROR(AddFile(file));
    }
    for (const std::string& list : files.manifest_lists) {
      BERGLITE_RETURN_IF_ERROR(AddManifestList(list));
    }
    for (const std::string& file : files.manifests) BERGLITE_RETURN_IF_ERROR(AddManifest(file));
    return {};
  }

  void AddLocation(const std::string& location) {
    const bool is_shared = std::any_of(locations_.begin(), locations_.end(),
                                       [&](const auto& own) { return IsWithin(own, location); });
    if (!is_shared) kept_.locations_.insert(location);
  }

  Status AddManifestList(const std::string& location) {
    if (!IsNew(location)) return {};
    BERGLITE_RETURN_IF_ERROR(AddFile(location));
    return Check(location,
                 ReadManifestListAt(file_io_, location, [&](const ManifestFile& file) -> Status {
                   return AddManifest(file.path);
                 }));
  }

  Status AddManifest(const std::string& location) {
    if (!IsNew(location)) return {};
    BERGLITE_RETURN_IF_ERROR(AddFile(location));
    return Check(location,
                 ReadManifestAt(file_io_, location, [&](const ManifestEntry& entry) -> Status {
                   return AddFile(entry.file_path);
                 }));
  }

  // Of files that are gone nothing can be needed.
  Status Check(const std::string& location, const Status& read) {
    if (read || read.error().kind == ErrorKind::kNotFound) return {};
    return CannotTell(location, read.error().message);
  }

  // Snapshots share most of their manifests.
  bool IsNew(const std::string& location) { return read_.insert(PathOf(location)).second; }

  Status AddFile(const std::string& location) {
    if (stop_()) return Stopped();
    kept_.files_.push_back(StableHash(PathOf(location)));
    if (kept_.files_.size() < sort_at_) return {};
    BERGLITE_RETURN_IF_ERROR(SortFiles());
    sort_at_ = std::max(sort_at_, 2 * kept_.files_.size());
    return {};
  }

  Status SortFiles() {
    std::vector<uint64_t>& files = kept_.files_;
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    if (files.size() <= limits::kKeptFilesMax) return {};
    return Error{ErrorKind::kUnavailable, "Other tables that share the location have more than " +
                                              std::to_string(limits::kKeptFilesMax) + " files"};
  }

  store::Store& store_;
  FileIO& file_io_;
  const StopSign& stop_;
  std::vector<std::string> places_;     // of all dropped tables
  std::vector<std::string> locations_;  // of all dropped tables
  std::unordered_set<std::string> read_;
  size_t sort_at_ = size_t{1} << 20;
  KeptFiles kept_;
};

Result<KeptFiles> KeptFiles::Collect(store::Store& store, FileIO& file_io,
                                     const std::vector<DroppedTable>& dropped,
                                     const StopSign& stop) {
  return Collector(store, file_io, dropped, stop).Run();
}

bool KeptFiles::HoldsFile(const std::string& path) const {
  if (std::binary_search(files_.begin(), files_.end(), StableHash(path))) return true;
  std::string directory = DirectoryOf(path);
  while (directory.size() > 1) {
    if (locations_.contains(directory)) return true;
    directory = DirectoryOf(directory);
  }
  return false;
}

}  // namespace berglite::catalog
