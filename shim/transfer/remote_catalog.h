// Any catalog that speaks the Iceberg REST protocol as an Endpoint.
#pragma once

#include <memory>
#include <string>

#include <berglite/result.h>

#include "shim/transfer/endpoint.h"

namespace berglite::transfer {

struct RemoteOptions {
  // What clients have as `uri`: the paths of the specification come behind it.
  std::string uri = {};
  // The `warehouse` to ask for; empty: whatever the server takes as its default.
  std::string warehouse = {};
  // A bearer token; or `id:secret`, which is exchanged for one; or neither.
  std::string token = {};
  std::string credential = {};
  // Where credentials are exchanged; empty: at the catalog itself, which Iceberg has deprecated but
  // small catalogs do.
  std::string oauth2_server_uri = {};
  std::string scope = "catalog";
};

// Gets a token where that takes a credential, and asks the catalog for its configuration. Errors:
// kInvalidArgument for a URI that is none, kUnavailable where nobody answers, kNotAuthorized,
// kNoSuchWarehouse.
Result<std::unique_ptr<Endpoint>> ConnectToRemote(const RemoteOptions& options);

}  // namespace berglite::transfer
