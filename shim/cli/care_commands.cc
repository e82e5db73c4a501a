#include "shim/cli/care_commands.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"
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
  if (!is_table && !is_view) return scope;
  scope.name_space = name.name_space;
  scope.name = name.name;
  return scope;
}

Json ToJson(const CheckReport& report) {
  Json findings = Json::array();
  for (const CheckFinding& finding : report.findings) {
    findings.push_back({{"severity", finding.severity == Severity::kProblem ? "problem" : "note"},
                        {"code", finding.code},
                        {"name", finding.name},
                        {"message", finding.message},
                        {"repaired", finding.repaired}});
  }
  return Json{
      {"tables", report.tables}, {"views", report.views}, {"findings", std::move(findings)}};
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
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

Result<ExitCode> Check(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(CheckOptions scope, ScopeOf(*catalog, options));
  CheckReport report;
  {
    Progress progress("Checking tables and views:");
    scope.on_progress = [&progress](size_t done, size_t total) { progress.Show(done, total); };
    BERGLITE_ASSIGN_OR_RETURN(report, catalog->Check(scope));
  }
  if (options.json) {
    PrintJson(ToJson(report));
  } else {
    Print(report);
  }
  return Count(report, Severity::kProblem) == 0 ? ExitCode::kDone : ExitCode::kRefused;
}

// -- backup -------------------------------------------------------------------------------------

Result<ExitCode> Backup(const FileOptions& options) {
  const std::string& path = options.arguments.front();
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  {
    Progress progress("Copying:");
    BERGLITE_RETURN_IF_ERROR(catalog->Backup(
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
            Backup}}};
}

}  // namespace berglite::cli
