// The commands about the catalogs of a file: warehouses list and add.
#pragma once

#include "shim/cli/file_command.h"

namespace berglite::cli {

CommandGroup WarehouseCommands();

}  // namespace berglite::cli
