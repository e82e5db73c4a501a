#include "shim/cli/file_commands.h"

#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include <berglite/catalog.h>
#include <berglite/warehouses.h>

namespace berglite::cli {
namespace {

// A command must not leave a new file where the path is mistyped.
Status CheckExists(const FileOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(options.file, ignored)) return {};
  return Error{ErrorKind::kInvalidArgument, "There is no catalog file " + options.file};
}

Result<std::unique_ptr<Catalog>> OpenExisting(const FileOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckExists(options));
  return Catalog::Open(options.file, {.name = options.catalog_name,
                                      .warehouse = options.warehouse,
                                      .allowed_locations = options.allowed_locations});
}

// The parts of `text` between its dots; names with a dot in them cannot be written so.
Namespace SplitAtDots(const std::string& text) {
  Namespace parts;
  size_t begin = 0;
  for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', begin)) {
    parts.push_back(text.substr(begin, dot - begin));
    begin = dot + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `a.b.t` is t in the namespace a.b.
Result<TableIdentifier> ParseName(const std::string& text) {
  TableIdentifier name{SplitAtDots(text), {}};
  name.name = std::move(name.name_space.back());
  name.name_space.pop_back();
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

Status ListFunctions(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenExisting(options));
  BERGLITE_ASSIGN_OR_RETURN(const Document list,
                            catalog->ListFunctions(SplitAtDots(options.arguments.front()), {}));
  BERGLITE_ASSIGN_OR_RETURN(const size_t count, list.GetSize("/identifiers"));
  for (size_t i = 0; i < count; ++i) {
    const std::string identifier = "/identifiers/" + std::to_string(i);
    BERGLITE_ASSIGN_OR_RETURN(const size_t parts, list.GetSize(identifier));
    BERGLITE_ASSIGN_OR_RETURN(const std::string name,
                              list.GetString(identifier + "/" + std::to_string(parts - 1)));
    std::cout << options.arguments.front() << '.' << name << '\n';
  }
  return {};
}

Status RegisterFunction(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier function, ParseName(options.arguments.front()));
  std::string location = options.arguments.back();
  std::error_code ignored;
  if (!location.starts_with("file:")) {
    location = "file://" + std::filesystem::absolute(location, ignored).lexically_normal().string();
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenExisting(options));
  BERGLITE_RETURN_IF_ERROR(catalog->RegisterFunction(function, location, {.overwrite = true}));
  return {};
}

Status DropFunction(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier function, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenExisting(options));
  return catalog->DropFunction(function);
}

// `warehouse` is the one of the default catalog.
Result<std::unique_ptr<Warehouses>> OpenWarehouses(const FileOptions& options,
                                                   const std::string& warehouse) {
  BERGLITE_RETURN_IF_ERROR(CheckExists(options));
  return Warehouses::Open(options.file, {.name = options.catalog_name, .warehouse = warehouse});
}

Status ListWarehouses(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, options.warehouse));
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<std::string> names, warehouses->Names());
  for (const std::string& name : names) {
    BERGLITE_ASSIGN_OR_RETURN(const Catalog* catalog, warehouses->Find(name));
    std::cout << name << ' ' << catalog->warehouse() << '\n';
  }
  return {};
}

// Here the warehouse of `options` is that of the catalog to be added.
Status AddWarehouse(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, ""));
  return warehouses->Add(options.arguments.front(), options.warehouse);
}

Status Run(const Command& command) {
  switch (command.verb) {
    case Command::Verb::kMetrics:
      return PrintMetrics(command.on_file);
    case Command::Verb::kListFunctions:
      return ListFunctions(command.on_file);
    case Command::Verb::kRegisterFunction:
      return RegisterFunction(command.on_file);
    case Command::Verb::kDropFunction:
      return DropFunction(command.on_file);
    case Command::Verb::kListWarehouses:
      return ListWarehouses(command.on_file);
    case Command::Verb::kAddWarehouse:
      return AddWarehouse(command.on_file);
    case Command::Verb::kNone:
    case Command::Verb::kServe:
    case Command::Verb::kHealthcheck:
    case Command::Verb::kPrincipals:
      break;
  }
  return {};
}

}  // namespace

int Fail(const std::string& message) {
  std::cerr << "berglite: " << message << '\n';
  return 1;
}

int RunOnFile(const Command& command) {
  const Status status = Run(command);
  return status ? 0 : Fail(status.error().message);
}

}  // namespace berglite::cli
