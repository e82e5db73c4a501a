// A catalog file of this machine as an Endpoint.
#pragma once

#include <memory>
#include <string>

#include <berglite/catalog.h>

#include "shim/transfer/endpoint.h"

namespace berglite::transfer {

// `catalog` is borrowed and must outlive the Endpoint; `name` is what people call it.
std::unique_ptr<Endpoint> MakeLocalEndpoint(Catalog& catalog, std::string name);

}  // namespace berglite::transfer
