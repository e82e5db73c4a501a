// The commands that look after a catalog file: check and backup.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

CommandGroup CareCommands();

}  // namespace berglite::cli
