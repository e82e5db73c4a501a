#include "shim/cli/transfer_commands.h"

#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/environment.h"
#include "shim/cli/ephemeral.h"
#include "shim/cli/names.h"
#include "shim/cli/signal_watch.h"
#include "shim/cli/text.h"
#include "shim/transfer/local_catalog.h"
#include "shim/transfer/remote_catalog.h"
#include "shim/transfer/transfer.h"

namespace berglite::cli {
namespace {

using transfer::Endpoint;
using transfer::Outcome;
using transfer::Verdict;

const char* NameOf(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kNamespace:
      return "namespace";
    case Outcome::Kind::kTable:
      return "table";
    case Outcome::Kind::kView:
      return "view";
  }
  return "";
}

const char* NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMoved:
      return "moved";
    case Verdict::kWould:
      return "would move";
    case Verdict::kPresent:
      return "present";
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kFailed:
      return "failed";
  }
  return "";
}

Result<std::unique_ptr<Endpoint>> Connect(const FileOptions& options) {
  return transfer::ConnectToRemote({.uri = options.remote,
                                    .warehouse = options.remote_warehouse,
                                    .token = FromEnvironment("BERGLITE_REMOTE_TOKEN"),
                                    .credential = FromEnvironment("BERGLITE_REMOTE_CREDENTIAL"),
                                    .oauth2_server_uri = options.oauth2_server_uri,
                                    .scope = options.scope});
}

// A copy of another program's catalog file, which stays as it is: berglite brings what it opens up
// to its own version. Made before there are threads.
class CopiedCatalog {
 public:
  // `name`: which catalog of the file.
  Result<std::unique_ptr<Endpoint>> Open(const std::string& file, const std::string& name) {
    BERGLITE_RETURN_IF_ERROR(CheckIsFile(file));
    watch_ = std::make_unique<SignalWatch>([this] {
      std::lock_guard lock(mutex_);
      std::error_code ignored;
      if (directory_ != nullptr) std::filesystem::remove_all(directory_->path(), ignored);
    });
    {
      std::lock_guard lock(mutex_);
      BERGLITE_ASSIGN_OR_RETURN(directory_, TemporaryDirectory::Make());
    }
    const std::string copy = directory_->path() / "catalog.db";
    const Status copied = CopyCatalogFile(file, copy);
    if (!copied) return ExplainOpening(copied.error(), "--remote-warehouse");
    // All that is opened is read where its pointers say, so every location is allowed.
    auto catalog = Catalog::Open(copy, {.name = name,
                                        .allowed_locations = {"/"},
                                        .owed_purges = OwedPurges::kLeave,
                                        .new_catalog = NewCatalog::kRefuse});
    if (!catalog) return ExplainOpening(Renamed(catalog.error(), copy, file), "--remote-warehouse");
    catalog_ = *std::move(catalog);
    return transfer::MakeLocalEndpoint(*catalog_, file);
  }

 private:
  static Status CheckIsFile(const std::string& file) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return {};
    return NoSuchFile(file, "--from");
  }

  // Nobody knows the copy by its name.
  static Error Renamed(Error error, const std::string& copy, const std::string& file) {
    const size_t at = error.message.find(copy);
    if (at != std::string::npos) error.message.replace(at, copy.size(), file);
    return error;
  }

  std::mutex mutex_;
  std::unique_ptr<TemporaryDirectory> directory_;  // set under mutex_, for the watch
  std::unique_ptr<SignalWatch> watch_;
  std::unique_ptr<Catalog> catalog_;
};

std::string CountsOf(const Outcome& outcome) {
  if (outcome.source_snapshots < 0) return "";
  std::string counts = std::to_string(outcome.source_snapshots);
  if (outcome.target_snapshots >= 0) counts += " = " + std::to_string(outcome.target_snapshots);
  return counts;
}

Json ToJson(const Outcome& outcome) {
  Json json{
      {"kind", NameOf(outcome.kind)}, {"name", outcome.name}, {"outcome", NameOf(outcome.verdict)}};
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  if (outcome.source_snapshots >= 0) json["source-snapshots"] = outcome.source_snapshots;
  if (outcome.target_snapshots >= 0) json["target-snapshots"] = outcome.target_snapshots;
  return json;
}

std::string Summarize(const std::vector<Outcome>& outcomes) {
  constexpr std::array kVerdicts = {Verdict::kMoved, Verdict::kWould, Verdict::kPresent,
                                    Verdict::kSkipped, Verdict::kFailed};
  std::string summary;
  for (const Verdict verdict : kVerdicts) {
    size_t count = 0;
    for (const Outcome& outcome : outcomes) count += outcome.verdict == verdict ? 1 : 0;
    if (count == 0) continue;
    summary += (summary.empty() ? "" : ", ") + std::to_string(count) + " " + NameOf(verdict);
  }
  return summary.empty() ? "nothing to move" : summary;
}

void Print(const FileOptions& options, const Endpoint& source, const Endpoint& target,
           const std::vector<Outcome>& outcomes) {
  if (options.json) {
    Json list = Json::array();
    for (const Outcome& outcome : outcomes) list.push_back(ToJson(outcome));
    PrintJson(Json{{"from", source.name()}, {"to", target.name()}, {"outcomes", std::move(list)}});
    return;
  }
  TextTable table({"KIND", "NAME", "OUTCOME", "SNAPSHOTS", "REASON"});
  for (const Outcome& outcome : outcomes) {
    table.Add({NameOf(outcome.kind), FormatName(outcome.name), NameOf(outcome.verdict),
               CountsOf(outcome), outcome.reason});
  }
  if (!outcomes.empty()) table.Print(std::cout);
  std::cout << Summarize(outcomes) << '\n';
}

// `trial` as in TransferOptions.
Result<ExitCode> Move(const FileOptions& options, Endpoint& source, Endpoint& target,
                      Endpoint* trial) {
  transfer::TransferOptions how{
      .dry_run = options.dry_run, .trial = trial, .overwrite = options.overwrite};
  for (const std::string& name : options.arguments) {
    BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, ParseName(name));
    how.namespaces.push_back(std::move(name_space));
  }
  std::vector<Outcome> outcomes;
  {
    Progress progress(options.dry_run ? "Looked at:" : "Moved:");
    how.on_progress = [&progress](size_t done) { progress.ShowCount(done); };
    BERGLITE_ASSIGN_OR_RETURN(outcomes, transfer::Transfer(source, target, how));
  }
  Print(options, source, target, outcomes);
  for (const Outcome& outcome : outcomes) {
    const bool is_left =
        outcome.verdict == Verdict::kSkipped || outcome.verdict == Verdict::kFailed;
    if (is_left) return ExitCode::kRefused;
  }
  return ExitCode::kDone;
}

CatalogOptions TargetOptions(const FileOptions& options, NewCatalog new_catalog) {
  return {.name = options.catalog_name,
          .warehouse = options.warehouse,
          .warehouse_directory =
              options.dry_run ? WarehouseDirectory::kWhenNeeded : WarehouseDirectory::kAtOnce,
          .allowed_locations = options.allowed_locations,
          .owed_purges = OwedPurges::kLeave,
          .new_catalog = new_catalog};
}

// A catalog in memory that takes what one in the file, beside which its warehouse is, would take.
Result<std::unique_ptr<Catalog>> OpenTrial(const FileOptions& options) {
  CatalogOptions how = TargetOptions(options, NewCatalog::kBegin);
  if (how.warehouse.empty()) {
    how.warehouse = std::filesystem::path(options.file).parent_path() / "warehouse";
  }
  return Catalog::Open(":memory:", how);
}

// Unlike all other commands this one makes the file: it is how a new catalog begins. A file that is
// there has to be a catalog. Where it only looks, one in memory stands for what is to be made.
Result<std::unique_ptr<Catalog>> OpenTarget(const FileOptions& options) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(options.file, ignored);
  if (!is_there && options.dry_run) return OpenTrial(options);
  auto catalog = Catalog::Open(
      options.file, TargetOptions(options, is_there ? NewCatalog::kRefuse : NewCatalog::kBegin));
  const bool is_new_name = !catalog && catalog.error().kind == ErrorKind::kNoSuchWarehouse &&
                           !options.catalog_name.empty();
  if (is_new_name && options.dry_run) return OpenTrial(options);
  if (is_new_name) {
    catalog = Catalog::Open(options.file, TargetOptions(options, NewCatalog::kBegin));
  }
  if (!catalog) return ExplainOpening(catalog.error(), "--catalog-name");
  return catalog;
}

Result<ExitCode> Import(const FileOptions& options) {
  CopiedCatalog copied;
  std::unique_ptr<Endpoint> source;
  if (IsUri(options.remote)) {
    BERGLITE_ASSIGN_OR_RETURN(source, Connect(options));
  } else {
    BERGLITE_ASSIGN_OR_RETURN(source, copied.Open(options.remote, options.remote_warehouse));
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenTarget(options));
  const auto target = transfer::MakeLocalEndpoint(*catalog, options.file);
  std::unique_ptr<Catalog> trial_catalog;
  std::unique_ptr<Endpoint> trial;
  if (options.dry_run) {
    FileOptions allowed = options;
    allowed.allowed_locations.push_back(catalog->warehouse());
    BERGLITE_ASSIGN_OR_RETURN(trial_catalog, OpenTrial(allowed));
    trial = transfer::MakeLocalEndpoint(*trial_catalog, options.file);
  }
  return Move(options, *source, *target, trial.get());
}

Result<ExitCode> Export(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  const auto source = transfer::MakeLocalEndpoint(*catalog, options.file);
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Endpoint> target, Connect(options));
  return Move(options, *source, *target, nullptr);
}

}  // namespace

CommandGroup TransferCommands() {
  using Meaning = FileCommand::Meaning;
  using Count = FileCommand::Count;
  const FileCommand::Argument some = {"NAMESPACE", "Only these namespaces and what is below them",
                                      Meaning::kName, Count::kAny};
  const std::vector<FileCommand::Flag> flags = {
      {"--dry-run", "Only say what would move", &FileOptions::dry_run},
      {"--overwrite", "A table that is there at another version gets that of the source",
       &FileOptions::overwrite}};
  const FileCommand::Value warehouse = {"--remote-warehouse", "NAME",
                                        "The warehouse there, where it holds several",
                                        &FileOptions::remote_warehouse};
  const FileCommand::Value oauth2 = {
      "--oauth2-server-uri", "URI",
      "Where Env:BERGLITE_REMOTE_CREDENTIAL (ID:SECRET) is exchanged for a token; "
      "Env:BERGLITE_REMOTE_TOKEN is one",
      &FileOptions::oauth2_server_uri};
  const FileCommand::Value scope = {"--scope", "SCOPE", "The scope of that token",
                                    &FileOptions::scope};
  return {"Move between catalogs",
          "",
          "Move tables and views between catalogs by their pointers",
          {{"import",
            "Add what another catalog points to; its tables and their files stay as they are",
            {some},
            flags,
            Import,
            nullptr,
            {{"--from", "URI|FILE", "A REST catalog, or the file of a SQL catalog",
              &FileOptions::remote, FileCommand::Need::kRequired, FileCommand::Meaning::kUriOrFile},
             warehouse,
             oauth2,
             scope}},
           {"export",
            "Register what this catalog points to with another one; the files stay as they are",
            {some},
            flags,
            Export,
            nullptr,
            {{"--to", "URI", "A REST catalog", &FileOptions::remote, FileCommand::Need::kRequired,
              FileCommand::Meaning::kUri},
             warehouse,
             oauth2,
             scope}}}};
}

}  // namespace berglite::cli
