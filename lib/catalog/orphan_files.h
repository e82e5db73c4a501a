// OrphanFinder: finds files where tables are that nothing in the catalog file reaches, and removes
// them.
//
// It looks through the places twice. What is old at first is a candidate; then all that is needed
// is collected; what is still there and not needed is an orphan. So a commit in between can only
// make fewer of them, and paths are kept in memory of orphans alone.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/catalog/file_reach.h"
#include "lib/catalog/kept_files.h"
#include "lib/catalog/metadata_reader.h"
#include "lib/metadata/table_metadata.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// Threads: one thread uses it, for one of the calls.
// Ownership: all that is passed is borrowed.
class OrphanFinder {
 public:
  OrphanFinder(store::Store& store, FileIO& file_io,
               MetadataReader<metadata::TableMetadata>& tables, Environment& environment,
               std::string warehouse, const OrphanFilesOptions& options)
      : store_(store),
        file_io_(file_io),
        tables_(tables),
        environment_(environment),
        warehouse_(std::move(warehouse)),
        options_(options),
        kept_(store, file_io, stop_, KeptFiles::Purpose::kOrphanFiles) {}

  // As Catalog::FindOrphanFiles and RemoveOrphanFiles.
  Result<OrphanFilesReport> Find();
  Result<OrphanFilesReport> Remove();

 private:
  using Step = OrphanFilesOptions::Step;
  // Takes a file at a real path.
  using Visit = std::function<Status(const std::string& path, const DirectoryEntry& file)>;

  Status CheckAge() const;
  Result<std::vector<TableIdentifier>> ListTables();
  Status AddTable(const TableIdentifier& table);
  void PassOver(const TableIdentifier& table, std::string reason);

  Status VisitOldFiles(const Visit& visit) const;
  Status VisitDirectory(const std::string& directory, const Visit& visit) const;
  Status RemoveBatch(size_t begin, size_t end);
  void RemoveOne(OrphanFile& orphan);
  void Report(Step step, size_t done, size_t total) const;

  store::Store& store_;
  FileIO& file_io_;
  MetadataReader<metadata::TableMetadata>& tables_;
  Environment& environment_;
  const std::string warehouse_;
  const OrphanFilesOptions& options_;
  const StopSign stop_ = [] { return false; };
  KeptFiles kept_;

  OrphanFilesReport report_;
  std::set<std::string> places_;  // real paths of locations
};

}  // namespace berglite::catalog
