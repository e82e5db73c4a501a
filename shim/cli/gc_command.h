// `berglite gc`: finds and removes orphan files.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

FileCommand GcCommand();

}  // namespace berglite::cli
