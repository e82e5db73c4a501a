// Opening a catalog.
#include "berglite/catalog.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lib/base/uuid.h"
#include "lib/catalog/names.h"
#include "lib/catalog/open.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/storage/location.h"

namespace berglite {
namespace catalog {

using store::CatalogRecord;

namespace {

// As directories or URIs.
struct Home {
  std::string warehouse;
  // Where tables may be besides; empty where nowhere.
  std::string shared;
};

Home HomeOf(const std::vector<CatalogRecord>& records, const std::string& name,
            const std::string& path, const CatalogOptions& options, Role role) {
  if (role == Role::kDefault && !options.warehouse.empty()) return {options.warehouse, ""};
  const CatalogRecord* record = FindRecord(records, name);
  if (record != nullptr && !record->location.empty()) return {record->location, ""};
  bool is_first = options.warehouse.empty() && (records.empty() || records.front().name == name);
  std::string shared = options.warehouse.empty()
                           ? (std::filesystem::path(path).parent_path() / "warehouse").string()
                           : options.warehouse;
  // The tables of a catalog that another program has made may be anywhere in there.
  return {is_first ? shared : shared + "/" + PathSegment(name), shared};
}

Result<std::shared_ptr<FileIO>> MakeFileIO(const std::string& warehouse, const std::string& shared,
                                           const CatalogOptions& options) {
  if (options.file_io != nullptr) return options.file_io;
  std::vector<std::string> locations{warehouse};
  if (!shared.empty()) locations.push_back(shared);
  locations.insert(locations.end(), options.allowed_locations.begin(),
                   options.allowed_locations.end());
  std::vector<std::string> roots;
  for (const std::string& location : locations) {
    BERGLITE_ASSIGN_OR_RETURN(std::string root, storage::ResolveConfiguredPath(location));
    std::string uri = storage::UriOf(root);
    // Each once: refusals name them all.
    if (std::find(roots.begin(), roots.end(), uri) == roots.end()) roots.push_back(std::move(uri));
  }
  return MakeLocalFileIO(roots);
}

}  // namespace

Result<std::unique_ptr<Catalog>> OpenCatalog(std::unique_ptr<store::Store> store,
                                             const std::string& path, const CatalogOptions& options,
                                             Role role) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, ListCatalogs(*store));
  Home home = HomeOf(records, store->catalog_name(), path, options, role);
  BERGLITE_ASSIGN_OR_RETURN(std::string directory, storage::ResolveConfiguredPath(home.warehouse));
  std::string warehouse = storage::UriOf(directory);
  BERGLITE_ASSIGN_OR_RETURN(std::shared_ptr<FileIO> file_io,
                            MakeFileIO(warehouse, home.shared, options));
  BERGLITE_RETURN_IF_ERROR(file_io->CheckWritable(warehouse));
  if (options.warehouse_directory == WarehouseDirectory::kAtOnce) {
    BERGLITE_RETURN_IF_ERROR(file_io->CreateDirectory(warehouse));
  }
  auto catalog = std::make_unique<SqliteCatalog>(std::move(store), std::move(file_io),
                                                 std::move(warehouse), options);
  if (options.owed_purges == OwedPurges::kCarryOut) catalog->ResumePurges();
  return std::unique_ptr<Catalog>(std::move(catalog));
}

// An empty transaction takes the lock for writing. The probe has a block's length: on a full disk
// an empty file may still be made.
Status SqliteCatalog::CheckWritable() {
  constexpr size_t kProbeBytes = 4096;
  BERGLITE_RETURN_IF_ERROR(store_->Write([](store::Writer&) { return Status(); },
                                         [](store::Reader&) -> Result<bool> { return true; }));
  std::string probe = warehouse_ + "/.berglite-probe-" + NewUuid(environment_);
  BERGLITE_RETURN_IF_ERROR(file_io_->WriteNew(probe, std::string(kProbeBytes, '\n')));
  return file_io_->Delete(probe);
}

Result<std::vector<CatalogRecord>> ListCatalogs(store::Store& store) {
  std::vector<CatalogRecord> records;
  BERGLITE_RETURN_IF_ERROR(store.Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(records, reader.ListCatalogs());
    return {};
  }));
  return records;
}

const CatalogRecord* FindRecord(const std::vector<CatalogRecord>& records,
                                const std::string& name) {
  auto found = std::find_if(records.begin(), records.end(),
                            [&](const CatalogRecord& record) { return record.name == name; });
  return found == records.end() ? nullptr : &*found;
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
  return catalog::OpenCatalog(std::move(store), path, options, catalog::Role::kDefault);
}

Status CopyCatalogFile(const std::string& from, const std::string& to) {
  return store::CopyCatalogFile(from, to);
}

}  // namespace berglite
