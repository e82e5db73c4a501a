// The environment of the program, where it is read by name. Secrets come from it alone: other users
// can see the command line.
//
// Threads: only before there is a second one.
#pragma once

#include <string>

namespace berglite::cli {

// Empty where the variable is not set.
std::string FromEnvironment(const char* name);

}  // namespace berglite::cli
