#include "shim/cli/principals_command.h"

#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <vector>

#include <berglite/principals.h>

namespace berglite::cli {
namespace {

Status PrintSecret(const std::string& name, const Result<std::string>& secret) {
  if (!secret) return secret.error();
  std::cout << *secret << std::endl;
  std::cerr << "berglite: the secret of " << name << ", which is not shown again\n";
  return {};
}

void PrintPrincipal(const Principal& principal) {
  const std::time_t created_s = principal.created_ms / 1000;
  std::tm utc{};
  gmtime_r(&created_s, &utc);
  std::cout << principal.name << '\t'
            << (principal.access == Access::kRead ? "read-only" : "read-write") << '\t'
            << std::put_time(&utc, "%Y-%m-%dT%H:%M:%SZ") << '\n';
}

Status PrintList(Principals& principals) {
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<Principal> list, principals.List());
  for (const Principal& principal : list) PrintPrincipal(principal);
  return {};
}

}  // namespace

Status RunPrincipals(const PrincipalsCommand& command) {
  if (command.file == ":memory:") {
    return Error{ErrorKind::kInvalidArgument,
                 "Principals in :memory: would end with this command; expected a file"};
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Principals> principals,
                            Principals::Open(command.file));
  using Action = PrincipalsCommand::Action;
  switch (command.action) {
    case Action::kAdd:
      return PrintSecret(
          command.name,
          principals->Add(command.name, command.read_only ? Access::kRead : Access::kWrite));
    case Action::kRotate:
      return PrintSecret(command.name, principals->Rotate(command.name));
    case Action::kRemove:
      return principals->Remove(command.name);
    case Action::kList:
      break;
  }
  return PrintList(*principals);
}

}  // namespace berglite::cli
