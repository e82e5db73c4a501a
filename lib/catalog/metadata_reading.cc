#include "lib/catalog/metadata_reading.h"

#include <utility>

#include "lib/base/limits.h"
#include "lib/metadata/metadata_file.h"

namespace berglite::catalog {

using metadata::TableMetadata;

Result<TableMetadata> ReadTableMetadata(FileIO& file_io, const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes, file_io.Read(location, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), location));
  Result<TableMetadata> parsed = TableMetadata::Parse(std::move(document));
  if (parsed) return parsed;
  return Error{parsed.error().kind,
               "Invalid table metadata in " + location + ": " + parsed.error().message};
}

}  // namespace berglite::catalog
