#include "shim/cli/options.h"

#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <berglite/version.h>

#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

constexpr const char* kAbout =
    "An Apache Iceberg catalog in one SQLite file, served over the Iceberg REST protocol.";

constexpr const char* kExample =
    R"(Example:
  berglite serve --file lake.db --warehouse ./warehouse

and in Python, with PyIceberg:
  from pyiceberg.catalog import load_catalog
  catalog = load_catalog("berglite", type="rest", uri="http://127.0.0.1:8181")

`berglite serve --help` lists all options.)";

constexpr const char* kConventions =
    R"(In names, dots separate levels. A level with a dot or another odd character in it is
written as a JSON string: "a.b".orders

Exit codes:
  0  done
  1  refused: no such table, a name that is taken ...; nothing was changed. Or: check has findings
  2  the command line is wrong
  3  the file cannot be opened, read or written, is in use by others for too long, or is damaged;
     or the port is in use, or stdout cannot be written)";

constexpr const char* kServing = "Serve";

std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
  return value == nullptr ? "" : value;
}

// The items of a variable that holds a list, separated by commas.
std::vector<std::string> ListFromEnvironment(const char* name) {
  std::vector<std::string> items;
  const std::string value = FromEnvironment(name);
  std::string_view rest = value;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) items.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return items;
}

void AddFileOption(CLI::App& command, std::string& file) {
  command.add_option("--file", file, "The catalog file; created where there is none")
      ->type_name("PATH")
      ->capture_default_str()
      ->envname("BERGLITE_FILE");
}

void AddServeOptions(CLI::App& serve, ServeOptions& options) {
  AddFileOption(serve, options.file);
  serve
      .add_option("--warehouse", options.warehouse,
                  "The directory for new tables [`warehouse` beside the file]")
      ->type_name("DIR")
      ->envname("BERGLITE_WAREHOUSE");
  serve
      .add_option("--allow-location", options.allowed_locations,
                  "A further directory below which clients may place tables; may be repeated "
                  "(Env:BERGLITE_ALLOW_LOCATION, separated by commas)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  serve
      .add_option("--catalog-name", options.catalog_name,
                  "Which catalog of the file to serve, where it holds several")
      ->type_name("NAME")
      ->envname("BERGLITE_CATALOG_NAME");
  serve
      .add_option("--host", options.host,
                  "The address to listen on; localhost is 127.0.0.1 and ::1")
      ->type_name("HOST")
      ->capture_default_str()
      ->envname("BERGLITE_HOST");
  serve.add_option("--port", options.port, "The port to listen on; 0 is any free one")
      ->type_name("PORT")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->envname("BERGLITE_PORT");
  serve
      .add_option("--allow-host", options.allowed_hosts,
                  "A further host name under which clients may call, * for any; may be repeated "
                  "(Env:BERGLITE_ALLOW_HOST, separated by commas)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  serve.add_option("--workers", options.workers, "How many requests are worked on at once")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->envname("BERGLITE_WORKERS");
  serve
      .add_option("--log-level", options.log_level,
                  "debug (a line a request), info, warn, error or off")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}))
      ->capture_default_str()
      ->envname("BERGLITE_LOG_LEVEL");
  serve
      .add_flag("--auth", options.auth,
                "Answer only to the principals of the file (see berglite principals), and to the "
                "token in Env:BERGLITE_TOKEN where it is set")
      ->envname("BERGLITE_AUTH");
}

void AddPrincipalsCommand(CLI::App& principals, PrincipalsCommand& command) {
  using Action = PrincipalsCommand::Action;
  struct Verb {
    Action action;
    const char* name;
    const char* about;
  };
  constexpr std::array kVerbs = {
      Verb{Action::kAdd, "add", "Add a principal and print its secret, this once"},
      Verb{Action::kList, "list", "List name, access and time of addition"},
      Verb{Action::kRemove, "remove", "Remove a principal; its tokens end at once"},
      Verb{Action::kRotate, "rotate", "Print another secret; the old one and its tokens end"}};
  principals.require_subcommand(1);
  for (const Verb& verb : kVerbs) {
    CLI::App* const app = principals.add_subcommand(verb.name, verb.about);
    app->callback([&command, action = verb.action] { command.action = action; });
    AddFileOption(*app, command.file);
    app->add_flag("--json", command.json, "Print one JSON document");
    if (verb.action == Action::kList) continue;
    app->add_option("NAME", command.name, "The client id")->required()->type_name("");
    if (verb.action != Action::kAdd) continue;
    app->add_flag("--read-only", command.read_only, "It may look and change nothing");
  }
}

ExitCode UsageError(const std::string& what) {
  std::cerr << "berglite: " << EscapeControls(what) << " (berglite --help says more)\n";
  return ExitCode::kUsage;
}

// What the environment adds; the exit code.
ExitCode FinishServeOptions(ServeOptions& options) {
  if (options.allowed_locations.empty()) {
    options.allowed_locations = ListFromEnvironment("BERGLITE_ALLOW_LOCATION");
  }
  if (options.allowed_hosts.empty()) {
    options.allowed_hosts = ListFromEnvironment("BERGLITE_ALLOW_HOST");
  }
  options.token = FromEnvironment("BERGLITE_TOKEN");
  if (options.token.empty() || options.auth) return ExitCode::kDone;
  return UsageError("BERGLITE_TOKEN is set, which without --auth would keep nobody out");
}

// The complaint about a text that is not what is meant; empty where it is.
std::string Complaint(FileCommand::Meaning meaning, const std::string& text) {
  using Meaning = FileCommand::Meaning;
  if (meaning == Meaning::kName) {
    const Result<Namespace> name = ParseName(text);
    return name ? "" : name.error().message;
  }
  if (meaning == Meaning::kTable) {
    const Result<TableIdentifier> name = ParseTableName(text);
    return name ? "" : name.error().message;
  }
  const size_t equals = text.find('=');
  if (meaning == Meaning::kProperty && (equals == 0 || equals == std::string::npos)) {
    return "Expected KEY=VALUE; found '" + text + "'";
  }
  return "";
}

void AddArgument(CLI::App& command, const FileCommand::Argument& argument, FileOptions& options) {
  using Count = FileCommand::Count;
  const auto add = [&options](const std::string& value) { options.arguments.push_back(value); };
  const auto add_all = [add](const std::vector<std::string>& values) {
    for (const std::string& value : values) add(value);
  };
  const bool is_list = argument.count == Count::kSome || argument.count == Count::kAny;
  CLI::Option* const option =
      is_list ? command.add_option_function<std::vector<std::string>>(argument.name, add_all,
                                                                      argument.about)
              : command.add_option_function<std::string>(argument.name, add, argument.about);
  option->type_name("")
      ->required(argument.count == Count::kOne || argument.count == Count::kSome)
      ->check([meaning = argument.meaning](const std::string& text) {
        return Complaint(meaning, text);
      });
}

CLI::App* AddFileCommand(CLI::App& parent, const FileCommand& told, Command& command) {
  FileOptions& options = command.on_file;
  CLI::App* const app = parent.add_subcommand(told.name, told.about);
  app->callback([&command, run = told.run] {
    command.verb = Command::Verb::kOnFile;
    command.run = run;
  });
  for (const FileCommand::Argument& argument : told.arguments) {
    AddArgument(*app, argument, options);
  }
  for (const FileCommand::Flag& flag : told.flags) {
    app->add_flag(flag.name, options.*flag.is_set, flag.about);
  }
  for (const FileCommand::Value& value : told.values) {
    app->add_option(value.name, options.*value.value, value.about)
        ->type_name(value.type)
        ->required(value.need == FileCommand::Need::kRequired);
  }
  app->add_flag("--json", options.json, "Print one JSON document");
  app->add_option("--file", options.file, "The catalog file")
      ->type_name("PATH")
      ->capture_default_str()
      ->envname("BERGLITE_FILE");
  app->add_option("--catalog-name", options.catalog_name,
                  "Which catalog of the file is meant, where it holds several")
      ->type_name("NAME")
      ->envname("BERGLITE_CATALOG_NAME");
  if (told.own_warehouse != nullptr) {
    app->add_option("--warehouse", options.warehouse, told.own_warehouse)->type_name("DIR");
    return app;
  }
  app->add_option("--warehouse", options.warehouse, "The warehouse of the catalog, as with serve")
      ->type_name("DIR")
      ->envname("BERGLITE_WAREHOUSE");
  app->add_option("--allow-location", options.allowed_locations,
                  "A further directory where tables may be, as with serve; may be repeated "
                  "(Env:BERGLITE_ALLOW_LOCATION, separated by commas)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  return app;
}

void AddGroup(CLI::App& app, const CommandGroup& group, Command& command) {
  CLI::App* parent = &app;
  if (*group.name != '\0') {
    parent = app.add_subcommand(group.name, group.about)->group(group.heading);
    parent->require_subcommand(1);
  }
  for (const FileCommand& told : group.commands) {
    CLI::App* const added = AddFileCommand(*parent, told, command);
    if (parent == &app) added->group(group.heading);
  }
}

}  // namespace

Command ParseCommandLine(int argc, char** argv, const std::vector<CommandGroup>& groups) {
  Command command;
  CLI::App app(kAbout, "berglite");
  app.set_version_flag("--version", "berglite " BERGLITE_VERSION);
  app.footer(kConventions);  // of all commands
  CLI::App* const serve =
      app.add_subcommand("serve", "Serve a catalog file to Iceberg clients")->group(kServing);
  AddServeOptions(*serve, command.serve);
  CLI::App* const principals =
      app.add_subcommand("principals", "Say who may call a server that runs with --auth")
          ->group(kServing);
  AddPrincipalsCommand(*principals, command.principals);
  for (const CommandGroup& group : groups) AddGroup(app, group, command);
  app.footer(std::string(kExample) + "\n\n" + kConventions);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    command.verb = Command::Verb::kNone;
    if (error.get_exit_code() == 0) {
      app.exit(error);
    } else {
      command.exit_code = UsageError(error.what());
    }
    return command;
  }
  if (serve->parsed()) {
    command.exit_code = FinishServeOptions(command.serve);
    if (command.exit_code == ExitCode::kDone) command.verb = Command::Verb::kServe;
    return command;
  }
  if (principals->parsed()) command.verb = Command::Verb::kPrincipals;
  if (command.on_file.allowed_locations.empty()) {
    command.on_file.allowed_locations = ListFromEnvironment("BERGLITE_ALLOW_LOCATION");
  }
  if (command.verb == Command::Verb::kNone) std::cout << app.help();
  return command;
}

}  // namespace berglite::cli
