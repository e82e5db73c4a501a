// The commands that change a catalog: namespaces, register, unregister, rename and drop.
#pragma once

#include <vector>

#include "shim/cli/file_command.h"

namespace berglite::cli {

// Those on tables and views, and those on namespaces.
CommandGroup ChangeCommands();
CommandGroup NamespaceCommands();

}  // namespace berglite::cli
