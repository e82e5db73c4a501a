// The commands that move what a catalog points to into another catalog, or out of one.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

CommandGroup TransferCommands();

}  // namespace berglite::cli
