#include "shim/cli/care_commands.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/warehouses.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/gc_command.h"
#include "shim/cli/names.h"
#include "shim/cli/relocate_command.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

using Severity = CheckFinding::Severity;

// -- check --------------------------------------------------------------------------------------

// What to check: a table or view where there is one of that name, or else a namespace.
Result<CheckOptions> ScopeOf(Catalog& catalog, const FileOptions& options) {
  CheckOptions scope{.repair = options.repair};
  if (options.arguments.empty()) return scope;
  BERGLITE_ASSIGN_OR_RETURN(scope.name_space, ParseName(options.arguments.front()));
  if (scope.name_space.size() == 1) return scope;
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier name, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_table, catalog.TableExists(name));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_view, catalog.ViewExists(name));
  if (!is_table && !is_view) {
    BERGLITE_ASSIGN_OR_RETURN(const bool is_namespace, catalog.NamespaceExists(scope.name_space));
    if (is_namespace) return scope;
    return Error{ErrorKind::kNoSuchNamespace,
                 "There is no table, view or namespace " + FormatName(scope.name_space)};
  }
  scope.name_space = name.name_space;
  scope.name = name.name;
  return scope;
}

// A catalog of the file, and what was found in it.
struct Checked {
  std::string catalog;
  CheckReport report;
};

Json ToJson(const std::vector<Checked>& all) {
  int64_t tables = 0;
  int64_t views = 0;
  Json findings = Json::array();
  for (const Checked& checked : all) {
    tables += checked.report.tables;
    views += checked.report.views;
    for (const CheckFinding& finding : checked.report.findings) {
      findings.push_back({{"severity", finding.severity == Severity::kProblem ? "problem" : "note"},
                          {"code", finding.code},
                          {"catalog", checked.catalog},
                          {"name", finding.name},
                          {"message", finding.message},
                          {"repaired", finding.repaired}});
    }
  }
  return Json{{"tables", tables}, {"views", views}, {"findings", std::move(findings)}};
}

// Of findings that are not repaired.
int64_t Count(const CheckReport& report, Severity severity) {
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [severity](const CheckFinding& finding) {
                         return finding.severity == severity && !finding.repaired;
                       });
}

void Print(const CheckReport& report) {
  TextTable table;
  for (const CheckFinding& finding : report.findings) {
    const char* const severity = finding.severity == Severity::kProblem ? "problem" : "note";
    table.Add({finding.repaired ? "repaired" : severity, finding.code,
               finding.name.empty() ? "-" : FormatName(finding.name), finding.message});
  }
  table.Print(std::cout);
  const int64_t problems = Count(report, Severity::kProblem);
  const int64_t notes = Count(report, Severity::kNote);
  const int64_t repaired = static_cast<int64_t>(report.findings.size()) - problems - notes;
  std::cout << "Checked " << Counted(report.tables, "table") << " and "
            << Counted(report.views, "view") << ": " << Counted(problems, "problem") << ", "
            << Counted(notes, "note")
            << (repaired == 0 ? "" : ", " + std::to_string(repaired) + " repaired") << '\n';
}

void Print(const std::vector<Checked>& all) {
  for (const Checked& checked : all) {
    if (all.size() > 1) std::cout << "Catalog " << EscapeControls(checked.catalog) << ":\n";
    Print(checked.report);
  }
}

Result<Checked> CheckOne(Catalog& catalog, const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(CheckOptions scope, ScopeOf(catalog, options));
  Progress progress("Checking tables and views:");
  scope.on_progress = [&progress](size_t done, size_t total) { progress.Show(done, total); };
  BERGLITE_ASSIGN_OR_RETURN(CheckReport report, catalog.Check(scope));
  return Checked{catalog.name(), std::move(report)};
}

// All catalogs of the file. What is found of the file as a whole is told once.
Result<std::vector<Checked>> CheckAll(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, options.warehouse));
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<std::string> names, warehouses->Names());
  std::vector<Checked> all;
  for (const std::string& name : names) {
    BERGLITE_ASSIGN_OR_RETURN(Catalog* const catalog, warehouses->Find(name));
    BERGLITE_ASSIGN_OR_RETURN(Checked checked, CheckOne(*catalog, options));
    if (!all.empty()) {
      std::erase_if(checked.report.findings,
                    [](const CheckFinding& finding) { return finding.name.empty(); });
    }
    all.push_back(std::move(checked));
  }
  return all;
}

// A name is one of a catalog; without any, all of the file is meant.
Result<std::vector<Checked>> CheckAsked(const FileOptions& options) {
  if (options.catalog_name.empty() && options.arguments.empty()) return CheckAll(options);
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(Checked checked, CheckOne(*catalog, options));
  return std::vector<Checked>{std::move(checked)};
}

Result<ExitCode> Check(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<Checked> all, CheckAsked(options));
  if (options.json) {
    PrintJson(ToJson(all));
  } else {
    Print(all);
  }
  const bool is_sound = std::all_of(all.begin(), all.end(), [](const Checked& checked) {
    return Count(checked.report, Severity::kProblem) == 0;
  });
  return is_sound ? ExitCode::kDone : ExitCode::kRefused;
}

// -- backup -------------------------------------------------------------------------------------

Result<ExitCode> Backup(const FileOptions& options) {
  const std::string& path = options.arguments.front();
  // The copy has all catalogs, so none has to be chosen.
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, options.warehouse));
  {
    Progress progress("Copying:");
    BERGLITE_RETURN_IF_ERROR(warehouses->default_catalog().Backup(
        path,
        {.on_progress = [&progress](size_t done, size_t total) { progress.Show(done, total); }}));
  }
  if (!options.json) return ExitCode::kDone;
  std::error_code ignored;
  PrintJson(Json{{"file", std::filesystem::absolute(path, ignored).string()},
                 {"bytes", std::filesystem::file_size(path, ignored)}});
  return ExitCode::kDone;
}

}  // namespace

CommandGroup CareCommands() {
  using Meaning = FileCommand::Meaning;
  using Count = FileCommand::Count;
  return {"Look after a catalog file",
          "",
          "",
          {{"check",
            "Look whether the file is whole and all that it points to is there; exit code 1: no",
            {{"NAME", "A namespace, table or view, where not all are meant", Meaning::kName,
              Count::kNoneOrOne}},
            {{"--repair", "Mend what can be mended without losing anything (rows of namespaces)",
              &FileOptions::repair}},
            Check},
           {"backup",
            "Copy the catalog file as it is now, while it is in use; not the files of tables",
            {{"FILE", "The copy, which must not exist"}},
            {},
            Backup},
           GcCommand(),
           RelocateCommand()}};
}

}  // namespace berglite::cli
