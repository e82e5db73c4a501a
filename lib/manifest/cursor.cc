#include "lib/manifest/cursor.h"

#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

Error CutShort() { return Damaged("a record is cut short"); }

constexpr int64_t kFloatBytes = 4;
constexpr int64_t kDoubleBytes = 8;

}  // namespace

avro_schema_t WithoutLink(avro_schema_t schema) {
  return avro_typeof(schema) == AVRO_LINK ? avro_schema_link_target(schema) : schema;
}

// A number in zigzag form, seven bits a byte, the lowest first.
Result<int64_t> Cursor::TakeLong() {
  constexpr size_t kVarintBytesMax = 10;
  uint64_t value = 0;
  for (size_t i = 0; i < kVarintBytesMax; ++i) {
    if (is_at_end()) return CutShort();
    const auto bits = static_cast<unsigned char>(bytes_[position_++]);
    value |= static_cast<uint64_t>(bits & 0x7f) << (7 * i);
    if ((bits & 0x80) == 0) return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  return Damaged("a number in a record is too long");
}

Result<std::string_view> Cursor::Take(int64_t size) {
  if (size < 0) return Damaged("a length in a record is negative");
  if (static_cast<uint64_t>(size) > bytes_.size() - position_) return CutShort();
  const std::string_view taken = bytes_.substr(position_, static_cast<size_t>(size));
  position_ += taken.size();
  return taken;
}

Result<avro_schema_t> Cursor::TakeBranch(avro_schema_t schema) {
  schema = WithoutLink(schema);
  if (avro_typeof(schema) != AVRO_UNION) return schema;
  BERGLITE_ASSIGN_OR_RETURN(int64_t branch, TakeLong());
  if (branch < 0 || static_cast<uint64_t>(branch) >= avro_schema_union_size(schema)) {
    return Damaged("a record has a value of no type of its union");
  }
  return WithoutLink(avro_schema_union_branch(schema, static_cast<int>(branch)));
}

Status Cursor::Skip(avro_schema_t schema) {
  BERGLITE_ASSIGN_OR_RETURN(schema, TakeBranch(schema));
  switch (avro_typeof(schema)) {
    case AVRO_NULL:
      return {};
    case AVRO_BOOLEAN:
      BERGLITE_RETURN_IF_ERROR(Take(1));
      return {};
    case AVRO_INT32:
    case AVRO_INT64:
    case AVRO_ENUM:
      BERGLITE_RETURN_IF_ERROR(TakeLong());
      return {};
    case AVRO_FLOAT:
      BERGLITE_RETURN_IF_ERROR(Take(kFloatBytes));
      return {};
    case AVRO_DOUBLE:
      BERGLITE_RETURN_IF_ERROR(Take(kDoubleBytes));
      return {};
    case AVRO_FIXED:
      BERGLITE_RETURN_IF_ERROR(Take(avro_schema_fixed_size(schema)));
      return {};
    case AVRO_STRING:
    case AVRO_BYTES: {
      BERGLITE_ASSIGN_OR_RETURN(const int64_t size, TakeLong());
      BERGLITE_RETURN_IF_ERROR(Take(size));
      return {};
    }
    case AVRO_ARRAY:
    case AVRO_MAP:
      return SkipItems(schema);
    case AVRO_RECORD:
      return SkipFields(schema);
    case AVRO_UNION:
    case AVRO_LINK:
      break;
  }
  return Damaged("a record has a value of a type that is none");
}

// Items come in runs, of which an empty one is the last. A negative count of items is followed by
// the length of the run in bytes.
Status Cursor::SkipItems(avro_schema_t schema) {
  const bool is_map = avro_typeof(schema) == AVRO_MAP;
  avro_schema_t item = is_map ? avro_schema_map_values(schema) : avro_schema_array_items(schema);
  for (;;) {
    BERGLITE_ASSIGN_OR_RETURN(const int64_t count, TakeLong());
    if (count == 0) return {};
    if (count < 0) {
      BERGLITE_ASSIGN_OR_RETURN(const int64_t size, TakeLong());
      BERGLITE_RETURN_IF_ERROR(Take(size));
      continue;
    }
    for (int64_t i = 0; i < count; ++i) {
      if (is_map) {
        BERGLITE_ASSIGN_OR_RETURN(const int64_t size, TakeLong());
        BERGLITE_RETURN_IF_ERROR(Take(size));
      }
      BERGLITE_RETURN_IF_ERROR(Skip(item));
    }
  }
}

Status Cursor::SkipFields(avro_schema_t record) {
  const auto count = static_cast<int>(avro_schema_record_size(record));
  for (int i = 0; i < count; ++i) {
    BERGLITE_RETURN_IF_ERROR(Skip(avro_schema_record_field_get_by_index(record, i)));
  }
  return {};
}

}  // namespace berglite::manifest
