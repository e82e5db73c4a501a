// Opening a catalog.
#include "berglite/catalog.h"

#include <filesystem>
#include <utility>

#include "lib/catalog/sqlite_catalog.h"
#include "lib/storage/location.h"

namespace berglite {
namespace {

std::string DefaultWarehouse(const std::string& path) {
  return (std::filesystem::path(path).parent_path() / "warehouse").string();
}

}  // namespace

Result<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path,
                                               const CatalogOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(
      std::string directory,
      storage::ResolveConfiguredPath(options.warehouse.empty() ? DefaultWarehouse(path)
                                                               : options.warehouse));
  std::string warehouse = storage::UriOf(directory);
  std::shared_ptr<FileIO> file_io = options.file_io;
  if (file_io == nullptr) {
    std::vector<std::string> roots{warehouse};
    for (const std::string& location : options.allowed_locations) {
      BERGLITE_ASSIGN_OR_RETURN(std::string root, storage::ResolveConfiguredPath(location));
      roots.push_back(storage::UriOf(root));
    }
    BERGLITE_ASSIGN_OR_RETURN(file_io, MakeLocalFileIO(roots));
  }
  BERGLITE_RETURN_IF_ERROR(file_io->CheckWritable(warehouse));
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                            store::Store::Open(path, {.catalog_name = options.name,
                                                      .busy_timeout_ms = options.busy_timeout_ms}));
  BERGLITE_RETURN_IF_ERROR(file_io->CreateDirectory(warehouse));
  Environment& environment = options.environment ? *options.environment : SystemEnvironment();
  return std::unique_ptr<Catalog>(std::make_unique<catalog::SqliteCatalog>(
      std::move(store), std::move(file_io), std::move(warehouse), environment));
}

}  // namespace berglite
