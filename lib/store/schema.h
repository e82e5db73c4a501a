// What a catalog file consists of, and how an older or foreign one becomes such a file.
//
// The two shared tables belong to every Iceberg SQL catalog that uses the file: berglite creates
// them where they are missing and adds the column iceberg_type where that is, and changes nothing
// else about them. Tables of berglite's own have a version and a list of migrations.
//
// Threads: those of the connection that is passed.
#pragma once

#include <string>
#include <vector>

#include "lib/sqlite/connection.h"

namespace berglite::store {

// What PrepareFile would have to do, found by reading alone.
struct FileState {
  bool is_current = false;
  // Another program has made it, and no berglite has had it yet.
  bool is_foreign = false;
  // Whether it has a table of a catalog; and the names of all its tables.
  bool is_catalog = false;
  std::vector<std::string> tables;
  // As ReadCatalogNames has them.
  std::vector<std::string> catalog_names;
};

// Changes nothing, so that a file can still be refused. Errors: kUnsupported where a newer berglite
// wrote the file, kInvalidArgument where a shared table lacks a column that every version has.
Result<FileState> InspectFile(sqlite::Connection& connection, const std::string& path);

// Each catalog_name in the file: the recorded ones in the order in which they were recorded, then
// those that occur in the shared tables alone, in byte order.
Result<std::vector<std::string>> ReadCatalogNames(sqlite::Connection& connection);

// Creates, extends and migrates what is not as it should be. Safe to run in several processes at
// once.
Status PrepareFile(sqlite::Connection& connection, const std::string& path);

// What a search along an index says when it is led back: it would go on for ever.
Error RowsOutOfOrder();

// Makes a durable change of no meaning. See CommitQueue.
Status WriteBarrier(sqlite::Connection& connection);

}  // namespace berglite::store
