// The answers that carry a table or view: composed of text, so that nothing is parsed or written
// anew.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <string_view>

#include "berglite/catalog.h"
#include "lib/catalog/commit.h"

namespace berglite::catalog {

// LoadTableResult or LoadViewResult of the specification; without a location for a staged table.
Document LoadResult(const std::string* location, const Document& metadata);

// The table with its ETag, as LoadTableResult or as CommitTableResponse.
LoadedTable ToLoadedTable(const StoredMetadata& table);
LoadedTable ToCommitResponse(const StoredMetadata& table);

// The metadata location stands for the metadata: a metadata file is never written twice.
std::string ETagOf(const std::string& location, SnapshotMode mode);

// Whether `header`, an If-None-Match, names `etag` (RFC 9110, section 13.1.2: weak comparison).
bool NamesETag(std::string_view header, std::string_view etag);

}  // namespace berglite::catalog
