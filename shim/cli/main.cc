// The program `berglite`: serves a catalog file until it is told to stop, or carries out one of the
// commands that work on a file.

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/principals.h>
#include <berglite/server.h>
#include <berglite/version.h>
#include <berglite/warehouses.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/commands.h"
#include "shim/cli/ephemeral.h"
#include "shim/cli/healthcheck.h"
#include "shim/cli/log.h"
#include "shim/cli/options.h"
#include "shim/cli/principals_command.h"

namespace berglite::cli {
namespace {

// The signals that end the program. Blocked before the first thread starts, so that every thread
// has them blocked and only Serve, in sigwait, takes them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Each connection is an open file, and the usual limit of 1,024 is meant for programs that poll
// with select. Where it cannot be raised, the server takes fewer connections.
void RaiseOpenFileLimit() {
  constexpr rlim_t kOpenFiles = 8192;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kOpenFiles) return;
  limit.rlim_cur = std::min(limit.rlim_max, kOpenFiles);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Where there are several: with another name than before, a file looks empty.
std::string OtherCatalogs(Warehouses& warehouses) {
  const Result<std::vector<std::string>> names = warehouses.Names();
  if (!names || names->size() < 2) return "";
  std::string text = "clients that name no warehouse get " + names->front() + "; there are also ";
  for (size_t i = 1; i < names->size(); ++i) text += (i == 1 ? "" : ", ") + (*names)[i];
  return text + "\n";
}

void Greet(const Server& server, Warehouses& warehouses, const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(file, ignored);
  std::cout << "berglite " BERGLITE_VERSION " at " << server.uri() << " serves "
            << (file == ":memory:" ? file : absolute.string()) << ", warehouse "
            << warehouses.default_catalog().warehouse() << '\n'
            << OtherCatalogs(warehouses) << "from pyiceberg.catalog import load_catalog\n"
            << R"(catalog = load_catalog("berglite", type="rest", uri=")" << server.uri() << "\")"
            << std::endl;  // whoever started us may be waiting for it
}

// Whoever can read the file can sign tokens.
void WarnOfReaders(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return;
  std::cerr << "berglite: every user of this machine can read " << file
            << " and the key in it that signs tokens; chmod o-rwx keeps them out\n";
}

ExitCode Serve(ServeOptions options) {
  const sigset_t signals = BlockStopSignals();
  RaiseOpenFileLimit();
  for (const std::string& note : options.notes) std::cerr << "berglite: " << note << '\n';
  const RequestLog log(options.log_level);
  const auto temporary = PrepareEphemeral(options);
  if (!temporary) return Fail(temporary.error());
  const auto warehouses =
      Warehouses::Open(options.file, {.name = options.catalog_name,
                                      .warehouse = options.warehouse,
                                      .allowed_locations = options.allowed_locations,
                                      .table_properties = options.table_properties,
                                      .view_properties = options.view_properties});
  if (!warehouses) return Fail({ErrorKind::kUnavailable, warehouses.error().message});
  std::unique_ptr<Principals> principals;
  if (options.auth) {
    auto opened = Principals::Open(options.file, {.static_token = options.token});
    if (!opened) return Fail(opened.error());
    principals = *std::move(opened);
    WarnOfReaders(options.file);
  }
  const auto server = Server::Start(
      **warehouses, {.host = options.host,
                     .port = options.port,
                     .workers = options.workers,
                     .allowed_hosts = options.allowed_hosts,
                     .principals = principals.get(),
                     .on_request = [&log](const RequestRecord& record) { log.Write(record); }});
  if (!server) return Fail(server.error());
  Greet(**server, **warehouses, options.file);
  int signal = 0;
  sigwait(&signals, &signal);
  (*server)->Stop();
  return ExitCode::kDone;
}

ExitCode Report(const Status& status) { return status ? ExitCode::kDone : Fail(status.error()); }

// Whatever keeps a server from being healthy, the one answer to scripts and to Docker is 1.
ExitCode Healthcheck(const std::string& url) {
  return Report(CheckHealth(url)) == ExitCode::kDone ? ExitCode::kDone : ExitCode::kRefused;
}

ExitCode Run(const Command& command) {
  if (command.verb == Command::Verb::kNone) return command.exit_code;
  if (command.verb == Command::Verb::kServe) return Serve(command.serve);
  if (command.verb == Command::Verb::kHealthcheck) return Healthcheck(command.healthcheck_url);
  if (command.verb == Command::Verb::kPrincipals) return Report(RunPrincipals(command.principals));
  const Result<ExitCode> code = command.run(command.on_file);
  return code ? *code : Fail(code.error());
}

}  // namespace
}  // namespace berglite::cli

int main(int argc, char** argv) {
  using namespace berglite::cli;
  try {
    if (IsCalledCurl(argv[0])) return RunAsCurl(argc, argv);
    const ExitCode code = Run(ParseCommandLine(argc, argv, CommandGroups()));
    // A script must not take half an answer for the whole.
    if (std::cout.flush()) return static_cast<int>(code);
    return static_cast<int>(Fail({berglite::ErrorKind::kUnavailable, "Cannot write to stdout"}));
  } catch (const std::exception& error) {
    return static_cast<int>(Fail({berglite::ErrorKind::kInternal, error.what()}));
  }
}
