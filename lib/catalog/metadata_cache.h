// MetadataCache: the current metadata of busy tables or views, parsed, so that a load copies text
// and a commit parses nothing.
//
// Keyed by metadata location. A metadata file never changes once it is written, so an entry is
// never stale; it may only be of no more use. Bounded in memory; the least recently used entries go
// first, the newest one always stays.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace berglite::catalog {

// `Metadata` is cheap to copy and has a document().
template <typename Metadata>
class MetadataCache {
 public:
  // `bytes_max` is the memory that entries may take, by estimate.
  explicit MetadataCache(size_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<Metadata> Find(const std::string& location) {
    std::lock_guard lock(mutex_);
    auto found = index_.find(location);
    if (found == index_.end()) return std::nullopt;
    recent_.splice(recent_.begin(), recent_, found->second);
    return found->second->second;
  }

  void Insert(const std::string& location, const Metadata& metadata) {
    Entries erased;
    std::lock_guard lock(mutex_);
    if (auto found = index_.find(location); found != index_.end())
      MoveLocked(found->second, erased);
    recent_.emplace_front(location, metadata);
    index_[location] = recent_.begin();
    bytes_ += BytesOf(metadata);
    while (bytes_ > bytes_max_ && recent_.size() > 1) MoveLocked(std::prev(recent_.end()), erased);
  }

  void Erase(const std::string& location) {
    Entries erased;
    std::lock_guard lock(mutex_);
    if (auto found = index_.find(location); found != index_.end())
      MoveLocked(found->second, erased);
  }

 private:
  using Entries = std::list<std::pair<std::string, Metadata>>;

  // Text and parsed form of a document: the latter measured at about five times the former.
  static size_t BytesOf(const Metadata& metadata) { return metadata.document().text().size() * 6; }

  // To destroy a parsed document takes long: `erased` outlives the lock.
  void MoveLocked(typename Entries::iterator entry, Entries& erased) {
    bytes_ -= BytesOf(entry->second);
    index_.erase(entry->first);
    erased.splice(erased.end(), recent_, entry);
  }

  const size_t bytes_max_;
  std::mutex mutex_;
  size_t bytes_ = 0;  // guarded by mutex_
  Entries recent_;    // guarded by mutex_; most recently used first
  // Guarded by mutex_.
  std::unordered_map<std::string, typename Entries::iterator> index_;
};

}  // namespace berglite::catalog
