// The command line of the program `berglite`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/result.h>

#include "shim/cli/file_command.h"

namespace CLI {
class App;
}

namespace berglite::cli {

// `berglite serve`. Each is a flag and a variable of the environment; the flag wins, then the
// BERGLITE_ variable, then the one of fixture_environment.h.
struct ServeOptions {
  std::string file = "berglite.db";
  std::string warehouse;
  std::string catalog_name;
  std::vector<std::string> allowed_locations;
  std::string host = "localhost";
  int port = 8181;
  std::vector<std::string> allowed_hosts;
  int workers = 16;
  std::string log_level = "info";
  bool auth = false;
  // From the environment alone: other users can see the command line.
  std::string token;
  // Everything is new at the start and gone at the end, whatever `file` and `warehouse` say.
  bool ephemeral = false;
  // From the environment alone.
  NewProperties table_properties;
  NewProperties view_properties;
  // What of the environment has no effect, a line each.
  std::vector<std::string> notes;
};

// `berglite principals`.
struct PrincipalsCommand {
  enum class Action { kAdd, kList, kRemove, kRotate };

  Action action = Action::kList;
  std::string file = "berglite.db";
  std::string name;
  bool read_only = false;
  bool json = false;
};

// What the program is to do: one of these, or to end with the exit code since all is said.
struct Command {
  enum class Verb { kNone, kServe, kHealthcheck, kPrincipals, kOnFile };
  Verb verb = Verb::kNone;
  ExitCode exit_code = ExitCode::kDone;
  ServeOptions serve;
  std::string healthcheck_url;
  PrincipalsCommand principals;
  Result<ExitCode> (*run)(const FileOptions& options) = nullptr;  // for kOnFile
  FileOptions on_file;
};

// Reads the command line and the environment. Prints help and version to stdout and a usage error,
// in one line, to stderr.
Command ParseCommandLine(int argc, char** argv, const std::vector<CommandGroup>& groups);

// Shows all commands and their options to `show`, from which the completions and the manual are
// made.
void ShowCommandLine(const std::vector<CommandGroup>& groups,
                     const std::function<void(CLI::App& app)>& show);

}  // namespace berglite::cli
