// Metadata files: their names, and the bytes that stand in them.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/document.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::metadata {

// The location for a new metadata file of `metadata`: `<dir>/NNNNN-<uuid>.metadata.json`, or
// `.gz.metadata.json` where its property write.metadata.compression-codec is gzip, which it is for
// a view that has none. <dir> is write.metadata.path or `<location>/metadata`; NNNNN is one more
// than the version of `previous_location`, or 00000 where that is empty.
std::string NewMetadataLocation(const TableMetadata& metadata, std::string_view previous_location,
                                Environment& environment);
std::string NewMetadataLocation(const ViewMetadata& metadata, std::string_view previous_location,
                                Environment& environment);

// The directory of NewMetadataLocation.
std::string MetadataDirectory(const TableMetadata& metadata);
std::string MetadataDirectory(const ViewMetadata& metadata);

// The bytes to store at `location` (gzip where its name says so).
std::string EncodeMetadataFile(std::string_view text, std::string_view location);

// The document in the bytes of a metadata file. gzip is told by its first bytes, whatever the name
// (`.gz.metadata.json`, `.metadata.json.gz`). Errors: kValidation naming `location`.
Result<Document> DecodeMetadataFile(std::string bytes, std::string_view location);

// What the metadata log names.
std::vector<std::string> LoggedMetadataFiles(const TableMetadata& metadata);

// The metadata files that a commit to `next` makes superfluous: those of `logged_before`, the log
// of its base, that fell out of the log, where write.metadata.delete-after-commit.enabled is true.
// Whether another table points to one of them is for the caller to find out.
std::vector<std::string> SupersededMetadataFiles(const std::vector<std::string>& logged_before,
                                                 const TableMetadata& next);

}  // namespace berglite::metadata
