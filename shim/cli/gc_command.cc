#include "shim/cli/gc_command.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

using Step = OrphanFilesOptions::Step;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct Totals {
  int64_t found = 0;
  int64_t found_bytes = 0;
  int64_t removed = 0;
  int64_t removed_bytes = 0;
};

Totals TotalsOf(const OrphanFilesReport& report) {
  Totals totals;
  for (const OrphanFile& orphan : report.orphans) {
    ++totals.found;
    totals.found_bytes += orphan.bytes;
    if (!orphan.removed) continue;
    ++totals.removed;
    totals.removed_bytes += orphan.bytes;
  }
  return totals;
}

Json ReportJson(const OrphanFilesReport& report) {
  Json orphans = Json::array();
  for (const OrphanFile& orphan : report.orphans) {
    Json one{{"location", orphan.location},
             {"bytes", orphan.bytes},
             {"modified-ms", orphan.modified_ms},
             {"removed", orphan.removed}};
    if (!orphan.obstacle.empty()) one["obstacle"] = orphan.obstacle;
    orphans.push_back(std::move(one));
  }
  Json passed_over = Json::array();
  for (const OrphanFilesReport::Passed& passed : report.passed_over) {
    passed_over.push_back({{"table", ToJson(passed.table)}, {"reason", passed.reason}});
  }
  const Totals totals = TotalsOf(report);
  return Json{{"tables", report.tables},
              {"orphans", std::move(orphans)},
              {"passed-over", std::move(passed_over)},
              {"found-files", totals.found},
              {"found-bytes", totals.found_bytes},
              {"removed-files", totals.removed},
              {"removed-bytes", totals.removed_bytes}};
}

void Print(const FileOptions& options, const OrphanFilesReport& report) {
  const int64_t now_ms = NowMs();
  TextTable table({"SIZE", "AGE", "FILE"});
  for (const OrphanFile& orphan : report.orphans) {
    table.Add({FormatBytes(orphan.bytes), FormatAge(now_ms - orphan.modified_ms),
               orphan.location + (orphan.obstacle.empty() ? "" : " stays: " + orphan.obstacle)});
  }
  if (!report.orphans.empty()) table.Print(std::cout);
  for (const OrphanFilesReport::Passed& passed : report.passed_over) {
    std::cout << "Passed over: " << FormatName(passed.table) << ": "
              << EscapeControls(passed.reason) << '\n';
  }
  const Totals totals = TotalsOf(report);
  std::cout << "Looked through " << Counted(report.tables, "table") << ": "
            << Counted(totals.found, "orphan file") << ", " << FormatBytes(totals.found_bytes);
  if (options.remove) {
    std::cout << "; removed " << totals.removed << ", " << FormatBytes(totals.removed_bytes);
  } else if (totals.found > 0) {
    std::cout << "; --delete removes them";
  }
  std::cout << '\n';
}

// A table where there is one of that name, or else a namespace.
Status ChooseScope(Catalog& catalog, const FileOptions& options, OrphanFilesOptions& scope) {
  if (options.arguments.empty()) return {};
  BERGLITE_ASSIGN_OR_RETURN(scope.name_space, ParseName(options.arguments.front()));
  if (scope.name_space.size() == 1) return {};
  BERGLITE_ASSIGN_OR_RETURN(TableIdentifier name, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_table, catalog.TableExists(name));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_namespace, catalog.NamespaceExists(scope.name_space));
  if (!is_table && !is_namespace) {
    return Error{ErrorKind::kNoSuchTable, "There is no table or namespace " + FormatName(name)};
  }
  if (!is_table) return {};
  scope.name_space = std::move(name.name_space);
  scope.name = std::move(name.name);
  return {};
}

Result<OrphanFilesReport> Look(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::chrono::seconds older_than, ParseAge(options.older_than));
  if (older_than < kOrphanAgeMin && !options.allow_recent) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected --older-than 24h or more, found " + options.older_than +
                     ": a writer may be about to commit younger files; where nothing is written, "
                     "--allow-recent takes it"};
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  const auto short_age = options.allow_recent ? OrphanFilesOptions::ShortAge::kTake
                                              : OrphanFilesOptions::ShortAge::kRefuse;
  OrphanFilesOptions scope{.older_than = older_than, .short_age = short_age};
  BERGLITE_RETURN_IF_ERROR(ChooseScope(*catalog, options, scope));
  Progress reading("Reading tables:");
  Progress removing("Removing files:");
  scope.on_progress = [&](Step step, size_t done, size_t total) {
    (step == Step::kReadTables ? reading : removing).Show(done, total);
  };
  return options.remove ? catalog->RemoveOrphanFiles(scope) : catalog->FindOrphanFiles(scope);
}

Result<ExitCode> Gc(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const OrphanFilesReport report, Look(options));
  if (options.json) {
    PrintJson(ReportJson(report));
  } else {
    Print(options, report);
  }
  const Totals totals = TotalsOf(report);
  const bool is_left = options.remove && totals.removed < totals.found;
  return is_left ? ExitCode::kRefused : ExitCode::kDone;
}

}  // namespace

FileCommand GcCommand() {
  using Meaning = FileCommand::Meaning;
  return {
      "gc",
      "Find the orphan files of tables, which nothing in the file reaches, and with --delete "
      "remove them",
      {{"NAME", "A table, or a namespace, where not all tables are meant", Meaning::kName,
        FileCommand::Count::kNoneOrOne}},
      {{"--delete", "Remove what is found, instead of only showing it", &FileOptions::remove},
       {"--allow-recent", "Take an age under a day; files of commits under way are lost by that",
        &FileOptions::allow_recent}},
      Gc,
      nullptr,
      {{"--older-than", "AGE", "Only files that were last written so long ago: 3d, 36h, 90m",
        &FileOptions::older_than, FileCommand::Need::kOptional, Meaning::kAge}}};
}

}  // namespace berglite::cli
