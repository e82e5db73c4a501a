// All commands that work on a catalog file without serving it.
#pragma once

#include <vector>

#include "shim/cli/file_command.h"

namespace berglite::cli {

// In the order of the help.
std::vector<CommandGroup> CommandGroups();

}  // namespace berglite::cli
