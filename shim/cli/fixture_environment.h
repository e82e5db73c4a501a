// The environment of the images tabulario/iceberg-rest and apache/iceberg-rest-fixture, so that the
// program can stand in their place: which of their variables mean what here.
//
// Their rule: `CATALOG_` and the name of a property, in which `__` stands for `-` and `_` for `.`,
// in any case; so CATALOG_CATALOG__IMPL is catalog-impl. Beside those they read REST_PORT and
// LOG_LEVEL.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <berglite/result.h>

#include "shim/cli/options.h"

namespace berglite::cli {

// What can be said by a flag, too. What a flag or a BERGLITE_ variable has settled is not read, and
// so cannot be wrong.
enum class Setting { kFile, kWarehouse, kCatalogName, kPort, kLogLevel };

// Name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

// Takes from `environment` what is not `settled`, and notes in options.notes, a line each, what has
// no effect here. No value that may be a secret is in a note or an error. Errors: kInvalidArgument
// for what cannot be served, such as another database; two variables for one property.
Status TakeFixtureEnvironment(const Variables& environment, const std::set<Setting>& settled,
                              ServeOptions& options);

}  // namespace berglite::cli
