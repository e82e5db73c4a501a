#include "shim/cli/commands.h"

#include "shim/cli/browse_commands.h"
#include "shim/cli/care_commands.h"
#include "shim/cli/change_commands.h"
#include "shim/cli/function_commands.h"
#include "shim/cli/transfer_commands.h"
#include "shim/cli/warehouse_commands.h"

namespace berglite::cli {

std::vector<CommandGroup> CommandGroups() {
  return {BrowseCommands(),   ChangeCommands(),   NamespaceCommands(), CareCommands(),
          TransferCommands(), FunctionCommands(), WarehouseCommands()};
}

}  // namespace berglite::cli
