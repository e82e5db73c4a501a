// Opening a catalog.
#include "berglite/catalog.h"

#include <filesystem>
#include <utility>

#include "lib/catalog/open.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/storage/location.h"

namespace berglite {
namespace catalog {

Result<std::unique_ptr<Catalog>> OpenCatalog(std::unique_ptr<store::Store> store,
                                             const std::string& warehouse,
                                             const CatalogOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(std::string directory, storage::ResolveConfiguredPath(warehouse));
  std::string uri = storage::UriOf(directory);
  std::shared_ptr<FileIO> file_io = options.file_io;
  if (file_io == nullptr) {
    std::vector<std::string> roots{uri};
    for (const std::string& location : options.allowed_locations) {
      BERGLITE_ASSIGN_OR_RETURN(std::string root, storage::ResolveConfiguredPath(location));
      roots.push_back(storage::UriOf(root));
    }
    BERGLITE_ASSIGN_OR_RETURN(file_io, MakeLocalFileIO(roots));
  }
  BERGLITE_RETURN_IF_ERROR(file_io->CheckWritable(uri));
  BERGLITE_RETURN_IF_ERROR(file_io->CreateDirectory(uri));
  Environment& environment = options.environment ? *options.environment : SystemEnvironment();
  return std::unique_ptr<Catalog>(std::make_unique<SqliteCatalog>(
      std::move(store), std::move(file_io), std::move(uri), environment));
}

Result<std::vector<store::CatalogRecord>> ListCatalogs(store::Store& store) {
  std::vector<store::CatalogRecord> records;
  BERGLITE_RETURN_IF_ERROR(store.Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(records, reader.ListCatalogs());
    return {};
  }));
  return records;
}

Result<std::string> ChooseWarehouse(store::Store& store, const std::string& path,
                                    const CatalogOptions& options) {
  if (!options.warehouse.empty()) return options.warehouse;
  BERGLITE_ASSIGN_OR_RETURN(std::vector<store::CatalogRecord> records, ListCatalogs(store));
  for (const store::CatalogRecord& record : records) {
    if (record.name == store.catalog_name() && !record.location.empty()) return record.location;
  }
  return (std::filesystem::path(path).parent_path() / "warehouse").string();
}

}  // namespace catalog

Result<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path,
                                               const CatalogOptions& options) {
  // A warehouse that cannot be is refused before the file is made.
  if (!options.warehouse.empty()) {
    BERGLITE_RETURN_IF_ERROR(storage::ResolveConfiguredPath(options.warehouse));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                            store::Store::Open(path, {.catalog_name = options.name,
                                                      .busy_timeout_ms = options.busy_timeout_ms}));
  BERGLITE_ASSIGN_OR_RETURN(std::string warehouse, catalog::ChooseWarehouse(*store, path, options));
  return catalog::OpenCatalog(std::move(store), warehouse, options);
}

}  // namespace berglite
