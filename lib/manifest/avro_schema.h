// The schema of an Avro file, parsed by avro-c after a check of our own.
//
// A schema is the file's and so as little to be trusted as its data. avro-c never frees what it has
// parsed where a name is defined twice, and a walk over data by a hostile schema could overflow the
// stack or go on for ever; so what is not sound is refused before avro-c gets to see it.
#pragma once

#include <avro.h>
#include <memory>
#include <string_view>

#include "berglite/result.h"

namespace berglite::manifest {

struct AvroSchemaDeleter {
  void operator()(avro_obj_t* schema) const { avro_schema_decref(schema); }
};
using AvroSchema = std::unique_ptr<avro_obj_t, AvroSchemaDeleter>;

// `json` is the schema as it stands in the file. Errors: kValidation, without the location, for one
// that is not of Avro, refers to itself, or is past a limit.
Result<AvroSchema> ParseAvroSchema(std::string_view json);

}  // namespace berglite::manifest
