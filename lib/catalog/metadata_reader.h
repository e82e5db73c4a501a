// MetadataReader: the metadata of tables or views, read from their files and checked, or taken from
// a cache.
//
// Threads: every method may be called from any thread at the same time.
// Ownership: Store and FileIO are borrowed and must outlive the reader.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "berglite/catalog.h"
#include "berglite/counters.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/counter.h"
#include "lib/catalog/commit.h"
#include "lib/catalog/metadata_cache.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// `Metadata` is one of those that metadata_reader.cc names at its end.
template <typename Metadata>
class MetadataReader {
 public:
  // What Load finds.
  struct Found {
    std::string location;
    Metadata metadata;
  };

  // `kind` is the kind of entry whose metadata that is.
  MetadataReader(store::EntryKind kind, store::Store& store, FileIO& file_io,
                 size_t cache_bytes_max)
      : kind_(kind), store_(store), file_io_(file_io), cache_(cache_bytes_max) {}

  // The current state of a table or view. nullopt where it does not exist or is of another kind.
  // Errors: kNotFound where its metadata file does not exist, kInternal where that is damaged: it
  // is no fault of the one who only asks.
  Result<std::optional<Found>> Load(const TableIdentifier& name);

  // What was stored at `location` for the table or view; where that file is gone, its current
  // state. Errors: as Load, and kNoSuchTable or kNoSuchView.
  Result<StoredMetadata> Recall(const TableIdentifier& name, const std::string& location);

  // Reads and checks a metadata file. Errors: kNotFound, kValidation.
  Result<Metadata> Read(const std::string& location);

  // The same, whatever is at hand: for a file that is not the catalog's yet, whose owner may have
  // put another in its place. Errors: as Load.
  Result<Metadata> ReadAfresh(const std::string& location);

  // Keeps what a commit has stored at hand, in place of what was at `superseded` (may be empty).
  void Remember(const std::string& location, const Metadata& metadata,
                const std::string& superseded);

  // Adds those of the cache.
  void AddCounters(Counters& counters) const;

 private:
  const store::EntryKind kind_;
  store::Store& store_;
  FileIO& file_io_;
  MetadataCache<Metadata> cache_;
  Counter hits_;
  Counter misses_;
};

}  // namespace berglite::catalog
