// Manifest lists and manifests written anew with other locations in them, as a table needs them
// whose files have been moved.
//
// All else of a record stays byte for byte as it is, whatever it means, and so does the header of
// the file. Blocks are stored with deflate.
//
// Threads: functions without state.
// Memory: the whole new file, and one block of the old one.
// Errors: those of ReadManifestList and ReadManifest; kValidation too where the new file would be
// longer than the limit (limits::kRewrittenManifestBytesMax).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "berglite/result.h"
#include "lib/manifest/manifest.h"

namespace berglite::manifest {

// What becomes of a manifest in a list.
struct ManifestFileEdit {
  std::string path;
  std::optional<int64_t> length;  // in bytes; nullopt: as it was
};

// The fields of an entry that have to do with where files are.
struct EntryLocations {
  std::string file_path;
  // Of deletion vectors: the data file that they are for.
  std::optional<std::string> referenced_data_file;
  int64_t file_size_in_bytes = 0;
  friend bool operator==(const EntryLocations&, const EntryLocations&) = default;
};

// An entry before its edit.
struct EditedEntry {
  EntryStatus status = EntryStatus::kExisting;
  FileContent content = FileContent::kData;
  std::string file_format;  // empty where the file does not say
  EntryLocations locations;
};

// The new bytes of the manifest list or manifest at `location`; nullopt where `edit` changed
// nothing. What `edit` returns for a field that an entry does not have is not heeded.
Result<std::optional<std::string>> RewriteManifestList(
    const std::string& location, const ReadPart& read,
    const std::function<Result<ManifestFileEdit>(const ManifestFile&)>& edit);
Result<std::optional<std::string>> RewriteManifest(
    const std::string& location, const ReadPart& read,
    const std::function<Result<EntryLocations>(const EditedEntry&)>& edit);

}  // namespace berglite::manifest
