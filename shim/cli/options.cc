#include "shim/cli/options.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <berglite/version.h>

#include "shim/cli/environment.h"
#include "shim/cli/fixture_environment.h"
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
  1  refused: no such table, a name that is taken ...; nothing was changed.
     Or: check found problems; import, export or relocate left something as it was
  2  the command line is wrong
  3  the file cannot be opened, read or written, is in use by others for too long, or is damaged;
     or the port is in use, or stdout cannot be written)";

constexpr const char* kServing = "Serve";

Variables ReadEnvironment() {
  Variables variables;
  for (char** item = environ; *item != nullptr; ++item) {
    const std::string_view text = *item;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
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

constexpr const char* kFile = "The catalog file";
constexpr const char* kFileThatIsMade = "The catalog file; created where there is none";

void AddFileOption(CLI::App& command, std::string& file, const char* about) {
  command.add_option("--file", file, about)
      ->type_name("PATH")
      ->capture_default_str()
      ->envname("BERGLITE_FILE");
}

void AddServeOptions(CLI::App& serve, ServeOptions& options) {
  AddFileOption(serve, options.file, kFileThatIsMade);
  serve
      .add_option("--warehouse", options.warehouse,
                  "The directory for new tables [`warehouse` beside the file, or where the tables "
                  "of another program's file are]")
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
  serve
      .add_flag("--ephemeral", options.ephemeral,
                "Start empty and keep nothing: the catalog in memory, the warehouse in a temporary "
                "directory that is removed at the end")
      ->envname("BERGLITE_EPHEMERAL");
}

void AddHealthcheckCommand(CLI::App& healthcheck, std::string& url) {
  healthcheck
      .add_option("--url", url,
                  "The server, or what to GET there instead of /readyz [the one that serve would "
                  "start here]")
      ->type_name("URL");
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
    AddFileOption(*app, command.file, verb.action == Action::kAdd ? kFileThatIsMade : kFile);
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

// The words that follow `app`, such as `namespaces`, which needs one of its commands.
std::string ComplainOfCommand(const CLI::App& app) {
  std::string complaint = "Expected a command of berglite " + app.get_name() + " (";
  const char* separator = "";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    complaint.append(separator).append(command->get_name());
    separator = ", ";
  }
  const std::vector<std::string> extras = app.remaining();
  return complaint + ")" + (extras.empty() ? "" : ", found '" + extras.front() + "'");
}

// What is wrong where the parser misses something.
std::string ComplainOfMissing(const CLI::App& app, const CLI::RequiredError& error) {
  for (const CLI::App* group : app.get_subcommands()) {
    const bool lacks_command =
        group->get_require_subcommand_min() > 0 && group->get_subcommands().empty();
    if (lacks_command) return ComplainOfCommand(*group);
  }
  return error.what();
}

// What of the command line is no option and no argument of the command; there is something.
std::string ComplainOfExtras(const CLI::App& app) {
  constexpr bool kOfCommandsToo = true;
  const std::vector<std::string> extras = app.remaining(kOfCommandsToo);
  if (app.get_subcommands().empty() && !extras.front().starts_with('-')) {
    return "Expected a command, found '" + extras.front() + "'";
  }
  std::string complaint = "This was not expected:";
  for (const std::string& extra : extras) complaint += " " + extra;
  return complaint;
}

// What flags and BERGLITE_ variables have settled.
std::set<Setting> SettledBy(const CLI::App& serve, const ServeOptions& options) {
  std::set<Setting> settled;
  constexpr std::array<std::pair<const char*, Setting>, 5> kSettings = {
      {{"--file", Setting::kFile},
       {"--warehouse", Setting::kWarehouse},
       {"--catalog-name", Setting::kCatalogName},
       {"--port", Setting::kPort},
       {"--log-level", Setting::kLogLevel}}};
  for (const auto& [flag, setting] : kSettings) {
    if (serve.get_option(flag)->count() > 0) settled.insert(setting);
  }
  if (options.ephemeral) settled.insert({Setting::kFile, Setting::kWarehouse});
  return settled;
}

// The URI of the server that `serve` would start in this environment, as it is reached from here.
Result<std::string> UriFromEnvironment() {
  ServeOptions options;
  BERGLITE_RETURN_IF_ERROR(TakeFixtureEnvironment(
      ReadEnvironment(),
      {Setting::kFile, Setting::kWarehouse, Setting::kCatalogName, Setting::kLogLevel}, options));
  std::string host = FromEnvironment("BERGLITE_HOST");
  if (host.empty() || host == "0.0.0.0" || host == "localhost") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const std::string port = FromEnvironment("BERGLITE_PORT");
  return "http://" + host + ":" + (port.empty() ? std::to_string(options.port) : port);
}

// What the environment adds; the exit code.
ExitCode FinishServeOptions(const CLI::App& serve, ServeOptions& options) {
  for (const char* flag : {"--file", "--warehouse"}) {
    if (!options.ephemeral || serve.get_option(flag)->count() == 0) continue;
    return UsageError(std::string("--ephemeral keeps nothing, but ") + flag + " is given too");
  }
  const Status taken =
      TakeFixtureEnvironment(ReadEnvironment(), SettledBy(serve, options), options);
  if (!taken) return UsageError(taken.error().message);
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
  if (meaning == Meaning::kAge) {
    const Result<std::chrono::seconds> age = ParseAge(text);
    return age ? "" : age.error().message;
  }
  if (meaning == Meaning::kUri && !IsUri(text)) {
    return "Expected a URI that begins with http:// or https://; found '" + text + "'";
  }
  // A file that is not there is none of a command line's faults.
  const bool may_be_file = text.find("://") == std::string::npos || std::filesystem::exists(text);
  if (meaning == Meaning::kUriOrFile && !IsUri(text) && !may_be_file) {
    return "Expected a URI that begins with http:// or https://, or the path of a file; found '" +
           text + "'";
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
        ->capture_default_str()
        ->required(value.need == FileCommand::Need::kRequired)
        ->check([meaning = value.meaning](const std::string& text) {
          return Complaint(meaning, text);
        });
  }
  app->add_flag("--json", options.json, "Print one JSON document");
  AddFileOption(*app, options.file, kFile);
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

// All commands and their options, which write to the Command.
struct CommandLine {
  CommandLine(const std::vector<CommandGroup>& groups, Command& command) : app(kAbout, "berglite") {
    app.set_version_flag("--version", "berglite " BERGLITE_VERSION);
    app.footer(kConventions);  // of all commands
    serve = app.add_subcommand("serve", "Serve a catalog file to Iceberg clients")->group(kServing);
    AddServeOptions(*serve, command.serve);
    healthcheck =
        app.add_subcommand("healthcheck", "Tell by the exit code whether a server is ready")
            ->group(kServing);
    AddHealthcheckCommand(*healthcheck, command.healthcheck_url);
    principals = app.add_subcommand("principals", "Say who may call a server that runs with --auth")
                     ->group(kServing);
    AddPrincipalsCommand(*principals, command.principals);
    for (const CommandGroup& group : groups) AddGroup(app, group, command);
    app.footer(std::string(kExample) + "\n\n" + kConventions);
  }

  CLI::App app;
  CLI::App* serve = nullptr;
  CLI::App* healthcheck = nullptr;
  CLI::App* principals = nullptr;
};

// What the environment adds where no URL is given.
void FinishHealthcheck(Command& command) {
  command.verb = Command::Verb::kHealthcheck;
  if (!command.healthcheck_url.empty()) return;
  Result<std::string> uri = UriFromEnvironment();
  if (uri) {
    command.healthcheck_url = *std::move(uri);
    return;
  }
  command.verb = Command::Verb::kNone;
  command.exit_code = UsageError(uri.error().message);
}

}  // namespace

Command ParseCommandLine(int argc, char** argv, const std::vector<CommandGroup>& groups) {
  Command command;
  CommandLine line(groups, command);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    command.verb = Command::Verb::kNone;
    command.exit_code = UsageError(ComplainOfExtras(line.app));
    return command;
  } catch (const CLI::RequiredError& error) {
    command.verb = Command::Verb::kNone;
    command.exit_code = UsageError(ComplainOfMissing(line.app, error));
    return command;
  } catch (const CLI::ParseError& error) {
    command.verb = Command::Verb::kNone;
    if (error.get_exit_code() == 0) {
      line.app.exit(error);
    } else {
      command.exit_code = UsageError(error.what());
    }
    return command;
  }
  if (line.serve->parsed()) {
    command.exit_code = FinishServeOptions(*line.serve, command.serve);
    if (command.exit_code == ExitCode::kDone) command.verb = Command::Verb::kServe;
    return command;
  }
  if (line.healthcheck->parsed()) FinishHealthcheck(command);
  if (line.principals->parsed()) command.verb = Command::Verb::kPrincipals;
  if (command.on_file.allowed_locations.empty()) {
    command.on_file.allowed_locations = ListFromEnvironment("BERGLITE_ALLOW_LOCATION");
  }
  const bool is_silent = command.verb == Command::Verb::kNone;
  if (is_silent && command.exit_code == ExitCode::kDone) std::cout << line.app.help();
  return command;
}

void ShowCommandLine(const std::vector<CommandGroup>& groups,
                     const std::function<void(CLI::App& app)>& show) {
  Command command;
  CommandLine line(groups, command);
  show(line.app);
}

}  // namespace berglite::cli
