// Manifest lists and manifests (Iceberg specification, "Manifests" and "Manifest Lists", format
// versions 1 to 3): the Avro files that name the files of a table.
//
// Only what the catalog needs of them is read. Fields are found by their names in the
// specification; fields that a version does not have get the value that the specification gives
// them. Codecs: null, deflate, snappy, zstandard.
//
// Threads: functions without state.
// Memory: one block of the file (limits::kAvroBlockBytesMax), whatever the number of entries.
// Errors: kValidation `Cannot read manifest <location>: ...` for a file that is damaged, past a
// limit, or no such file; those of `read` and `visit` as they are. `visit` may have been called for
// entries before the damage.
#pragma once

#include <functional>
#include <string>

#include "berglite/result.h"
#include "lib/manifest/avro_container.h"

namespace berglite::manifest {

enum class ManifestContent { kData, kDeletes };

// A manifest as a manifest list names it.
struct ManifestFile {
  std::string path;
  ManifestContent content = ManifestContent::kData;
};

enum class EntryStatus { kExisting, kAdded, kDeleted };
// A deletion vector counts as position deletes; its path is that of the Puffin file it is in.
enum class FileContent { kData, kPositionDeletes, kEqualityDeletes };

struct ManifestEntry {
  EntryStatus status = EntryStatus::kExisting;
  FileContent content = FileContent::kData;
  std::string file_path;
};

// Calls `visit` for each manifest of a list, in order, until it returns an error.
Status ReadManifestList(const std::string& location, const ReadPart& read,
                        const std::function<Status(const ManifestFile&)>& visit);

// Calls `visit` for each entry of a manifest, deleted ones too, until it returns an error.
Status ReadManifest(const std::string& location, const ReadPart& read,
                    const std::function<Status(const ManifestEntry&)>& visit);

}  // namespace berglite::manifest
