#include "lib/metadata/indexed_array.h"

#include <algorithm>
#include <utility>

#include "lib/metadata/table_document.h"

namespace berglite::metadata {

IndexedArray::IndexedArray(Json array, std::string key)
    : key_(std::move(key)), array_(std::move(array)) {}

IndexedArray::Positions& IndexedArray::positions() const {
  if (!positions_) {
    positions_.emplace();
    positions_->reserve(array_.size());
    for (size_t i = 0; i < array_.size(); ++i) positions_->emplace(IntegerOf(array_[i], key_), i);
  }
  return *positions_;
}

const Json* IndexedArray::Find(int64_t id) const {
  auto found = positions().find(id);
  return found == positions().end() ? nullptr : &array_[found->second];
}

void IndexedArray::Put(Json element) {
  int64_t id = IntegerOf(element, key_);
  Remove(id);
  positions().emplace(id, array_.size());
  array_.push_back(std::move(element));
}

bool IndexedArray::Remove(int64_t id) {
  auto [begin, end] = positions().equal_range(id);
  if (begin == end) return false;
  for (auto it = begin; it != end; ++it) array_[it->second] = nullptr;
  positions().erase(begin, end);
  has_gaps_ = true;
  return true;
}

Json IndexedArray::Take() {
  Json left = std::exchange(array_, Json::array());
  if (has_gaps_) left.erase(std::remove(left.begin(), left.end(), nullptr), left.end());
  has_gaps_ = false;
  positions_.reset();
  return left;
}

}  // namespace berglite::metadata
