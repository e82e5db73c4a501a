// A hash that is the same in every version and on every machine, since names of directories and
// tags of documents are made of it. Not for keeping secrets.
#pragma once

#include <cstdint>
#include <string_view>

namespace berglite {

// FNV-1a with 64 bits.
constexpr uint64_t StableHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace berglite
