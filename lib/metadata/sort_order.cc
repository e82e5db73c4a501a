#include "lib/metadata/sort_order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/metadata/transform.h"

namespace berglite::metadata {
namespace {

constexpr const char* kFieldsKey = "fields";
constexpr const char* kOrderIdKey = "order-id";
constexpr const char* kDirectionKey = "direction";
constexpr const char* kNullOrderKey = "null-order";

constexpr int32_t kUnsortedOrderId = 0;
constexpr int32_t kOrderIdFirst = 1;

struct SortField {
  Term term;
  std::string direction;
  std::string null_order;

  bool operator==(const SortField&) const = default;
};

// A member that has one of two values.
Result<std::string> GetOneOf(const Json& json, const char* key, const char* one,
                             const char* other) {
  BERGLITE_ASSIGN_OR_RETURN(std::string value, GetString(json, key));
  if (value == one || value == other) return value;
  return Error{ErrorKind::kInvalidArgument, std::string("Cannot parse ") + key + ": expected " +
                                                one + " or " + other + ", found " + value};
}

Result<SortField> ReadField(const Json& json) {
  SortField field;
  BERGLITE_ASSIGN_OR_RETURN(field.term, ReadTerm(json));
  BERGLITE_ASSIGN_OR_RETURN(field.direction, GetOneOf(json, kDirectionKey, "asc", "desc"));
  BERGLITE_ASSIGN_OR_RETURN(field.null_order,
                            GetOneOf(json, kNullOrderKey, "nulls-first", "nulls-last"));
  return field;
}

Result<std::vector<SortField>> ReadFields(const Json& order) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* array, GetArray(order, kFieldsKey));
  std::vector<SortField> fields;
  fields.reserve(array->size());
  for (const Json& json : *array) {
    BERGLITE_ASSIGN_OR_RETURN(SortField field, ReadField(json));
    fields.push_back(std::move(field));
  }
  return fields;
}

Error NoSourceColumn(const SortField& field) {
  return Error{ErrorKind::kValidation,
               "Cannot find source column for sort field: " + TermText(field.term) + " " +
                   field.direction + " " + field.null_order};
}

Status CheckSource(const SortField& field, const Schema& schema) {
  const Field* source = schema.FindField(field.term.source_id);
  if (source == nullptr) return NoSourceColumn(field);
  if (!source->is_primitive()) {
    return Error{ErrorKind::kValidation, "Cannot sort by non-primitive source field: " +
                                             source->full_name + " (" + source->type + ")"};
  }
  return CheckTransform(field.term.transform, *source);
}

Status CheckOrderId(const Json& order, bool is_unsorted) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int32_t> id, FindInt32(order, kOrderIdKey));
  if (!id || is_unsorted == (*id == kUnsortedOrderId)) return {};
  return Error{ErrorKind::kValidation, is_unsorted
                                           ? "Unsorted order ID must be 0"
                                           : "Sort order ID 0 is reserved for unsorted order"};
}

}  // namespace

Status CheckSortOrder(const Json& order, const Schema& schema) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<SortField> fields, ReadFields(order));
  BERGLITE_RETURN_IF_ERROR(CheckOrderId(order, fields.empty()));
  for (const SortField& field : fields) BERGLITE_RETURN_IF_ERROR(CheckSource(field, schema));
  return {};
}

Result<Json> RebuildSortOrder(const Json& order, const Schema& requested, const Schema& fresh) {
  BERGLITE_RETURN_IF_ERROR(CheckSortOrder(order, requested));
  BERGLITE_ASSIGN_OR_RETURN(std::vector<SortField> fields, ReadFields(order));
  Json rebuilt = order;
  for (size_t i = 0; i < fields.size(); ++i) {
    std::optional<Term> term = CarryOver(fields[i].term, requested, fresh);
    if (!term) return NoSourceColumn(fields[i]);
    WriteTerm(*term, rebuilt[kFieldsKey][i]);
  }
  rebuilt[kOrderIdKey] = fields.empty() ? kUnsortedOrderId : kOrderIdFirst;
  return rebuilt;
}

bool SameSortOrder(const Json& a, const Json& b) {
  Result<std::vector<SortField>> in_a = ReadFields(a);
  Result<std::vector<SortField>> in_b = ReadFields(b);
  return in_a && in_b && *in_a == *in_b;
}

}  // namespace berglite::metadata
