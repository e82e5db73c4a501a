// The commands about functions: functions list, register and drop.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

CommandGroup FunctionCommands();

}  // namespace berglite::cli
