// The commands that show what is in a catalog: ls, show, history and metrics.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

CommandGroup BrowseCommands();

}  // namespace berglite::cli
