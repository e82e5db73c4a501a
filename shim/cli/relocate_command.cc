#include "shim/cli/relocate_command.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

using Kind = RelocationReport::Kind;
using Item = RelocationReport::Item;

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kTable:
      return "table";
    case Kind::kView:
      return "view";
    case Kind::kFunction:
      return "function";
    case Kind::kNamespace:
      return "namespace";
  }
  return "";
}

bool HasObstacle(const Item& item) { return !item.obstacle.empty(); }

Json ItemJson(const Item& item) {
  Json json{{"kind", NameOf(item.kind)}, {"namespace", item.name.name_space}};
  if (item.kind != Kind::kNamespace) json["name"] = item.name.name;
  json["rewritten-files"] = item.rewritten_files;
  json["missing-files"] = item.missing_files;
  if (item.missing_files > 0) json["first-missing"] = item.first_missing;
  if (HasObstacle(item)) json["obstacle"] = item.obstacle;
  return json;
}

Json ReportJson(const FileOptions& options, const RelocationReport& report) {
  Json items = Json::array();
  for (const Item& item : report.items) items.push_back(ItemJson(item));
  Json json{{"applied", options.apply},
            {"items", std::move(items)},
            {"stranded-purges", report.stranded_purges}};
  if (!report.warehouse_to.empty()) {
    json["warehouse"] = {{"from", report.warehouse_from}, {"to", report.warehouse_to}};
  }
  return json;
}

std::string StateOf(const FileOptions& options, const Item& item) {
  if (HasObstacle(item)) return "stays: " + item.obstacle;
  std::string state = options.apply ? "relocated" : "can be relocated";
  if (item.missing_files == 0) return state;
  return state + ", but " + Counted(item.missing_files, "file") +
         (item.missing_files == 1 ? " is" : " are") + " missing: " + item.first_missing;
}

std::string NameOf(const Item& item) {
  return item.kind == Kind::kNamespace ? FormatName(item.name.name_space) : FormatName(item.name);
}

void Print(const FileOptions& options, const RelocationReport& report) {
  TextTable table({"KIND", "NAME", "REWRITTEN", "STATE"});
  for (const Item& item : report.items) {
    table.Add({NameOf(item.kind), NameOf(item), Counted(item.rewritten_files, "file"),
               StateOf(options, item)});
  }
  if (!report.items.empty()) table.Print(std::cout);
  if (!report.warehouse_to.empty()) {
    std::cout << "Warehouse: " << EscapeControls(report.warehouse_from) << " -> "
              << EscapeControls(report.warehouse_to) << '\n';
  }
  if (report.stranded_purges > 0) {
    std::cout << "The files of " << Counted(report.stranded_purges, "dropped table")
              << " wait to be removed where the directory was; a link there to where it is lets a "
                 "server remove them\n";
  }
  const auto stay = std::count_if(report.items.begin(), report.items.end(), HasObstacle);
  const auto moved = static_cast<int64_t>(report.items.size()) - stay;
  if (report.items.empty() && report.warehouse_to.empty()) {
    std::cout << "Nothing in the catalog is in " << EscapeControls(options.arguments[0]) << '\n';
  } else if (options.apply) {
    std::cout << "Relocated " << moved << ", " << stay << " left as they were\n";
  } else {
    std::cout << moved << " can be relocated, " << stay << " cannot; --apply does it\n";
  }
}

Result<RelocationReport> Look(const FileOptions& options) {
  FileOptions opened = options;
  // Files are written where the directory is now.
  opened.allowed_locations.push_back(options.arguments[1]);
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(opened));
  Progress progress("Reading tables:");
  const RelocationOptions relocation{
      .from = options.arguments[0],
      .to = options.arguments[1],
      .on_progress = [&](size_t done, size_t total) { progress.Show(done, total); }};
  return options.apply ? catalog->Relocate(relocation) : catalog->PlanRelocation(relocation);
}

Result<ExitCode> Relocate(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const RelocationReport report, Look(options));
  if (options.json) {
    PrintJson(ReportJson(options, report));
  } else {
    Print(options, report);
  }
  const bool is_whole = std::none_of(report.items.begin(), report.items.end(), HasObstacle);
  return is_whole ? ExitCode::kDone : ExitCode::kRefused;
}

}  // namespace

FileCommand RelocateCommand() {
  return {"relocate",
          "Show what a directory that has been moved leaves to be written anew, and with --apply "
          "do it",
          {{"OLD", "Where the directory was, as the tables have it"},
           {"NEW", "Where it is now, with all its files"}},
          {{"--apply", "Relocate what can be, instead of only showing it", &FileOptions::apply}},
          Relocate};
}

}  // namespace berglite::cli
