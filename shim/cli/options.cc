#include "shim/cli/options.h"

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <berglite/version.h>

#include "shim/cli/fixture_environment.h"

namespace berglite::cli {
namespace {

constexpr int kUsageError = 2;

constexpr const char* kAbout =
    "An Apache Iceberg catalog in one SQLite file, served over the Iceberg REST protocol.";

constexpr const char* kExample =
    R"(Example:
  berglite serve --file lake.db --warehouse ./warehouse

and in Python, with PyIceberg:
  from pyiceberg.catalog import load_catalog
  catalog = load_catalog("berglite", type="rest", uri="http://127.0.0.1:8181")

`berglite serve --help` lists all options.)";

std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
  return value == nullptr ? "" : value;
}

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
  serve
      .add_flag("--ephemeral", options.ephemeral,
                "Start empty and keep nothing: the catalog in memory, the warehouse in a temporary "
                "directory that is removed at the end")
      ->excludes("--file")
      ->excludes("--warehouse")
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
    AddFileOption(*app, command.file);
    if (verb.action == Action::kList) continue;
    app->add_option("NAME", command.name, "The client id")->required()->type_name("");
    if (verb.action != Action::kAdd) continue;
    app->add_flag("--read-only", command.read_only, "It may look and change nothing");
  }
}

int UsageError(const std::string& what) {
  std::cerr << "berglite: " << what << " (berglite --help says more)\n";
  return kUsageError;
}

// What flags and BERGLITE_ variables have settled.
std::set<Setting> SettledBy(const CLI::App& serve) {
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
  if (serve.get_option("--ephemeral")->as<bool>()) {
    settled.insert({Setting::kFile, Setting::kWarehouse});
  }
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
int FinishServeOptions(const CLI::App& serve, ServeOptions& options) {
  const Status taken = TakeFixtureEnvironment(ReadEnvironment(), SettledBy(serve), options);
  if (!taken) return UsageError(taken.error().message);
  if (options.allowed_locations.empty()) {
    options.allowed_locations = ListFromEnvironment("BERGLITE_ALLOW_LOCATION");
  }
  if (options.allowed_hosts.empty()) {
    options.allowed_hosts = ListFromEnvironment("BERGLITE_ALLOW_HOST");
  }
  options.token = FromEnvironment("BERGLITE_TOKEN");
  if (options.token.empty() || options.auth) return 0;
  return UsageError("BERGLITE_TOKEN is set, which without --auth would keep nobody out");
}

// A command that works on a file, with an argument for each of `arguments`: its name and what it
// is.
CLI::App* AddFileCommand(CLI::App& parent, const char* name, const char* about,
                         std::initializer_list<std::pair<const char*, const char*>> arguments,
                         FileOptions& options) {
  CLI::App* const command = parent.add_subcommand(name, about);
  for (const auto& [argument, meaning] : arguments) {
    command
        ->add_option_function<std::string>(
            argument, [&options](const std::string& value) { options.arguments.push_back(value); },
            meaning)
        ->required();
  }
  command
      ->add_option("--warehouse", options.warehouse, "The warehouse of the catalog, as with serve")
      ->type_name("DIR")
      ->envname("BERGLITE_WAREHOUSE");
  command->add_option("--file", options.file, "The catalog file")
      ->type_name("PATH")
      ->capture_default_str()
      ->envname("BERGLITE_FILE");
  command
      ->add_option("--catalog-name", options.catalog_name,
                   "Which catalog of the file is meant, where it holds several")
      ->type_name("NAME")
      ->envname("BERGLITE_CATALOG_NAME");
  return command;
}

using FileVerbs = std::vector<std::pair<const CLI::App*, Command::Verb>>;

FileVerbs AddFileCommands(CLI::App& app, FileOptions& options) {
  CLI::App* const functions =
      app.add_subcommand("functions", "List, register or drop the functions of a catalog file");
  functions->require_subcommand(1);
  CLI::App* const warehouses =
      app.add_subcommand("warehouses", "List or add the catalogs of a file");
  warehouses->require_subcommand(1);
  CLI::App* const add =
      AddFileCommand(*warehouses, "add", "Add a catalog, with a directory of its own for tables",
                     {{"NAME", "Its name, which clients give as `warehouse`"}}, options);
  add->get_option("--warehouse")
      ->description("The directory for its tables [NAME in the warehouse of the server]")
      ->envname("");
  return {
      {AddFileCommand(app, "metrics", "Show the last metrics reports of clients on a table",
                      {{"TABLE", "The table, such as sales.orders"}}, options),
       Command::Verb::kMetrics},
      {AddFileCommand(*functions, "list", "List the functions of a namespace",
                      {{"NAMESPACE", "The namespace, such as sales"}}, options),
       Command::Verb::kListFunctions},
      {AddFileCommand(*functions, "register", "Add a function, or replace its metadata",
                      {{"FUNCTION", "The function, such as sales.discount"},
                       {"METADATA", "Its metadata file, a path or file: URI"}},
                      options),
       Command::Verb::kRegisterFunction},
      {AddFileCommand(*functions, "drop", "Remove a function; its metadata file stays",
                      {{"FUNCTION", "The function, such as sales.discount"}}, options),
       Command::Verb::kDropFunction},
      {AddFileCommand(*warehouses, "list", "List the catalogs of the file, the default one first",
                      {}, options),
       Command::Verb::kListWarehouses},
      {add, Command::Verb::kAddWarehouse},
  };
}

// All commands and their options, which write to the Command.
struct CommandLine {
  explicit CommandLine(Command& command) : app(kAbout, "berglite") {
    app.set_version_flag("--version", "berglite " BERGLITE_VERSION);
    app.footer(kExample);
    serve = app.add_subcommand("serve", "Serve a catalog file to Iceberg clients");
    AddServeOptions(*serve, command.serve);
    CLI::App* const healthcheck =
        app.add_subcommand("healthcheck", "Tell by the exit code whether a server is ready");
    AddHealthcheckCommand(*healthcheck, command.healthcheck_url);
    CLI::App* const principals =
        app.add_subcommand("principals", "Say who may call a server that runs with --auth");
    AddPrincipalsCommand(*principals, command.principals);
    verbs = AddFileCommands(app, command.on_file);
    verbs.emplace_back(healthcheck, Command::Verb::kHealthcheck);
    verbs.emplace_back(principals, Command::Verb::kPrincipals);
  }

  CLI::App app;
  CLI::App* serve = nullptr;
  FileVerbs verbs;
};

void FinishHealthcheck(Command& command) {
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

Command ParseCommandLine(int argc, char** argv) {
  Command command;
  CommandLine line(command);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    command.exit_code =
        error.get_exit_code() == 0 ? line.app.exit(error) : UsageError(error.what());
    return command;
  }
  if (line.serve->parsed()) {
    command.exit_code = FinishServeOptions(*line.serve, command.serve);
    if (command.exit_code == 0) command.verb = Command::Verb::kServe;
    return command;
  }
  for (const auto& [parsed, verb] : line.verbs) {
    if (parsed->parsed()) command.verb = verb;
  }
  if (command.verb == Command::Verb::kHealthcheck) FinishHealthcheck(command);
  if (command.verb == Command::Verb::kNone && command.exit_code == 0) std::cout << line.app.help();
  return command;
}

void ShowCommandLine(const std::function<void(CLI::App& app)>& show) {
  Command command;
  CommandLine line(command);
  show(line.app);
}

}  // namespace berglite::cli
