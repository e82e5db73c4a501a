// The commands that work on a catalog file without serving it: what each takes and does. A server
// may run on the file meanwhile.
#pragma once

#include <string>
#include <vector>

#include <berglite/result.h>

namespace berglite::cli {

// How the program ends. For scripts; part of its interface, and told in its help.
enum class ExitCode {
  kDone = 0,
  kRefused = 1,  // what was asked for cannot be, and nothing was changed; or a check has findings
  kUsage = 2,    // the command line is wrong
  kFailed = 3,   // the file or the port cannot be used, or the file is damaged
};

// What the command line and the environment say to a command.
struct FileOptions {
  std::string file = "berglite.db";
  std::string warehouse;
  std::string catalog_name;
  std::vector<std::string> allowed_locations;
  // What the command is about, such as a table, in the order of the command line.
  std::vector<std::string> arguments;
  // One JSON document on stdout in place of text.
  bool json = false;
  // Of some commands.
  bool long_form = false;
  bool recursive = false;
  bool overwrite = false;
  bool view = false;
  bool purge = false;
  bool repair = false;
  bool dry_run = false;
  bool remove = false;
  bool apply = false;
  bool allow_recent = false;
  std::string older_than = "3d";
  // The other catalog of a command that moves something.
  std::string remote;
  std::string remote_warehouse;
  std::string oauth2_server_uri;
  std::string scope = "catalog";
};

struct FileCommand {
  enum class Meaning { kText, kName, kTable, kProperty, kAge, kUri, kUriOrFile };
  enum class Count { kOne, kNoneOrOne, kSome, kAny };
  struct Argument {
    const char* name;
    const char* about;
    Meaning meaning = Meaning::kText;
    Count count = Count::kOne;
  };
  struct Flag {
    const char* name;
    const char* about;
    bool FileOptions::*is_set;
  };
  enum class Need { kOptional, kRequired };
  struct Value {
    const char* name;
    const char* type;
    const char* about;
    std::string FileOptions::*value;
    Need need = Need::kOptional;
    Meaning meaning = Meaning::kText;
  };

  const char* name;
  const char* about;
  std::vector<Argument> arguments;
  std::vector<Flag> flags;
  // Prints to stdout what was asked for, and nothing else.
  Result<ExitCode> (*run)(const FileOptions& options);
  // What --warehouse is, where it is not that of the catalog, as with serve.
  const char* own_warehouse = nullptr;
  std::vector<Value> values = {};
};

// Commands `NAME COMMAND`; where there is no name, commands of the program itself. The help lists
// them below the heading.
struct CommandGroup {
  const char* heading;
  const char* name;
  const char* about;
  std::vector<FileCommand> commands;
};

}  // namespace berglite::cli
