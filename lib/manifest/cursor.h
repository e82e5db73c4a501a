// Cursor: goes through the values in the bytes of a block of an Avro file (Avro specification,
// "Binary Encoding"), and knows where it is, so that one value can be put in another's place and
// the rest be kept as it stands.
#pragma once

#include <avro.h>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berglite/result.h"

namespace berglite::manifest {

// Threads: one at a time.
// Ownership: the bytes and schemas are borrowed.
// Errors of all methods: kValidation, without the location, where the bytes are not such a value.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  size_t position() const { return position_; }
  bool is_at_end() const { return position_ == bytes_.size(); }

  Result<int64_t> TakeLong();
  // `size` as it stands in the file; negative: an error.
  Result<std::string_view> Take(int64_t size);
  // Which branch of `schema`, a union, the value is of; of another schema, that itself. No links.
  Result<avro_schema_t> TakeBranch(avro_schema_t schema);
  // Passes over a value. The schema must not refer to itself, and items of its arrays must take at
  // least one byte.
  Status Skip(avro_schema_t schema);

 private:
  Status SkipItems(avro_schema_t schema);
  Status SkipFields(avro_schema_t record);

  std::string_view bytes_;
  size_t position_ = 0;
};

// What a link leads to; another schema is returned as it is.
avro_schema_t WithoutLink(avro_schema_t schema);

}  // namespace berglite::manifest
