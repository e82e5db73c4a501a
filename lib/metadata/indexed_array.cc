#include "lib/metadata/indexed_array.h"

#include <utility>

#include "lib/metadata/table_document.h"

namespace berglite::metadata {

IndexedArray::IndexedArray(Json array, std::string key)
    : key_(std::move(key)), array_(std::move(array)) {
  positions_.reserve(array_.size());
  for (size_t i = 0; i < array_.size(); ++i) positions_.emplace(IntegerOf(array_[i], key_), i);
}

const Json* IndexedArray::Find(int64_t id) const {
  auto found = positions_.find(id);
  return found == positions_.end() ? nullptr : &array_[found->second];
}

void IndexedArray::Put(Json element) {
  int64_t id = IntegerOf(element, key_);
  Remove(id);
  positions_.emplace(id, array_.size());
  array_.push_back(std::move(element));
}

bool IndexedArray::Remove(int64_t id) {
  auto [begin, end] = positions_.equal_range(id);
  if (begin == end) return false;
  for (auto it = begin; it != end; ++it) array_[it->second] = nullptr;
  positions_.erase(begin, end);
  return true;
}

Json IndexedArray::Take() {
  Json left = Json::array();
  for (Json& element : array_) {
    if (!element.is_null()) left.push_back(std::move(element));
  }
  array_ = Json::array();
  positions_.clear();
  return left;
}

}  // namespace berglite::metadata
