// What a transfer reads of the metadata of tables and views: all that must be the same on both
// sides.
#pragma once

#include <cstdint>
#include <string>

#include <berglite/catalog.h>
#include <berglite/document.h>
#include <berglite/result.h>

#include "shim/transfer/json.h"

namespace berglite::transfer {

struct State {
  std::string location;  // of the metadata file
  std::string uuid = {};
  int64_t snapshots = 0;
  Json metadata = {};
};

// Read LoadTableResult and LoadViewResult. Errors: kInternal where a catalog shows something else.
Result<State> TableStateOf(const Document& loaded);
Result<State> ViewStateOf(const Document& loaded);

// Whether two views stand for the same query now, whatever they were before.
bool SaysTheSame(const State& a, const State& b);

// CreateNamespaceRequest from GetNamespaceResponse, without a location: new tables go to where the
// target has its own. Errors: kInternal where a catalog shows something else.
Result<Document> RequestToCreate(const Namespace& name_space, const Document& loaded);

// CreateViewRequest for a view as it stands now, without its history. Errors: kInternal where its
// metadata has no current version.
Result<Document> RequestToCreate(const std::string& name, const State& view);

}  // namespace berglite::transfer
