// Taking over a file that another SQL catalog has made: its tables are somewhere, and that is where
// its warehouse is, though no row of the file says so.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// The directory that holds most of the tables in directories named after their namespaces, as
// Java, PyIceberg, Rust and Go lay them out: `<warehouse>/a/b/t`, `<warehouse>/a.b/t` or
// `<warehouse>/a.b.db/t`. Empty where no table is laid out so.
std::string WarehouseOfTables(const std::vector<store::EntryRow>& entries);

// Records for each catalog of the file the warehouse that its tables have, where that is a
// directory of this machine. To be called as the file is opened for the first time: of a file that
// clients write to, they must not decide where its warehouse is.
Status TakeOver(store::Store& store);

}  // namespace berglite::catalog
