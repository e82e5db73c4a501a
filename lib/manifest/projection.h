// Projection: reads a few fields of the records of an Avro file, as the file's own schema has them,
// and skips the rest.
#pragma once

#include <avro.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berglite/result.h"
#include "lib/manifest/avro_schema.h"
#include "lib/manifest/cursor.h"

namespace berglite::manifest {

// Where in the bytes of its block the value of a field stands, without the branch of a union;
// empty where a record has none.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

// A field to read, and the variables that it goes to with each record.
struct Wanted {
  // A string, which every record must have; a string or a number, nullopt where a record has none;
  // or the fields of a record, which must be there.
  using Target = std::variant<std::string*, std::optional<std::string>*, std::optional<int64_t>*,
                              std::vector<Wanted>>;
  std::string_view name;
  Target target;
  Span* span = nullptr;  // null: it does not matter where
};

// Threads: one at a time.
class Projection {
 public:
  // `schema` is JSON. Errors: kValidation, without the location, for a schema that is not one of
  // Avro, lacks a wanted field or has it with another type, or is past a limit.
  static Result<Projection> Make(std::string_view schema, const std::vector<Wanted>& wanted);

  // Reads the next record and sets the variables. Errors: kValidation where the data is not that of
  // such a record.
  Status Read(Cursor& cursor) const;

 private:
  struct Field {
    avro_schema_t schema;  // borrowed from schema_
    // monostate: skipped
    std::variant<std::monostate, std::string*, std::optional<std::string>*, std::optional<int64_t>*,
                 std::vector<Field>>
        target;
    Span* span = nullptr;
  };
  using Fields = std::vector<Field>;

  explicit Projection(AvroSchema schema) : schema_(std::move(schema)) {}

  static Result<Fields> Bind(avro_schema_t record, const std::vector<Wanted>& wanted);
  static Status BindField(Field& field, const Wanted& want);
  static Status SetToNone(const Wanted& want);
  static Status ReadFields(Cursor& cursor, const Fields& fields);
  static Status ReadField(Cursor& cursor, const Field& field);

  AvroSchema schema_;
  Fields fields_;
};

}  // namespace berglite::manifest
