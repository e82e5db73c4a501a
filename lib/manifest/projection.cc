#include "lib/manifest/projection.h"

#include <algorithm>
#include <utility>

#include "lib/base/limits.h"
#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

avro_schema_t WithoutLink(avro_schema_t schema) {
  return avro_typeof(schema) == AVRO_LINK ? avro_schema_link_target(schema) : schema;
}

Error CutShort() { return Damaged("a record is cut short"); }

Result<int64_t> ReadLong(avro_reader_t reader) {
  constexpr size_t kVarintBytesMax = 10;
  uint64_t value = 0;
  for (size_t i = 0; i < kVarintBytesMax; ++i) {
    unsigned char bits = 0;
    if (avro_read(reader, &bits, 1) != 0) return CutShort();
    value |= static_cast<uint64_t>(bits & 0x7f) << (7 * i);
    if ((bits & 0x80) == 0) return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  return Damaged("a number in a record is too long");
}

// The type of the value that follows, where `schema` leaves a choice.
Result<avro_type_t> ReadType(avro_reader_t reader, avro_schema_t schema) {
  schema = WithoutLink(schema);
  if (avro_typeof(schema) != AVRO_UNION) return avro_typeof(schema);
  BERGLITE_ASSIGN_OR_RETURN(int64_t branch, ReadLong(reader));
  if (branch < 0 || static_cast<uint64_t>(branch) >= avro_schema_union_size(schema)) {
    return Damaged("a record has a value of no type of its union");
  }
  return avro_typeof(WithoutLink(avro_schema_union_branch(schema, static_cast<int>(branch))));
}

Status ReadString(avro_reader_t reader, avro_schema_t schema, std::string& target) {
  BERGLITE_ASSIGN_OR_RETURN(avro_type_t type, ReadType(reader, schema));
  if (type != AVRO_STRING) return Damaged("a record lacks a path");
  BERGLITE_ASSIGN_OR_RETURN(int64_t size, ReadLong(reader));
  if (size < 0 || static_cast<uint64_t>(size) > limits::kFilePathBytesMax) {
    return Damaged("a path of " + std::to_string(size) + " bytes is longer than the limit of " +
                   std::to_string(limits::kFilePathBytesMax));
  }
  target.resize(static_cast<size_t>(size));
  if (avro_read(reader, target.data(), size) != 0) return CutShort();
  return {};
}

Status ReadNumber(avro_reader_t reader, avro_schema_t schema, std::optional<int64_t>& target) {
  BERGLITE_ASSIGN_OR_RETURN(avro_type_t type, ReadType(reader, schema));
  target = std::nullopt;
  if (type == AVRO_NULL) return {};
  BERGLITE_ASSIGN_OR_RETURN(target, ReadLong(reader));
  return {};
}

// Whether a value of `schema` is one of `types`, whichever branch of a union it takes.
bool IsAlways(avro_schema_t schema, std::initializer_list<avro_type_t> types) {
  schema = WithoutLink(schema);
  if (avro_typeof(schema) != AVRO_UNION) {
    return std::find(types.begin(), types.end(), avro_typeof(schema)) != types.end();
  }
  const auto count = static_cast<int>(avro_schema_union_size(schema));
  for (int i = 0; i < count; ++i) {
    avro_schema_t branch = WithoutLink(avro_schema_union_branch(schema, i));
    if (avro_typeof(branch) == AVRO_UNION || !IsAlways(branch, types)) return false;
  }
  return true;
}

Error WrongType(std::string_view name) {
  return Damaged("its field " + std::string(name) + " is of the wrong type");
}

}  // namespace

Result<Projection> Projection::Make(std::string_view schema, const std::vector<Wanted>& wanted) {
  BERGLITE_ASSIGN_OR_RETURN(AvroSchema parsed, ParseAvroSchema(schema));
  Projection projection(std::move(parsed));
  BERGLITE_ASSIGN_OR_RETURN(projection.fields_, Bind(projection.schema_.get(), wanted));
  return projection;
}

Result<Projection::Fields> Projection::Bind(avro_schema_t record,
                                            const std::vector<Wanted>& wanted) {
  record = WithoutLink(record);
  if (avro_typeof(record) != AVRO_RECORD) return Damaged("its schema is not that of a record");
  Fields fields;
  const auto count = static_cast<int>(avro_schema_record_size(record));
  for (int i = 0; i < count; ++i) {
    fields.push_back({avro_schema_record_field_get_by_index(record, i), std::monostate()});
  }
  for (const Wanted& want : wanted) {
    const int index = avro_schema_record_field_get_index(record, std::string(want.name).c_str());
    const auto* number = std::get_if<std::optional<int64_t>*>(&want.target);
    if (index < 0 || index >= count) {
      if (number == nullptr) return Damaged("it has no field " + std::string(want.name));
      **number = std::nullopt;
      continue;
    }
    Field& field = fields[static_cast<size_t>(index)];
    if (number != nullptr) {
      if (!IsAlways(field.schema, {AVRO_NULL, AVRO_INT32, AVRO_INT64})) return WrongType(want.name);
      field.target = *number;
    } else if (const auto* text = std::get_if<std::string*>(&want.target)) {
      if (!IsAlways(field.schema, {AVRO_NULL, AVRO_STRING})) return WrongType(want.name);
      field.target = *text;
    } else {
      BERGLITE_ASSIGN_OR_RETURN(field.target,
                                Bind(field.schema, std::get<std::vector<Wanted>>(want.target)));
    }
  }
  return fields;
}

Status Projection::Read(avro_reader_t reader) const { return ReadFields(reader, fields_); }

Status Projection::ReadFields(avro_reader_t reader, const Fields& fields) {
  for (const Field& field : fields) {
    if (const auto* text = std::get_if<std::string*>(&field.target)) {
      BERGLITE_RETURN_IF_ERROR(ReadString(reader, field.schema, **text));
    } else if (const auto* number = std::get_if<std::optional<int64_t>*>(&field.target)) {
      BERGLITE_RETURN_IF_ERROR(ReadNumber(reader, field.schema, **number));
    } else if (const auto* inner = std::get_if<Fields>(&field.target)) {
      BERGLITE_RETURN_IF_ERROR(ReadFields(reader, *inner));
    } else if (avro_skip_data(reader, field.schema) != 0) {
      return Damaged(std::string("a record is damaged: ") + avro_strerror());
    }
  }
  return {};
}

}  // namespace berglite::manifest
