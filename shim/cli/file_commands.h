// The commands that work on a catalog file without serving it. A server may run on the file.
#pragma once

#include <string>

#include "shim/cli/options.h"

namespace berglite::cli {

// Says on stderr why the program ends, and returns its exit code.
int Fail(const std::string& message);

// Carries out any verb but kNone and kServe. Prints to stdout and returns the exit code of the
// program.
int RunOnFile(const Command& command);

}  // namespace berglite::cli
