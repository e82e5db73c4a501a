#include "lib/manifest/projection.h"

#include <algorithm>
#include <utility>

#include "lib/base/limits.h"
#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

// nullopt where a record has none.
Status ReadString(Cursor& cursor, avro_schema_t schema, Span* span,
                  std::optional<std::string>& target) {
  target = std::nullopt;
  BERGLITE_ASSIGN_OR_RETURN(avro_schema_t branch, cursor.TakeBranch(schema));
  if (avro_typeof(branch) == AVRO_NULL) return {};
  const size_t begin = cursor.position();
  BERGLITE_ASSIGN_OR_RETURN(const int64_t size, cursor.TakeLong());
  if (size > static_cast<int64_t>(limits::kFilePathBytesMax)) {
    return Damaged("a path of " + std::to_string(size) + " bytes is longer than the limit of " +
                   std::to_string(limits::kFilePathBytesMax));
  }
  BERGLITE_ASSIGN_OR_RETURN(target, cursor.Take(size));
  if (span != nullptr) *span = {begin, cursor.position()};
  return {};
}

Status ReadNumber(Cursor& cursor, avro_schema_t schema, Span* span,
                  std::optional<int64_t>& target) {
  target = std::nullopt;
  BERGLITE_ASSIGN_OR_RETURN(avro_schema_t branch, cursor.TakeBranch(schema));
  if (avro_typeof(branch) == AVRO_NULL) return {};
  const size_t begin = cursor.position();
  BERGLITE_ASSIGN_OR_RETURN(target, cursor.TakeLong());
  if (span != nullptr) *span = {begin, cursor.position()};
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
    BERGLITE_RETURN_IF_ERROR(index < 0 || index >= count
                                 ? SetToNone(want)
                                 : BindField(fields[static_cast<size_t>(index)], want));
  }
  return fields;
}

Status Projection::SetToNone(const Wanted& want) {
  if (const auto* number = std::get_if<std::optional<int64_t>*>(&want.target)) {
    **number = std::nullopt;
  } else if (const auto* text = std::get_if<std::optional<std::string>*>(&want.target)) {
    **text = std::nullopt;
  } else {
    return Damaged("it has no field " + std::string(want.name));
  }
  return {};
}

Status Projection::BindField(Field& field, const Wanted& want) {
  field.span = want.span;
  if (const auto* inner = std::get_if<std::vector<Wanted>>(&want.target)) {
    BERGLITE_ASSIGN_OR_RETURN(field.target, Bind(field.schema, *inner));
  } else if (const auto* number = std::get_if<std::optional<int64_t>*>(&want.target)) {
    if (!IsAlways(field.schema, {AVRO_NULL, AVRO_INT32, AVRO_INT64})) return WrongType(want.name);
    field.target = *number;
  } else {
    if (!IsAlways(field.schema, {AVRO_NULL, AVRO_STRING})) return WrongType(want.name);
    if (const auto* text = std::get_if<std::string*>(&want.target)) {
      field.target = *text;
    } else {
      field.target = std::get<std::optional<std::string>*>(want.target);
    }
  }
  return {};
}

Status Projection::Read(Cursor& cursor) const { return ReadFields(cursor, fields_); }

Status Projection::ReadFields(Cursor& cursor, const Fields& fields) {
  for (const Field& field : fields) BERGLITE_RETURN_IF_ERROR(ReadField(cursor, field));
  return {};
}

Status Projection::ReadField(Cursor& cursor, const Field& field) {
  if (field.span != nullptr) *field.span = {};
  if (const auto* inner = std::get_if<Fields>(&field.target)) return ReadFields(cursor, *inner);
  if (const auto* number = std::get_if<std::optional<int64_t>*>(&field.target)) {
    return ReadNumber(cursor, field.schema, field.span, **number);
  }
  if (const auto* text = std::get_if<std::optional<std::string>*>(&field.target)) {
    return ReadString(cursor, field.schema, field.span, **text);
  }
  const auto* required = std::get_if<std::string*>(&field.target);
  if (required == nullptr) return cursor.Skip(field.schema);
  std::optional<std::string> text;
  BERGLITE_RETURN_IF_ERROR(ReadString(cursor, field.schema, field.span, text));
  if (!text) return Damaged("a record lacks a path");
  **required = *std::move(text);
  return {};
}

}  // namespace berglite::manifest
