#include "lib/metadata/partition_spec.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

namespace berglite::metadata {
namespace {

constexpr const char* kFieldsKey = "fields";
constexpr const char* kFieldIdKey = "field-id";
constexpr const char* kNameKey = "name";
constexpr const char* kSpecIdKey = "spec-id";

struct PartitionField {
  Term term;
  std::string name;
  std::optional<int32_t> field_id;
};

Error Invalid(std::string message) { return Error{ErrorKind::kValidation, std::move(message)}; }

Result<PartitionField> ReadField(const Json& json) {
  PartitionField field;
  BERGLITE_ASSIGN_OR_RETURN(field.name, GetString(json, kNameKey));
  BERGLITE_ASSIGN_OR_RETURN(field.term, ReadTerm(json));
  BERGLITE_ASSIGN_OR_RETURN(field.field_id, FindInt32(json, kFieldIdKey));
  return field;
}

Result<std::vector<PartitionField>> ReadFields(const Json& spec) {
  BERGLITE_RETURN_IF_ERROR(FindInt32(spec, kSpecIdKey));
  BERGLITE_ASSIGN_OR_RETURN(const Json* array, GetArray(spec, kFieldsKey));
  std::vector<PartitionField> fields;
  fields.reserve(array->size());
  for (const Json& json : *array) {
    BERGLITE_ASSIGN_OR_RETURN(PartitionField field, ReadField(json));
    fields.push_back(std::move(field));
  }
  return fields;
}

// As Iceberg writes it: `1000: id_bucket: bucket[16](3)`.
std::string Describe(const PartitionField& field) {
  std::string id = field.field_id ? std::to_string(*field.field_id) + ": " : "";
  return id + field.name + ": " + TermText(field.term);
}

Error NoSourceColumn(const PartitionField& field) {
  return Invalid("Cannot find source column for partition field: " + Describe(field));
}

Status CheckSource(const PartitionField& field, const Schema& schema) {
  // A version 1 table cannot drop a partition field: it becomes void, and then its column may go.
  if (field.term.transform == "void") return {};
  const Field* source = schema.FindField(field.term.source_id);
  if (source == nullptr) return NoSourceColumn(field);
  if (!source->is_primitive()) {
    return Invalid("Cannot partition by non-primitive source field: " + source->full_name + " (" +
                   source->type + ")");
  }
  BERGLITE_RETURN_IF_ERROR(CheckTransform(field.term.transform, *source));
  for (size_t at = source->parent; at != Field::kNoParent; at = schema.fields()[at].parent) {
    const Field& parent = schema.fields()[at];
    if (parent.type == "struct") continue;
    return Invalid("Invalid partition field parent: " + parent.type + " (" + parent.full_name +
                   " holds the source column of " + Describe(field) + ")");
  }
  return {};
}

Status CheckName(const PartitionField& field, const Schema& schema) {
  if (field.name.empty()) return Invalid("Cannot use empty partition name: " + Describe(field));
  const Field* column = schema.FindField(field.name);
  if (column == nullptr) return {};
  // void is what an identity field of a version 1 table becomes when it is removed.
  if (field.term.transform != "identity" && field.term.transform != "void") {
    return Invalid("Cannot create partition from name that exists in schema: " + field.name);
  }
  if (column->id != field.term.source_id) {
    return Invalid("Cannot create identity partition sourced from different field in schema: " +
                   field.name);
  }
  return {};
}

Status CheckFields(const std::vector<PartitionField>& fields, const Schema& schema) {
  std::unordered_set<std::string> names;
  for (const PartitionField& field : fields) {
    BERGLITE_RETURN_IF_ERROR(CheckSource(field, schema));
    BERGLITE_RETURN_IF_ERROR(CheckName(field, schema));
    if (!names.insert(field.name).second) {
      return Invalid("Cannot use partition name more than once: " + field.name);
    }
  }
  return {};
}

// The ids a version 1 spec has without saying so: 1000, 1001, ... in order.
int32_t SequentialId(size_t position) {
  return static_cast<int32_t>(static_cast<size_t>(kPartitionFieldIdFirst) + position);
}

// The id of `term` in `specs` that is not in `used`, if there is one.
std::optional<int32_t> ReusableId(const Term& term, const Json& specs,
                                  const std::unordered_set<int32_t>& used) {
  for (const Json& spec : specs) {
    // A stored spec that cannot be read here (of several sources, say) has no such term.
    Result<std::vector<PartitionField>> fields = ReadFields(spec);
    if (!fields) continue;
    for (size_t i = 0; i < fields->size(); ++i) {
      const PartitionField& field = (*fields)[i];
      int32_t id = field.field_id.value_or(SequentialId(i));
      if (field.term == term && !used.contains(id)) return id;
    }
  }
  return std::nullopt;
}

// Gives ids to fields of which none has one.
Status AssignFieldIds(std::vector<PartitionField>& fields, const Json& existing_specs,
                      int32_t last_partition_id, int32_t format_version) {
  std::unordered_set<int32_t> used;
  int32_t last = last_partition_id;
  for (size_t i = 0; i < fields.size(); ++i) {
    PartitionField& field = fields[i];
    if (format_version == 1) {
      field.field_id = SequentialId(i);
      continue;
    }
    field.field_id = ReusableId(field.term, existing_specs, used);
    if (!field.field_id) {
      if (last == std::numeric_limits<int32_t>::max()) {
        return Invalid("Cannot add partition field, all IDs are used: " + Describe(field));
      }
      field.field_id = ++last;
    }
    used.insert(*field.field_id);
  }
  return {};
}

Status CheckFieldIds(const std::vector<PartitionField>& fields, int32_t format_version) {
  std::unordered_set<int32_t> used;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (format_version == 1 && fields[i].field_id != SequentialId(i)) {
      return Invalid("Spec does not use sequential IDs that are required in v1: " +
                     Describe(fields[i]));
    }
    if (!used.insert(*fields[i].field_id).second) {
      return Invalid("Cannot use partition field ID more than once: " + Describe(fields[i]));
    }
  }
  return {};
}

// Writes `fields` back into the spec they were read from.
void WriteFields(const std::vector<PartitionField>& fields, Json& spec) {
  Json& array = spec[kFieldsKey];
  for (size_t i = 0; i < fields.size(); ++i) {
    WriteTerm(fields[i].term, array[i]);
    array[i][kFieldIdKey] = *fields[i].field_id;
  }
}

}  // namespace

Status CheckPartitionSpec(const Json& spec, const Schema& schema) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<PartitionField> fields, ReadFields(spec));
  return CheckFields(fields, schema);
}

Result<Json> BindPartitionSpec(const Json& spec, const Schema& schema, const Json& existing_specs,
                               int32_t last_partition_id, int32_t format_version) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<PartitionField> fields, ReadFields(spec));
  BERGLITE_RETURN_IF_ERROR(CheckFields(fields, schema));
  auto missing = std::count_if(fields.begin(), fields.end(),
                               [](const PartitionField& field) { return !field.field_id; });
  if (missing != 0 && missing != std::ssize(fields)) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot parse spec with missing field IDs: " + std::to_string(missing) +
                     " missing of " + std::to_string(fields.size()) + " fields."};
  }
  if (missing != 0) {
    BERGLITE_RETURN_IF_ERROR(
        AssignFieldIds(fields, existing_specs, last_partition_id, format_version));
  }
  BERGLITE_RETURN_IF_ERROR(CheckFieldIds(fields, format_version));
  Json bound = spec;
  WriteFields(fields, bound);
  if (FindMember(bound, kSpecIdKey) == nullptr) bound[kSpecIdKey] = 0;
  return bound;
}

Result<Json> RebuildPartitionSpec(const Json& spec, const Schema& requested, const Schema& fresh,
                                  int32_t /*format_version*/) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<PartitionField> fields, ReadFields(spec));
  for (size_t i = 0; i < fields.size(); ++i) {
    std::optional<Term> term = CarryOver(fields[i].term, requested, fresh);
    if (!term) return NoSourceColumn(fields[i]);
    fields[i].term = *std::move(term);
    fields[i].field_id = SequentialId(i);
  }
  BERGLITE_RETURN_IF_ERROR(CheckFields(fields, fresh));
  Json rebuilt = spec;
  WriteFields(fields, rebuilt);
  rebuilt[kSpecIdKey] = 0;
  return rebuilt;
}

bool SamePartitionSpec(const Json& a, const Json& b) {
  Result<std::vector<PartitionField>> in_a = ReadFields(a);
  Result<std::vector<PartitionField>> in_b = ReadFields(b);
  if (!in_a || !in_b) return false;
  return std::equal(in_a->begin(), in_a->end(), in_b->begin(), in_b->end(),
                    [](const PartitionField& x, const PartitionField& y) {
                      return x.term == y.term && x.name == y.name;
                    });
}

int32_t HighestPartitionFieldId(const Json& spec) {
  int32_t highest = kPartitionFieldIdFirst - 1;
  const Json* fields = FindMember(spec, kFieldsKey);
  if (fields == nullptr) return highest;
  for (size_t i = 0; i < fields->size(); ++i) {
    const Json* id = FindMember((*fields)[i], kFieldIdKey);
    Result<int32_t> value = id == nullptr ? SequentialId(i) : AsInt32(*id, kFieldIdKey);
    if (value) highest = std::max(highest, *value);
  }
  return highest;
}

}  // namespace berglite::metadata
