#include "shim/cli/warehouse_commands.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <berglite/warehouses.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

Result<ExitCode> List(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, options.warehouse));
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<std::string> names, warehouses->Names());
  Json list = Json::array();
  for (const std::string& name : names) {
    BERGLITE_ASSIGN_OR_RETURN(const Catalog* catalog, warehouses->Find(name));
    if (options.json) {
      list.push_back({{"name", name}, {"location", catalog->warehouse()}});
    } else {
      std::cout << EscapeControls(name) << ' ' << EscapeControls(catalog->warehouse()) << '\n';
    }
  }
  if (options.json) PrintJson(Json{{"warehouses", std::move(list)}});
  return ExitCode::kDone;
}

// Here the warehouse of `options` is that of the catalog to be added.
Result<ExitCode> Add(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Warehouses> warehouses,
                            OpenWarehouses(options, ""));
  const std::string& name = options.arguments.front();
  BERGLITE_RETURN_IF_ERROR(warehouses->Add(name, options.warehouse));
  if (!options.json) return ExitCode::kDone;
  BERGLITE_ASSIGN_OR_RETURN(const Catalog* catalog, warehouses->Find(name));
  PrintJson(Json{{"name", name}, {"location", catalog->warehouse()}});
  return ExitCode::kDone;
}

}  // namespace

CommandGroup WarehouseCommands() {
  return {"Look after a catalog file",
          "warehouses",
          "List or add the catalogs of a file",
          {{"list", "List the catalogs of the file, the default one first", {}, {}, List},
           {"add",
            "Add a catalog, with a directory of its own for tables",
            {{"NAME", "Its name, which clients give as `warehouse`"}},
            {},
            Add,
            "The directory for its tables [NAME in the warehouse of the server]"}}};
}

}  // namespace berglite::cli
