// `berglite relocate`: a catalog whose directory has been moved.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

FileCommand RelocateCommand();

}  // namespace berglite::cli
