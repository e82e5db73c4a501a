// What tells users of all commands and options, made of the command line itself so that nothing is
// missing: completions for shells and the manual page.
//
// Threads: functions without state.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace berglite::cli {

// Scripts that complete commands and options, and names of files where a value is expected.
std::string BashCompletion(CLI::App& app);
std::string ZshCompletion(CLI::App& app);
std::string FishCompletion(CLI::App& app);

// berglite(1), as roff with the man macros.
std::string ManualPage(CLI::App& app, const std::string& version);

}  // namespace berglite::cli
