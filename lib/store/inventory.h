// What a check reads of a file: everything. Its statements are prepared for the one run.
//
// Threads: those of the connection that is passed. Works inside the caller's transaction.
#pragma once

#include <string>

#include "berglite/result.h"
#include "lib/sqlite/connection.h"
#include "lib/store/store.h"

namespace berglite::store {

// As the methods of Reader.
Result<Inventory> TakeInventory(sqlite::Connection& connection, const std::string& catalog_name);
Result<FileReport> InspectDatabase(sqlite::Connection& connection);

}  // namespace berglite::store
