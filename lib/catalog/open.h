// Opening the catalogs of a file.
//
// Threads: functions without state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/result.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// Whether a catalog is the one that was asked for when the file was opened.
enum class Role { kDefault, kOther };

// The catalog of `store`, in the file at `path`, which was opened with `options`. Its tables go to
// - options.warehouse, for the default catalog;
// - where it was recorded to have its warehouse;
// - below options.warehouse or `warehouse` beside the file, in a directory of its name; in that
//   directory itself for the first catalog of the file, as long as there is no options.warehouse.
// Errors: kInvalidArgument for a warehouse that cannot be.
Result<std::unique_ptr<Catalog>> OpenCatalog(std::unique_ptr<store::Store> store,
                                             const std::string& path, const CatalogOptions& options,
                                             Role role);

store::NotThere NotThereOf(const CatalogOptions& options);

// All catalogs of the file.
Result<std::vector<store::CatalogRecord>> ListCatalogs(store::Store& store);

// The record of that name; null where there is none.
const store::CatalogRecord* FindRecord(const std::vector<store::CatalogRecord>& records,
                                       const std::string& name);

}  // namespace berglite::catalog
