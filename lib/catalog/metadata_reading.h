// Reading the metadata of a table from its file.
//
// Threads: functions without state.
#pragma once

#include <string>

#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/metadata/table_metadata.h"

namespace berglite::catalog {

// Reads and checks a metadata file. Errors: kNotFound where there is none; kValidation, naming the
// location, where it is damaged; those of FileIO::Read.
Result<metadata::TableMetadata> ReadTableMetadata(FileIO& file_io, const std::string& location);

}  // namespace berglite::catalog
