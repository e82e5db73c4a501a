// IndexedArray: the objects of a JSON array, found by an integer member without a search.
//
// An edit of a table with many snapshots may name each of them in an update of its own; with a scan
// for every one it would take minutes.
//
// Threads: one at a time. Ownership: owns its elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/base/json.h"

namespace berglite::metadata {

class IndexedArray {
 public:
  // `array` is checked: each element is an object with the 64-bit integer `key`.
  IndexedArray(Json array, std::string key);

  // Null where there is none. Valid until the next Put.
  const Json* Find(int64_t id) const;
  // Puts `element` at the end, in place of all that have its id.
  void Put(Json element);
  // Whether there was one.
  bool Remove(int64_t id);
  // What is left, in order. The array is empty afterwards.
  Json Take();

 private:
  using Positions = std::unordered_multimap<int64_t, size_t>;

  // Made when first asked for: most edits name no element.
  Positions& positions() const;

  std::string key_;
  Json array_;  // null where an element was removed
  bool has_gaps_ = false;
  mutable std::optional<Positions> positions_;
};

}  // namespace berglite::metadata
