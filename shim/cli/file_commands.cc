#include "shim/cli/file_commands.h"

#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include <berglite/catalog.h>

namespace berglite::cli {
namespace {

// A command that only looks must not leave a new file where the path is mistyped.
Result<std::unique_ptr<Catalog>> OpenExisting(const FileOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(options.file, ignored)) {
    return Error{ErrorKind::kInvalidArgument, "There is no catalog file " + options.file};
  }
  return Catalog::Open(options.file, {.name = options.catalog_name,
                                      .warehouse = options.warehouse,
                                      .allowed_locations = options.allowed_locations});
}

// `a.b.t` is t in the namespace a.b; names with a dot in them cannot be written so.
Result<TableIdentifier> ParseName(const std::string& text) {
  TableIdentifier name;
  size_t begin = 0;
  for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', begin)) {
    name.name_space.push_back(text.substr(begin, dot - begin));
    begin = dot + 1;
  }
  name.name = text.substr(begin);
  if (name.name_space.empty()) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected a namespace and a name, such as sales.orders; found '" + text + "'"};
  }
  return name;
}

// As 2026-05-01T12:00:00.123Z.
std::string FormatTime(int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  const std::string fraction = std::to_string(1000 + ms % 1000);
  return text.data() + fraction.substr(1) + "Z";
}

Status PrintMetrics(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier table, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenExisting(options));
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<MetricsReport> reports, catalog->ListMetrics(table));
  for (const MetricsReport& report : reports) {
    std::cout << FormatTime(report.received_ms) << ' ' << report.report.text() << '\n';
  }
  return {};
}

int ExitCodeOf(const Status& status) { return status ? 0 : Fail(status.error().message); }

}  // namespace

int Fail(const std::string& message) {
  std::cerr << "berglite: " << message << '\n';
  return 1;
}

int ShowMetrics(const FileOptions& options) { return ExitCodeOf(PrintMetrics(options)); }

}  // namespace berglite::cli
