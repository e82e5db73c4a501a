#include "shim/cli/principals_command.h"

#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/principals.h>
#include <berglite/warehouses.h>

#include "shim/cli/catalog_file.h"

namespace berglite::cli {
namespace {

Status PrintSecret(const PrincipalsCommand& command, const Result<std::string>& secret) {
  if (!secret) return secret.error();
  if (command.json) {
    PrintJson(Json{{"name", command.name}, {"secret", *secret}});
  } else {
    std::cout << *secret << '\n';
  }
  std::cout.flush();
  std::cerr << "berglite: the secret of " << command.name << ", which is not shown again\n";
  return {};
}

// To the second: nobody adds principals more often.
std::string CreatedAt(const Principal& principal) {
  const std::time_t created_s = principal.created_ms / 1000;
  std::tm utc{};
  gmtime_r(&created_s, &utc);
  std::ostringstream text;
  text << std::put_time(&utc, "%Y-%m-%dT%H:%M:%SZ");
  return text.str();
}

Status PrintList(const PrincipalsCommand& command, Principals& principals) {
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<Principal> list, principals.List());
  Json json = Json::array();
  for (const Principal& principal : list) {
    const char* const access = principal.access == Access::kRead ? "read-only" : "read-write";
    if (command.json) {
      json.push_back(
          {{"name", principal.name}, {"access", access}, {"created", CreatedAt(principal)}});
    } else {
      std::cout << principal.name << '\t' << access << '\t' << CreatedAt(principal) << '\n';
    }
  }
  if (command.json) PrintJson(Json{{"principals", std::move(json)}});
  return {};
}

// The warehouse of another program's file is recorded when it is first opened, but Principals knows
// no warehouses, and after it nobody could tell whose file it was. What goes wrong here, it
// reports.
void FindWarehouse(const std::string& file) {
  (void)Warehouses::Open(file, {.warehouse_directory = WarehouseDirectory::kWhenNeeded,
                                .owed_purges = OwedPurges::kLeave,
                                .new_catalog = NewCatalog::kRefuse})
      .has_value();
}

// The first principal may come before the first server, and begin the file. What is there must be a
// catalog.
Result<std::unique_ptr<Principals>> OpenPrincipals(const PrincipalsCommand& command) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(command.file, ignored);
  if (!is_there && command.action != PrincipalsCommand::Action::kAdd) {
    return NoSuchFile(command.file, "--file");
  }
  if (is_there) FindWarehouse(command.file);
  return Principals::Open(command.file,
                          {.new_catalog = is_there ? NewCatalog::kRefuse : NewCatalog::kBegin});
}

Status Remove(const PrincipalsCommand& command, Principals& principals) {
  BERGLITE_RETURN_IF_ERROR(principals.Remove(command.name));
  if (command.json) PrintJson(Json{{"removed", command.name}});
  return {};
}

}  // namespace

Status RunPrincipals(const PrincipalsCommand& command) {
  if (command.file == ":memory:") {
    return Error{ErrorKind::kInvalidArgument,
                 "Principals in :memory: would end with this command; expected a file"};
  }
  using Action = PrincipalsCommand::Action;
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Principals> principals, OpenPrincipals(command));
  const bool makes_secret = command.action == Action::kAdd || command.action == Action::kRotate;
  if (makes_secret) WarnOfReaders(command.file);
  switch (command.action) {
    case Action::kAdd:
      return PrintSecret(
          command,
          principals->Add(command.name, command.read_only ? Access::kRead : Access::kWrite));
    case Action::kRotate:
      return PrintSecret(command, principals->Rotate(command.name));
    case Action::kRemove:
      return Remove(command, *principals);
    case Action::kList:
      break;
  }
  return PrintList(command, *principals);
}

}  // namespace berglite::cli
