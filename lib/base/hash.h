// A hash that is the same in every version and on every machine, since names of directories and
// tags of documents are made of it. Not for keeping secrets.
#pragma once

#include <cstdint>
#include <string>
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

// 32 hexadecimal digits: that hash, and beside it one with another factor, so that a chance meeting
// of the two in both is out of the question.
inline std::string StableHash128(std::string_view text) {
  uint64_t other = 0x9ae16a3b2f90404f;
  for (char c : text) other = (other ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15;
  std::string digits;
  for (uint64_t hash : {StableHash(text), other}) {
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  }
  return digits;
}

}  // namespace berglite
