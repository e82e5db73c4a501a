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

// A Catalog on the rows of `store`, whose tables go to `warehouse`, a directory or `file:` URI. The
// name and the warehouse of `options` do not count. Errors: kInvalidArgument for a warehouse that
// cannot be.
Result<std::unique_ptr<Catalog>> OpenCatalog(std::unique_ptr<store::Store> store,
                                             const std::string& warehouse,
                                             const CatalogOptions& options);

// The warehouse of the catalog that `options` choose: theirs, the recorded one, or `warehouse`
// beside the file.
Result<std::string> ChooseWarehouse(store::Store& store, const std::string& path,
                                    const CatalogOptions& options);

// All catalogs of the file.
Result<std::vector<store::CatalogRecord>> ListCatalogs(store::Store& store);

}  // namespace berglite::catalog
