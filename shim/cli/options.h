// The command line of the program `berglite`.
#pragma once

#include <string>
#include <vector>

namespace berglite::cli {

// `berglite serve`. Each is a flag and a variable of the environment; the flag wins.
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
};

// `berglite principals`.
struct PrincipalsCommand {
  enum class Action { kAdd, kList, kRemove, kRotate };

  Action action = Action::kList;
  std::string file = "berglite.db";
  std::string name;
  bool read_only = false;
};

// What the program is to do; with kEnd all is said, and the exit code is known.
struct Command {
  enum class Kind { kEnd, kServe, kPrincipals };

  Kind kind = Kind::kEnd;
  int exit_code = 0;
  ServeOptions serve;
  PrincipalsCommand principals;
};

// Reads the command line and the environment. Prints help and version to stdout and a usage error,
// in one line, to stderr.
Command ParseCommandLine(int argc, char** argv);

}  // namespace berglite::cli
