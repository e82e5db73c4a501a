#include "shim/cli/transfer_commands.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/warehouses.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"
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

bool IsUri(const std::string& text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

// Secrets come from the environment alone: other users can see the command line.
std::string SecretFromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
  return value == nullptr ? "" : value;
}

Result<std::unique_ptr<Endpoint>> Connect(const FileOptions& options) {
  return transfer::ConnectToRemote(
      {.uri = options.remote,
       .warehouse = options.remote_warehouse,
       .token = SecretFromEnvironment("BERGLITE_REMOTE_TOKEN"),
       .credential = SecretFromEnvironment("BERGLITE_REMOTE_CREDENTIAL"),
       .oauth2_server_uri = options.oauth2_server_uri,
       .scope = options.scope});
}

// A copy of another program's catalog file, which stays as it is: berglite brings what it opens up
// to its own version.
class CopiedCatalog {
 public:
  CopiedCatalog() = default;
  ~CopiedCatalog() {
    catalog_.reset();
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }
  CopiedCatalog(const CopiedCatalog&) = delete;
  CopiedCatalog& operator=(const CopiedCatalog&) = delete;

  // `name`: which catalog of the file.
  Result<std::unique_ptr<Endpoint>> Open(const std::string& file, const std::string& name) {
    std::error_code error;
    std::string directory = std::filesystem::temp_directory_path(error) / "berglite-import-XXXXXX";
    if (error || mkdtemp(directory.data()) == nullptr) {
      return Error{ErrorKind::kUnavailable, "Cannot make a temporary directory " + directory};
    }
    directory_ = directory;
    const std::string copy = directory_ + "/catalog.db";
    BERGLITE_RETURN_IF_ERROR(CopyCatalogFile(file, copy));
    BERGLITE_RETURN_IF_ERROR(CheckHolds(copy, file, name));
    // All that is opened is read where its pointers say, so every location is allowed.
    BERGLITE_ASSIGN_OR_RETURN(catalog_, Catalog::Open(copy, {.name = name,
                                                             .allowed_locations = {"/"},
                                                             .owed_purges = OwedPurges::kLeave}));
    return transfer::MakeLocalEndpoint(*catalog_, file);
  }

 private:
  // A name that is not there would be opened as a catalog without anything in it.
  static Status CheckHolds(const std::string& copy, const std::string& file,
                           const std::string& name) {
    if (name.empty()) return {};
    BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                              Warehouses::Open(copy, {.owed_purges = OwedPurges::kLeave}));
    BERGLITE_ASSIGN_OR_RETURN(const std::vector<std::string> names, warehouses->Names());
    if (std::find(names.begin(), names.end(), name) != names.end()) return {};
    return Error{ErrorKind::kNoSuchWarehouse, file + " holds no catalog named " + name};
  }

  std::string directory_;
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

Result<ExitCode> Move(const FileOptions& options, Endpoint& source, Endpoint& target) {
  transfer::TransferOptions how{.dry_run = options.dry_run, .overwrite = options.overwrite};
  for (const std::string& name : options.arguments) {
    BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, ParseName(name));
    how.namespaces.push_back(std::move(name_space));
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<Outcome> outcomes,
                            transfer::Transfer(source, target, how));
  Print(options, source, target, outcomes);
  for (const Outcome& outcome : outcomes) {
    const bool is_left =
        outcome.verdict == Verdict::kSkipped || outcome.verdict == Verdict::kFailed;
    if (is_left) return ExitCode::kRefused;
  }
  return ExitCode::kDone;
}

Result<ExitCode> Import(const FileOptions& options) {
  CopiedCatalog copied;
  std::unique_ptr<Endpoint> source;
  if (IsUri(options.remote)) {
    BERGLITE_ASSIGN_OR_RETURN(source, Connect(options));
  } else {
    BERGLITE_ASSIGN_OR_RETURN(source, copied.Open(options.remote, options.remote_warehouse));
  }
  // Unlike all other commands this one makes the file: it is how a new catalog begins. Where it
  // only looks, one in memory stands for the file to be made.
  std::error_code ignored;
  const bool is_to_be_made = !std::filesystem::exists(options.file, ignored);
  BERGLITE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Catalog> catalog,
      Catalog::Open(options.dry_run && is_to_be_made ? ":memory:" : options.file,
                    {.name = options.catalog_name,
                     .warehouse = options.warehouse,
                     .allowed_locations = options.allowed_locations,
                     .owed_purges = OwedPurges::kLeave}));
  const auto target = transfer::MakeLocalEndpoint(*catalog, options.file);
  return Move(options, *source, *target);
}

Result<ExitCode> Export(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  const auto source = transfer::MakeLocalEndpoint(*catalog, options.file);
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Endpoint> target, Connect(options));
  return Move(options, *source, *target);
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
              &FileOptions::remote, FileCommand::Need::kRequired},
             warehouse,
             oauth2,
             scope}},
           {"export",
            "Register what this catalog points to with another one; the files stay as they are",
            {some},
            flags,
            Export,
            nullptr,
            {{"--to", "URI", "A REST catalog", &FileOptions::remote, FileCommand::Need::kRequired},
             warehouse,
             oauth2,
             scope}}}};
}

}  // namespace berglite::cli
