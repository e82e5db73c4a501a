// Backup: a copy of a database that others may be writing to.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "berglite/result.h"
#include "lib/sqlite/connection.h"

namespace berglite::sqlite {

// Told how many pages of how many have been copied.
using CopyProgress = std::function<void(size_t done, size_t total)>;

// Writes the state that the database has now, of one instant, to a new file at `path`. Writers of
// the database are not held up. The file is whole and durable before it gets its name, and can be
// read by those who can read the database. `source` is in no transaction.
//
// Errors: kAlreadyExists where something has that name (it is left as it is); kInvalidArgument for
// a folder that does not exist; kUnavailable where the copy cannot be written, kInternal where the
// database cannot be read; nothing is left behind.
Status CopyDatabase(Connection& source, const std::string& path, const CopyProgress& on_progress);

}  // namespace berglite::sqlite
