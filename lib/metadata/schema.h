// Schemas of tables and views: parsing with all checks, equality, fresh ids, minimum versions.
//
// Rules: the Iceberg table specification, "Schemas and Data Types" and its JSON appendix.
// Threads: values; immutable once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// A field at any depth: a column, a member of a struct, the element of a list, a key or value of a
// map.
struct Field {
  static constexpr size_t kNoParent = static_cast<size_t>(-1);

  int32_t id = 0;
  // The path of names: `a.b`; an element is `l.element`, a key `m.key`, a value `m.value`.
  std::string full_name;
  // `struct`, `list`, `map`, or a primitive type in canonical spelling: `decimal(9, 2)`,
  // `fixed[16]`.
  std::string type;
  bool required = false;
  // The position in Schema::fields() of the field that holds this one; kNoParent for a column of
  // the table. (Not an id: requests number their columns as they like, often from 0.)
  size_t parent = kNoParent;

  bool is_primitive() const { return type != "struct" && type != "list" && type != "map"; }
};

class Schema {
 public:
  // Reads and checks a schema. Errors: kInvalidArgument where it cannot be read (a missing or
  // mistyped member, an unknown type); kValidation where it breaks a rule (duplicate ids or names,
  // reserved ids, identifier fields that may not be, a required unknown field, a default that its
  // type forbids).
  static Result<Schema> Parse(const Json& json);

  // schema-id; 0 where the JSON has none.
  int32_t id() const { return id_; }
  // In document order, a parent before its children.
  const std::vector<Field>& fields() const { return fields_; }
  // Null where there is none.
  const Field* FindField(int32_t id) const;
  // By full name, or by the short name that Iceberg gives to members of a struct in a list or map:
  // `points.x` for `points.element.x`. Null where there is none.
  const Field* FindField(std::string_view name) const;
  // 0 for a schema without fields.
  int32_t highest_field_id() const;
  const std::vector<int32_t>& identifier_field_ids() const { return identifier_field_ids_; }

  // Whether every feature of the schema exists in `format_version`. Errors: kValidation
  // `Invalid schema for v2:\n- Invalid type for x: variant is not supported until v3`, a line a
  // problem.
  Status CheckFormatVersion(int32_t format_version) const;

 private:
  class Reader;

  int32_t id_ = 0;
  std::vector<Field> fields_;
  std::vector<int32_t> identifier_field_ids_;
  std::unordered_map<int32_t, size_t> index_by_id_;
  std::unordered_map<std::string, size_t> index_by_name_;
  // The position and the text of every initial-default that is not null.
  std::vector<std::pair<size_t, std::string>> initial_defaults_;
};

// Whether two schemas (JSON, both checked) are the same but for their schema-id: ids, names,
// required, doc, types (however spelled), defaults and the set of identifier fields.
bool SameSchema(const Json& a, const Json& b);

// A checked schema without members that are null, in itself, its columns and their types. The
// values of defaults stay as they are.
Json WithoutNullMembers(Json schema);

struct FreshSchema {
  Json json;  // with schema-id 0
  int32_t last_column_id = 0;
};
// Renumbers a checked schema as on table creation: the fields of a struct get consecutive ids
// before any of them is descended into; identifier fields follow their columns. Types get their
// canonical spelling. Unknown members survive.
FreshSchema AssignFreshIds(const Json& schema);

}  // namespace berglite::metadata
