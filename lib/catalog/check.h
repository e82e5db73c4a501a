// Checker: looks whether what a catalog points to is there and is as it should be.
//
// Threads: one thread uses it.
// Ownership: everything is borrowed for its life.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/catalog/metadata_reader.h"
#include "lib/metadata/named_files.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

class Checker {
 public:
  Checker(store::Store& store, FileIO& file_io, MetadataReader<metadata::TableMetadata>& tables,
          MetadataReader<metadata::ViewMetadata>& views, const CheckOptions& options)
      : store_(store), file_io_(file_io), tables_(tables), views_(views), options_(options) {}

  // As Catalog::Check.
  Result<CheckReport> Run();

 private:
  using Severity = CheckFinding::Severity;
  // What the metadata of a table or view says of itself.
  struct Facts {
    std::string location;
    std::string metadata_directory;  // empty for a view
    metadata::NamedFiles files;
  };

  bool IsInScope(const Namespace& name_space, const std::string& name) const;
  bool IsWholeCatalog() const { return options_.name_space.empty() && options_.name.empty(); }
  void Add(Severity severity, const char* code, Namespace name, std::string message);

  Status CheckScope();
  Status CheckFile();
  Status CheckNamespaces(const store::Inventory& inventory);
  std::set<Namespace> Holders(const store::Inventory& inventory) const;
  Status AddNamespaces(const std::set<Namespace>& missing);
  Status CheckEntry(const store::EntryRow& row);
  Status CheckMetadata(store::EntryKind kind, const TableIdentifier& name, std::string location);
  void CheckFunction(const store::EntryRow& row);
  void CheckFacts(const Namespace& name, const std::string& location, const Facts& facts);
  void CollectOrphans(const Namespace& name, const Facts& facts);
  Status AddOrphans();
  Result<Facts> ReadFacts(store::EntryKind kind, const std::string& location);

  store::Store& store_;
  FileIO& file_io_;
  MetadataReader<metadata::TableMetadata>& tables_;
  MetadataReader<metadata::ViewMetadata>& views_;
  const CheckOptions& options_;

  CheckReport report_;
  // By local path: metadata files that a pointer or a log names; and those that are beside them,
  // with the first table there.
  std::set<std::string> known_files_;
  std::map<std::string, Namespace> found_files_;
  // The first table or view of each metadata file.
  std::map<std::string, Namespace> owners_;
};

}  // namespace berglite::catalog
