// `berglite principals`: says who may call a server that runs with --auth.
#pragma once

#include <berglite/result.h>

#include "shim/cli/options.h"

namespace berglite::cli {

// Prints to stdout what a script wants, a secret or a list, and nothing else. Errors: those of
// Principals.
Status RunPrincipals(const PrincipalsCommand& command);

}  // namespace berglite::cli
