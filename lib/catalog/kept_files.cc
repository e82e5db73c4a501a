#include "lib/catalog/kept_files.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <string_view>
#include <utility>

#include "lib/base/hash.h"
#include "lib/base/limits.h"
#include "lib/metadata/metadata_file.h"

namespace berglite::catalog {

using metadata::NamedFiles;
using store::PointerKind;

namespace {

Error CannotTell(const std::string& location, const std::string& why) {
  return Error{ErrorKind::kUnavailable, "Cannot tell which files are needed by " + location + ": " +
                                            why + "; nothing is removed before that is known"};
}

Result<NamedFiles> ReadNamedFiles(FileIO& file_io, const std::string& metadata_location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes,
                            file_io.Read(metadata_location, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), metadata_location));
  NamedFiles files = metadata::FilesNamedIn(DocumentAccess::Dom(document));
  if (!files.gap.empty()) return Error{ErrorKind::kValidation, std::move(files.gap)};
  return files;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                           HexDigit(text[i + 2]) >= 0;
    decoded +=
        is_escape ? static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])) : text[i];
    if (is_escape) i += 2;
  }
  return decoded;
}

// A few clients take percent signs for escapes, a few resolve `..` in the text, and some take what
// stands where a host does for a directory.
std::vector<std::string> ReadingsOf(const std::string& location) {
  std::vector<std::string> readings{location};
  if (const size_t host = location.find("://"); host != std::string::npos) {
    readings.push_back(location.substr(host + 2));
  }
  for (size_t i = 0, count = readings.size(); i < count; ++i) {
    if (readings[i].find('%') == std::string::npos) continue;
    readings.push_back(PercentDecoded(readings[i]));
  }
  for (size_t i = 0, count = readings.size(); i < count; ++i) {
    if (readings[i].find("..") == std::string::npos) continue;
    readings.push_back(std::filesystem::path(PathOf(readings[i])).lexically_normal().string());
  }
  return readings;
}

// Of the checksum file `.x.crc` the file `x`; empty for any other.
std::string ChecksummedFile(const std::string& path) {
  constexpr std::string_view kSuffix = ".crc";
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with('.') || !name.ends_with(kSuffix) || name.size() <= kSuffix.size() + 1) {
    return {};
  }
  return JoinPath(DirectoryOf(path), name.substr(1, name.size() - 1 - kSuffix.size()));
}

}  // namespace

KeptFiles::KeptFiles(store::Store& store, FileIO& file_io, const StopSign& stop, Purpose purpose,
                     size_t candidates_max)
    : store_(store),
      file_io_(file_io),
      stop_(stop),
      purpose_(purpose),
      candidates_max_(candidates_max),
      walk_(file_io,
            {.on_file = [this](const std::string& file) { return Keep(file); },
             .on_unreadable = [this](const std::string& file, const Error& error) -> Status {
               return IsDoneWith(file, error) ? Status() : CannotTell(file, error.message);
             }}) {}

Status KeptFiles::AddDropped(const DroppedTable& table) {
  const size_t before = candidates_.size();
  FileWalk walk(file_io_,
                {.on_file = [&](const std::string& file) -> Status {
                   if (stop_()) return Stopped();
                   return AddCandidate(file_io_.RealLocation(PathOf(file)));
                 },
                 // To be met again when the files are removed.
                 .on_unreadable = [](const std::string&, const Error&) -> Status { return {}; }});
  Status walked = walk.Walk(table.metadata_location, table.files);
  if (!walked) {
    candidates_.resize(before);
    return walked;
  }
  if (!table.files.location.empty()) {
    AddPlace(file_io_.RealLocation(table.files.location));
  }
  return {};
}

Status KeptFiles::AddCandidate(const std::string& real) {
  if (candidates_.size() >= candidates_max_) {
    return Error{ErrorKind::kUnavailable,
                 "There are more than " + std::to_string(candidates_max_) + " files to look at"};
  }
  candidates_.push_back(StableHash(real));
  return {};
}

Status KeptFiles::Collect(const std::function<void(size_t done, size_t total)>& on_progress) {
  std::sort(candidates_.begin(), candidates_.end());
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  for (const std::string& path : store_.FilePaths()) BERGLITE_RETURN_IF_ERROR(Keep(path));
  std::unordered_set<std::string> failed;
  for (;;) {
    std::vector<Pointer> unknown;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(unknown, ListUnknown(reader));
      return {};
    }));
    if (unknown.empty()) return {};
    for (size_t i = 0; i < unknown.size(); ++i) {
      if (on_progress) on_progress(i, unknown.size());
      Status added = AddNeeded(unknown[i]);
      if (added) continue;
      // It may be superseded or dropped by now. Then it is not listed again.
      if (stop_() || !failed.insert(unknown[i].metadata_location).second) return added;
    }
  }
}

Status KeptFiles::WhileNothingChanges(const std::function<void()>& remove) {
  enum class Look { kKnown, kUnknown };
  for (int lost = 0;; ++lost) {
    Look look = Look::kUnknown;
    Status done = store_.ReadAlone([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(std::vector<Pointer> unknown, ListUnknown(reader));
      // To look at them takes a while, and is done while others may write; but not for ever.
      if (!unknown.empty() && lost < limits::kPurgeRacesMax) return {};
      look = Look::kKnown;
      return RemoveKnowing(unknown, remove);
    });
    if (!done || look == Look::kKnown) return done;
    BERGLITE_RETURN_IF_ERROR(Collect());
  }
}

// What runs in a transaction may not throw.
Status KeptFiles::RemoveKnowing(const std::vector<Pointer>& unknown,
                                const std::function<void()>& remove) try {
  for (const Pointer& pointer : unknown) BERGLITE_RETURN_IF_ERROR(AddNeeded(pointer));
  remove();
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorKind::kUnavailable, "Out of memory"};
}

Result<std::vector<KeptFiles::Pointer>> KeptFiles::ListUnknown(store::Reader& reader) {
  std::vector<Pointer> unknown;
  BERGLITE_RETURN_IF_ERROR(
      reader.VisitPointers([&](PointerKind kind, const std::string& location) -> Status {
        if (kind == PointerKind::kOther) return CannotTell(location, "it is of an unknown kind");
        if (known_.contains(location)) return {};
        if (kind == PointerKind::kLive || purpose_ == Purpose::kOrphanFiles) {
          unknown.push_back({kind, location});
        } else if (owed_locations_.insert(location).second) {
          owed_.insert(file_io_.RealLocation(PathOf(location)));
        }
        return {};
      }));
  return unknown;
}

Status KeptFiles::AddNeeded(const Pointer& pointer) {
  const std::string& metadata_location = pointer.metadata_location;
  if (known_.contains(metadata_location)) return {};
  walked_ = pointer.kind;
  BERGLITE_RETURN_IF_ERROR(Keep(metadata_location));
  Result<NamedFiles> files = ReadNamedFiles(file_io_, metadata_location);
  if (files) {
    BERGLITE_RETURN_IF_ERROR(AddTable(metadata_location, *files));
  } else if (!IsDoneWith(metadata_location, files.error())) {
    return CannotTell(metadata_location, files.error().message);
  }
  known_.insert(metadata_location);
  return {};
}

// Whether nothing can be needed through a file that cannot be read: it is gone.
bool KeptFiles::IsDoneWith(const std::string& location, const Error& error) const {
  const bool may_be_gone = purpose_ == Purpose::kPurge || walked_ == PointerKind::kOwed;
  if (!may_be_gone || error.kind != ErrorKind::kNotFound) return false;
  if (walked_ == PointerKind::kOwed) return IsGoneForGood(file_io_, location);
  // A directory without which a table in use is left was perhaps moved, with files that another
  // table has in common with it and names by where they are now.
  const Result<bool> exists = file_io_.Exists(DirectoryOf(PathOf(location)));
  return exists && *exists && IsGoneForGood(file_io_, location);
}

Status KeptFiles::AddTable(const std::string& metadata_location, const NamedFiles& files) {
  AddPlaces(metadata_location, files);
  return walk_.Walk(metadata_location, files);
}

void KeptFiles::AddPlaces(const std::string& metadata_location, const NamedFiles& files) {
  directories_.insert(file_io_.RealLocation(DirectoryOf(PathOf(metadata_location))));
  if (files.location.empty()) return;
  const std::string real = file_io_.RealLocation(files.location);
  const bool is_shared =
      std::any_of(candidate_places_.begin(), candidate_places_.end(),
                  [&](const std::string& place) { return IsWithin(place, real); });
  const bool is_guarded = purpose_ == Purpose::kOrphanFiles && !files.owns_data;
  if (!is_shared || is_guarded) locations_.insert(real);
  directories_.insert({real, file_io_.RealLocation(JoinPath(real, "data")),
                       file_io_.RealLocation(JoinPath(real, "metadata"))});
}

Status KeptFiles::Keep(const std::string& location) {
  if (stop_()) return Stopped();
  for (const std::string& reading : ReadingsOf(location)) {
    KeepReal(file_io_.RealLocation(reading));
  }
  return {};
}

void KeptFiles::KeepReal(const std::string& real) {
  if (IsCandidate(real)) kept_.insert(StableHash(real));
  // With a file its checksum file would go.
  const std::string checksummed = ChecksummedFile(real);
  if (!checksummed.empty() && IsCandidate(checksummed)) kept_.insert(StableHash(checksummed));
}

bool KeptFiles::IsCandidate(const std::string& real) const {
  return std::binary_search(candidates_.begin(), candidates_.end(), StableHash(real));
}

Fate KeptFiles::FateOf(const std::string& real, const std::string& own_metadata) const {
  if (kept_.contains(StableHash(real))) return Fate::kStays;
  if (real != own_metadata && owed_.contains(real)) return Fate::kStays;
  for (std::string path = DirectoryOf(real); path.size() > 1; path = DirectoryOf(path)) {
    if (locations_.contains(path)) return Fate::kStays;
  }
  return IsCandidate(real) ? Fate::kGoes : Fate::kUnknown;
}

}  // namespace berglite::catalog
