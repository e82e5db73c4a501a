// Updates of what a table looks like: schemas, partition specs, sort orders.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/partition_spec.h"
#include "lib/metadata/sort_order.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_edit.h"

namespace berglite::metadata {
namespace {

// Instead of the id of a schema, spec or order: the one that this edit added last.
constexpr int32_t kLastAdded = -1;

}  // namespace

struct TableEdit::Layout {
  const char* list_key;     // of the table: all of them
  const char* id_key;       // of one
  const char* in_use_key;   // of the table: the id of the one in use
  const char* set_key;      // of the update that puts one in use
  const char* name;         // one, in messages
  const char* in_use_name;  // the one in use, in messages
};

const TableEdit::Layout TableEdit::kSchemaLayout = {
    keys::kSchemas,  keys::kSchemaId, keys::kCurrentSchemaId,
    keys::kSchemaId, "schema",        "current schema"};
const TableEdit::Layout TableEdit::kSpecLayout = {
    keys::kPartitionSpecs, keys::kSpecId, keys::kDefaultSpecId,
    keys::kSpecId,         "spec",        "default partition spec"};
const TableEdit::Layout TableEdit::kOrderLayout = {
    keys::kSortOrders,  keys::kOrderId, keys::kDefaultSortOrderId,
    keys::kSortOrderId, "sort order",   "default sort order"};

// A new table has none until a client sets it, and DuckDB does so last of all, after the spec and
// the order that refer to it: until then the schema added last stands for it.
Result<const Schema*> TableEdit::CurrentSchema() {
  if (current_schema_) return &*current_schema_;
  bool is_set = FindMember(table_, keys::kCurrentSchemaId) != nullptr;
  if (!is_set && !last_added_schema_) {
    return ValidationError("Cannot apply update: no schema has been added");
  }
  int64_t id = is_set ? IntegerOf(table_, keys::kCurrentSchemaId) : *last_added_schema_;
  const Json* schema = FindById(table_[keys::kSchemas], keys::kSchemaId, id);
  BERGLITE_ASSIGN_OR_RETURN(current_schema_, Schema::Parse(*schema));
  return &*current_schema_;
}

void TableEdit::Append(const Layout& layout, Json element, int32_t id) {
  element[layout.id_key] = id;
  table_[layout.list_key].push_back(std::move(element));
  changed_ = true;
}

Result<int32_t> TableEdit::AddOrReuse(const Layout& layout, Json element, int32_t first_id,
                                      bool (*is_same)(const Json&, const Json&)) {
  BERGLITE_ASSIGN_OR_RETURN(ChosenId chosen, ChooseId(table_[layout.list_key], layout.id_key,
                                                      element, first_id, is_same));
  if (!chosen.is_known) Append(layout, std::move(element), chosen.id);
  return chosen.id;
}

Result<bool> TableEdit::SetInUse(const Layout& layout, const Json& update,
                                 std::optional<int32_t> last_added) {
  BERGLITE_ASSIGN_OR_RETURN(int32_t id, GetInt32(update, layout.set_key));
  std::string name = layout.name;
  if (id == kLastAdded) {
    if (!last_added) {
      return ValidationError("Cannot set last added " + name + ": no " + name + " has been added");
    }
    id = *last_added;
  }
  const Json* in_use = FindMember(table_, layout.in_use_key);
  if (in_use != nullptr && *in_use == id) return false;
  if (FindById(table_[layout.list_key], layout.id_key, id) == nullptr) {
    return ValidationError("Cannot set " + std::string(layout.in_use_name) + " to unknown " + name +
                           ": " + std::to_string(id));
  }
  table_[layout.in_use_key] = id;
  layout_changed_ = true;
  changed_ = true;
  return true;
}

Status TableEdit::RemoveUnused(const Layout& layout, const Json& update, const char* ids_key) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* member, GetArray(update, ids_key));
  BERGLITE_ASSIGN_OR_RETURN(std::vector<int64_t> listed, AsInt64s(*member, ids_key));
  if (listed.empty()) return {};
  std::unordered_set<int64_t> ids(listed.begin(), listed.end());
  const Json* in_use = FindMember(table_, layout.in_use_key);
  if (in_use != nullptr && ids.contains(IntegerOf(table_, layout.in_use_key))) {
    return ValidationError("Cannot remove the " + std::string(layout.in_use_name));
  }
  Json& list = table_[layout.list_key];
  auto is_listed = [&](const Json& known) { return ids.contains(IntegerOf(known, layout.id_key)); };
  list.erase(std::remove_if(list.begin(), list.end(), is_listed), list.end());
  changed_ = true;
  return {};
}

Status TableEdit::AddSchema(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* json, GetObject(update, keys::kSchema));
  BERGLITE_ASSIGN_OR_RETURN(Schema schema, Schema::Parse(*json));
  BERGLITE_RETURN_IF_ERROR(schema.CheckFormatVersion(static_cast<int32_t>(FormatVersion())));
  BERGLITE_ASSIGN_OR_RETURN(last_added_schema_, AddOrReuse(kSchemaLayout, WithoutNullMembers(*json),
                                                           0, IsSameAsKnownSchema));
  if (FindMember(table_, keys::kCurrentSchemaId) == nullptr) current_schema_.reset();
  if (schema.highest_field_id() > IntegerOf(table_, keys::kLastColumnId)) {
    table_[keys::kLastColumnId] = schema.highest_field_id();
    changed_ = true;
  }
  return {};
}

Status TableEdit::SetCurrentSchema(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool is_other, SetInUse(kSchemaLayout, update, last_added_schema_));
  if (is_other) current_schema_.reset();
  return {};
}

Status TableEdit::RemoveSchemas(const Json& update) {
  return RemoveUnused(kSchemaLayout, update, keys::kSchemaIds);
}

Status TableEdit::AddSpec(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* requested, GetObject(update, keys::kSpec));
  BERGLITE_ASSIGN_OR_RETURN(const Schema* schema, CurrentSchema());
  int64_t last_id = IntegerOf(table_, keys::kLastPartitionId);
  BERGLITE_ASSIGN_OR_RETURN(
      Json spec,
      BindPartitionSpec(*requested, *schema, table_[keys::kPartitionSpecs],
                        static_cast<int32_t>(last_id), static_cast<int32_t>(FormatVersion())));
  int32_t highest_id = HighestPartitionFieldId(spec);
  BERGLITE_ASSIGN_OR_RETURN(last_added_spec_,
                            AddOrReuse(kSpecLayout, std::move(spec), 0, SamePartitionSpec));
  if (highest_id > last_id) {
    table_[keys::kLastPartitionId] = highest_id;
    changed_ = true;
  }
  return {};
}

Status TableEdit::SetDefaultSpec(const Json& update) {
  BERGLITE_RETURN_IF_ERROR(SetInUse(kSpecLayout, update, last_added_spec_));
  return {};
}

Status TableEdit::RemovePartitionSpecs(const Json& update) {
  return RemoveUnused(kSpecLayout, update, keys::kSpecIds);
}

Status TableEdit::AddSortOrder(const Json& update) {
  constexpr int32_t kUnsortedId = 0;
  BERGLITE_ASSIGN_OR_RETURN(const Json* order, GetObject(update, keys::kSortOrder));
  BERGLITE_ASSIGN_OR_RETURN(const Schema* schema, CurrentSchema());
  BERGLITE_RETURN_IF_ERROR(CheckSortOrder(*order, *schema));
  BERGLITE_ASSIGN_OR_RETURN(const Json* fields, GetArray(*order, keys::kFields));
  if (!fields->empty()) {
    BERGLITE_ASSIGN_OR_RETURN(last_added_order_,
                              AddOrReuse(kOrderLayout, *order, kUnsortedId + 1, SameSortOrder));
    return {};
  }
  if (FindById(table_[keys::kSortOrders], keys::kOrderId, kUnsortedId) == nullptr) {
    Append(kOrderLayout, *order, kUnsortedId);
  }
  last_added_order_ = kUnsortedId;
  return {};
}

Status TableEdit::SetDefaultSortOrder(const Json& update) {
  BERGLITE_RETURN_IF_ERROR(SetInUse(kOrderLayout, update, last_added_order_));
  return {};
}

Status TableEdit::CheckLayout() {
  BERGLITE_ASSIGN_OR_RETURN(const Schema* schema, CurrentSchema());
  BERGLITE_RETURN_IF_ERROR(
      CheckPartitionSpec(*FindById(table_[keys::kPartitionSpecs], keys::kSpecId,
                                   IntegerOf(table_, keys::kDefaultSpecId)),
                         *schema));
  return CheckSortOrder(*FindById(table_[keys::kSortOrders], keys::kOrderId,
                                  IntegerOf(table_, keys::kDefaultSortOrderId)),
                        *schema);
}

}  // namespace berglite::metadata
