#include "shim/cli/function_commands.h"

#include <iostream>
#include <memory>
#include <string>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"

namespace berglite::cli {
namespace {

Result<ExitCode> List(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const Namespace name_space, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const Document list, catalog->ListFunctions(name_space, {}));
  if (options.json) {
    PrintJson(list);
    return ExitCode::kDone;
  }
  for (const Json& levels : MemberOf(list, "identifiers")) {
    std::cout << FormatName(levels.get<Namespace>()) << '\n';
  }
  return ExitCode::kDone;
}

Result<ExitCode> Register(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier function,
                            ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(
      const Document registered,
      catalog->RegisterFunction(function, LocationOf(options.arguments.back()),
                                {.overwrite = true}));
  if (options.json) PrintJson(registered);
  return ExitCode::kDone;
}

Result<ExitCode> Drop(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier function,
                            ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_RETURN_IF_ERROR(catalog->DropFunction(function));
  if (options.json) PrintJson(Json{{"dropped", ToJson(function)}});
  return ExitCode::kDone;
}

}  // namespace

CommandGroup FunctionCommands() {
  using Meaning = FileCommand::Meaning;
  return {"Change a catalog",
          "functions",
          "List, register or drop the functions of a catalog file",
          {{"list",
            "List the functions of a namespace",
            {{"NAMESPACE", "The namespace, such as sales", Meaning::kName}},
            {},
            List},
           {"register",
            "Add a function, or replace its metadata",
            {{"FUNCTION", "The function, such as sales.discount", Meaning::kTable},
             {"METADATA", "Its metadata file, a path or file: URI"}},
            {},
            Register},
           {"drop",
            "Remove a function; its metadata file stays",
            {{"FUNCTION", "The function, such as sales.discount", Meaning::kTable}},
            {},
            Drop}}};
}

}  // namespace berglite::cli
