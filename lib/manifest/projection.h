// Projection: reads a few fields of the records of an Avro file, as the file's own schema has them,
// and skips the rest.
//
// avro-c walks over the data, by a schema that has been checked.
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

namespace berglite::manifest {

struct AvroReaderDeleter {
  void operator()(avro_reader_t_* reader) const { avro_reader_free(reader); }
};
using AvroReader = std::unique_ptr<avro_reader_t_, AvroReaderDeleter>;

// A field to read, and the variable that it goes to with each record.
struct Wanted {
  std::string_view name;
  // A string, which every record must have; a number, nullopt where a record has none; or the
  // fields of a record, which must be there.
  std::variant<std::string*, std::optional<int64_t>*, std::vector<Wanted>> target;
};

// Threads: one at a time.
class Projection {
 public:
  // `schema` is JSON. Errors: kValidation, without the location, for a schema that is not one of
  // Avro, lacks a wanted field or has it with another type, or is past a limit.
  static Result<Projection> Make(std::string_view schema, const std::vector<Wanted>& wanted);

  // Reads the next record and sets the variables. Errors: kValidation where the data is not that of
  // such a record.
  Status Read(avro_reader_t reader) const;

 private:
  struct Field {
    avro_schema_t schema;  // borrowed from schema_
    // monostate: skipped
    std::variant<std::monostate, std::string*, std::optional<int64_t>*, std::vector<Field>> target;
  };
  using Fields = std::vector<Field>;

  explicit Projection(AvroSchema schema) : schema_(std::move(schema)) {}

  static Result<Fields> Bind(avro_schema_t record, const std::vector<Wanted>& wanted);
  static Status ReadFields(avro_reader_t reader, const Fields& fields);

  AvroSchema schema_;
  Fields fields_;
};

}  // namespace berglite::manifest
