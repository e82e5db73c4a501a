#include "lib/catalog/metadata_reader.h"

#include "lib/base/limits.h"
#include "lib/catalog/operation.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::catalog {

using store::Entry;

template <typename Metadata>
auto MetadataReader<Metadata>::Load(const TableIdentifier& name) -> Result<std::optional<Found>> {
  // A file that is gone may have been superseded between the look at the row and the read.
  std::string missing;
  for (;;) {
    std::optional<Entry> entry;
    BERGLITE_RETURN_IF_ERROR(store_.Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(entry, reader.FindEntry(KeyOf(name)));
      return {};
    }));
    if (!entry || entry->kind != kind_) return std::optional<Found>();
    Result<Metadata> metadata = Read(entry->metadata_location);
    if (metadata) return std::optional(Found{entry->metadata_location, *std::move(metadata)});
    Error error = std::move(metadata).error();
    if (error.kind == ErrorKind::kValidation) error.kind = ErrorKind::kInternal;
    bool may_be_superseded =
        error.kind == ErrorKind::kNotFound && entry->metadata_location != missing;
    if (!may_be_superseded) return error;
    missing = entry->metadata_location;
  }
}

template <typename Metadata>
Result<StoredMetadata> MetadataReader<Metadata>::Recall(const TableIdentifier& name,
                                                        const std::string& location) {
  Result<Metadata> stored = Read(location);
  if (stored) return StoredMetadata{location, stored->document()};
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Found> current, Load(name));
  if (!current) return NoSuchEntry(kind_, name);
  return StoredMetadata{current->location, current->metadata.document()};
}

template <typename Metadata>
Result<Metadata> MetadataReader<Metadata>::Read(const std::string& location) {
  if (location.empty()) {
    return Error{ErrorKind::kNotFound,
                 "The catalog file names no metadata file of this " + std::string(NameOf(kind_))};
  }
  if (std::optional<Metadata> cached = cache_.Find(location)) {
    // A file that has vanished must not be hidden by the cache: clients could not read it either.
    BERGLITE_ASSIGN_OR_RETURN(bool exists, file_io_.Exists(location));
    if (exists) {
      hits_.Add();
      return *std::move(cached);
    }
    cache_.Erase(location);
  }
  misses_.Add();
  return ReadAfresh(location);
}

template <typename Metadata>
Result<Metadata> MetadataReader<Metadata>::ReadAfresh(const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes, file_io_.Read(location, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), location));
  Result<Metadata> parsed = Metadata::Parse(std::move(document));
  if (!parsed) {
    return Error{parsed.error().kind, "Invalid " + std::string(NameOf(kind_)) + " metadata in " +
                                          location + ": " + parsed.error().message};
  }
  cache_.Insert(location, *parsed);
  return parsed;
}

template <typename Metadata>
void MetadataReader<Metadata>::Remember(const std::string& location, const Metadata& metadata,
                                        const std::string& superseded) {
  cache_.Insert(location, metadata);
  if (!superseded.empty()) cache_.Erase(superseded);
}

template <typename Metadata>
void MetadataReader<Metadata>::AddCounters(Counters& counters) const {
  counters.metadata_cache_hits += hits_.value();
  counters.metadata_cache_misses += misses_.value();
}

template class MetadataReader<metadata::TableMetadata>;
template class MetadataReader<metadata::ViewMetadata>;

}  // namespace berglite::catalog
