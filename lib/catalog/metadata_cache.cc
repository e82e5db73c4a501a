#include "lib/catalog/metadata_cache.h"

namespace berglite::catalog {
namespace {

// Text and parsed form of a document: the latter measured at about five times the former.
size_t BytesOf(const metadata::TableMetadata& metadata) {
  return metadata.document().text().size() * 6;
}

}  // namespace

std::optional<metadata::TableMetadata> MetadataCache::Find(const std::string& location) {
  std::lock_guard lock(mutex_);
  auto found = index_.find(location);
  if (found == index_.end()) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

void MetadataCache::Insert(const std::string& location, const metadata::TableMetadata& metadata) {
  std::lock_guard lock(mutex_);
  if (auto found = index_.find(location); found != index_.end()) EraseLocked(found->second);
  recent_.emplace_front(location, metadata);
  index_[location] = recent_.begin();
  bytes_ += BytesOf(metadata);
  while (bytes_ > bytes_max_ && recent_.size() > 1) EraseLocked(std::prev(recent_.end()));
}

void MetadataCache::Erase(const std::string& location) {
  std::lock_guard lock(mutex_);
  if (auto found = index_.find(location); found != index_.end()) EraseLocked(found->second);
}

void MetadataCache::EraseLocked(std::list<Entry>::iterator entry) {
  bytes_ -= BytesOf(entry->second);
  index_.erase(entry->first);
  recent_.erase(entry);
}

}  // namespace berglite::catalog
