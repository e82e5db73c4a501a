#include "shim/cli/options.h"

#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <berglite/version.h>

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

// What the environment adds; the exit code.
int FinishServeOptions(ServeOptions& options) {
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

}  // namespace

Command ParseCommandLine(int argc, char** argv) {
  Command command;
  CLI::App app(kAbout, "berglite");
  app.set_version_flag("--version", "berglite " BERGLITE_VERSION);
  app.footer(kExample);
  CLI::App* const serve = app.add_subcommand("serve", "Serve a catalog file to Iceberg clients");
  AddServeOptions(*serve, command.serve);
  CLI::App* const principals =
      app.add_subcommand("principals", "Say who may call a server that runs with --auth");
  AddPrincipalsCommand(*principals, command.principals);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    command.exit_code = error.get_exit_code() == 0 ? app.exit(error) : UsageError(error.what());
    return command;
  }
  if (serve->parsed()) {
    command.exit_code = FinishServeOptions(command.serve);
    if (command.exit_code == 0) command.kind = Command::Kind::kServe;
  } else if (principals->parsed()) {
    command.kind = Command::Kind::kPrincipals;
  } else {
    std::cout << app.help();
  }
  return command;
}

}  // namespace berglite::cli
