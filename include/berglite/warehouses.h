// Warehouses: the catalogs of one file, each a warehouse of its own for clients of the REST
// protocol.
//
// Threads: every method may be called from any thread at the same time.
// Ownership: owns its Catalogs, which share their connections to the file and one queue of writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/counters.h"
#include "berglite/result.h"

namespace berglite {

class Warehouses {
 public:
  // Opens the file as Catalog::Open does. The default catalog is options.name or the first in the
  // file, and options.warehouse is where its tables go. Each other one has its own directory: the
  // one that it was added with, or `<name>` in options.warehouse (`warehouse` beside the file).
  // Errors: as Catalog::Open, but for a file that holds several catalogs.
  static Result<std::unique_ptr<Warehouses>> Open(const std::string& path,
                                                  const CatalogOptions& options = {});
  virtual ~Warehouses() = default;

  // The one for requests that name none.
  virtual Catalog& default_catalog() = 0;
  // The names of all, the default one first; those too that another process has added since.
  virtual Result<std::vector<std::string>> Names() = 0;
  // Opens it when it is first asked for. It lives as long as this object. Errors: kNoSuchWarehouse;
  // those of Catalog::Open.
  virtual Result<Catalog*> Find(const std::string& name) = 0;
  // As Catalog::ReadCounters, of all the catalogs that are open.
  virtual Counters ReadCounters() = 0;
  // Adds an empty catalog to the file. Its tables go to `warehouse`, a directory or `file:` URI;
  // empty: as Open says. Errors: kInvalidArgument for a name that cannot stand in every URL as it
  // is; kAlreadyExists.
  virtual Status Add(const std::string& name, const std::string& warehouse) = 0;
};

}  // namespace berglite
