#include "lib/metadata/table_document.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/base/uuid.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/partition_spec.h"
#include "lib/metadata/schema.h"
#include "lib/metadata/snapshot.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

// Puts `value` at `key` where nothing or null is.
void SetIfAbsent(Json& table, const char* key, Json value) {
  if (FindMember(table, key) == nullptr) table[key] = std::move(value);
}

Json ArrayOf(Json element) {
  Json array = Json::array();
  array.push_back(std::move(element));
  return array;
}

Json UnpartitionedSpec() {
  Json spec = Json::object();
  spec[keys::kSpecId] = 0;
  spec[keys::kFields] = Json::array();
  return spec;
}

Json UnsortedOrder() {
  Json order = Json::object();
  order[keys::kOrderId] = 0;
  order[keys::kFields] = Json::array();
  return order;
}

Json MainRef(int64_t snapshot_id) {
  Json ref = Json::object();
  ref[keys::kSnapshotId] = snapshot_id;
  ref[keys::kType] = kBranch;
  return ref;
}

// Before they had ids, partition fields were numbered by position.
void NumberPartitionFields(Json& fields) {
  int64_t id = kPartitionFieldIdFirst;
  for (Json& field : fields) {
    if (field.is_object()) SetIfAbsent(field, keys::kFieldId, id);
    ++id;
  }
}

Status CompleteSchemas(Json& table) {
  if (FindMember(table, keys::kSchemas) != nullptr) return {};
  BERGLITE_ASSIGN_OR_RETURN(const Json* found, GetObject(table, keys::kSchema));
  Json schema = *found;
  SetIfAbsent(schema, keys::kSchemaId, 0);
  table[keys::kCurrentSchemaId] = schema[keys::kSchemaId];
  table[keys::kSchemas] = ArrayOf(std::move(schema));
  return {};
}

Status CompleteSpecs(Json& table) {
  if (FindMember(table, keys::kPartitionSpecs) == nullptr) {
    BERGLITE_ASSIGN_OR_RETURN(const Json* fields, GetArray(table, keys::kPartitionSpec));
    Json spec = UnpartitionedSpec();
    spec[keys::kFields] = *fields;
    table[keys::kPartitionSpecs] = ArrayOf(std::move(spec));
    table[keys::kDefaultSpecId] = 0;
  }
  BERGLITE_RETURN_IF_ERROR(GetArray(table, keys::kPartitionSpecs));
  int32_t last = kPartitionFieldIdFirst - 1;
  for (Json& spec : table[keys::kPartitionSpecs]) {
    BERGLITE_RETURN_IF_ERROR(GetArray(spec, keys::kFields));
    NumberPartitionFields(spec[keys::kFields]);
    last = std::max(last, HighestPartitionFieldId(spec));
  }
  SetIfAbsent(table, keys::kLastPartitionId, last);
  return {};
}

}  // namespace

Json EmptyTable(int32_t format_version) {
  Json table = Json::object();
  table[keys::kFormatVersion] = format_version;
  table[keys::kLastColumnId] = 0;
  table[keys::kLastPartitionId] = kPartitionFieldIdFirst - 1;
  for (const char* key : {keys::kProperties, keys::kRefs}) table[key] = Json::object();
  for (const char* key :
       {keys::kSchemas, keys::kPartitionSpecs, keys::kSortOrders, keys::kSnapshots,
        keys::kSnapshotLog, keys::kMetadataLog, keys::kStatistics, keys::kPartitionStatistics}) {
    table[key] = Json::array();
  }
  WriteVersionMembers(table);
  return table;
}

Status CompleteVersion1(Json& table) {
  BERGLITE_RETURN_IF_ERROR(CompleteSchemas(table));
  BERGLITE_RETURN_IF_ERROR(CompleteSpecs(table));
  if (FindMember(table, keys::kSortOrders) == nullptr) {
    table[keys::kSortOrders] = ArrayOf(UnsortedOrder());
    table[keys::kDefaultSortOrderId] = 0;
  }
  return {};
}

Json EditableTable(Json table, Environment& environment) {
  Json main = FindRef(table, kMainBranch);
  // Cannot fail: a document whose completion fails is no checked one.
  if (IntegerOf(table, keys::kFormatVersion) == 1 && !CompleteVersion1(table)) std::abort();
  for (const char* key : {keys::kProperties, keys::kRefs}) {
    SetIfAbsent(table, key, Json::object());
  }
  for (const char* key : {keys::kSnapshots, keys::kSnapshotLog, keys::kMetadataLog,
                          keys::kStatistics, keys::kPartitionStatistics}) {
    SetIfAbsent(table, key, Json::array());
  }
  if (!main.is_null()) table[keys::kRefs][kMainBranch] = std::move(main);
  Json& orders = table[keys::kSortOrders];
  if (orders.empty()) orders.push_back(UnsortedOrder());
  if (FindMember(table, keys::kTableUuid) == nullptr) {
    table[keys::kTableUuid] = NewUuid(environment);
  }
  std::string& location = table[keys::kLocation].get_ref<std::string&>();
  location = WithoutTrailingSlashes(location);
  return table;
}

void WriteVersionMembers(Json& table) {
  int64_t version = IntegerOf(table, keys::kFormatVersion);
  if (version == 1) {
    const Json* schema_id = FindMember(table, keys::kCurrentSchemaId);
    const Json* spec_id = FindMember(table, keys::kDefaultSpecId);
    if (schema_id != nullptr && spec_id != nullptr) {
      table[keys::kSchema] = *FindById(table[keys::kSchemas], keys::kSchemaId,
                                       IntegerOf(table, keys::kCurrentSchemaId));
      const Json& spec = *FindById(table[keys::kPartitionSpecs], keys::kSpecId,
                                   IntegerOf(table, keys::kDefaultSpecId));
      table[keys::kPartitionSpec] = spec.at(keys::kFields);
    }
  }
  if (version >= 2) SetIfAbsent(table, keys::kLastSequenceNumber, 0);
  if (version >= 3) SetIfAbsent(table, keys::kNextRowId, 0);
  if (CurrentSnapshotId(table) != kNoSnapshotId) return;
  // Readers of old versions want -1. Java writes null from version 3 on, for which the REST
  // specification has no room: there the id is an integer, or absent.
  if (version >= 3) {
    table.erase(keys::kCurrentSnapshotId);
  } else {
    table[keys::kCurrentSnapshotId] = kNoSnapshotId;
  }
}

int64_t CurrentSnapshotId(const Json& table) {
  const Json* id = FindMember(table, keys::kCurrentSnapshotId);
  return id == nullptr ? kNoSnapshotId : IntegerOf(table, keys::kCurrentSnapshotId);
}

Json FindRef(const Json& table, std::string_view name) {
  const Json* refs = FindMember(table, keys::kRefs);
  if (refs != nullptr) {
    if (const Json* ref = FindMember(*refs, name)) return *ref;
  }
  bool is_older = refs == nullptr || refs->empty();
  int64_t current = CurrentSnapshotId(table);
  if (!is_older || name != kMainBranch || current == kNoSnapshotId) return nullptr;
  return MainRef(current);
}

const Json* FindById(const Json& array, std::string_view key, int64_t id) {
  for (const Json& element : array) {
    if (IntegerOf(element, key) == id) return &element;
  }
  return nullptr;
}

int64_t IntegerOf(const Json& object, std::string_view key) { return *GetInt64(object, key); }

std::optional<std::string> PropertyOf(const Json& document, std::string_view name) {
  const Json* properties = FindMember(document, keys::kProperties);
  const Json* value = properties == nullptr ? nullptr : FindMember(*properties, name);
  if (value == nullptr) return std::nullopt;
  return value->get_ref<const std::string&>();
}

Result<const Json*> FindObjects(const Json& document, std::string_view key) {
  static const Json empty = Json::array();
  BERGLITE_ASSIGN_OR_RETURN(const Json* list, FindArray(document, key));
  if (list == nullptr) return &empty;
  for (const Json& element : *list) {
    if (!element.is_object()) {
      return InvalidArgument("Cannot parse " + std::string(key) +
                             ": expected an array of objects, found " +
                             std::string(JsonKindName(element)));
    }
  }
  return list;
}

Result<ChosenId> ChooseId(const Json& list, std::string_view id_key, const Json& element,
                          int32_t first_id, bool (*is_same)(const Json&, const Json&)) {
  int64_t next_id = first_id;
  for (const Json& known : list) {
    int64_t id = IntegerOf(known, id_key);
    if (is_same(known, element)) return ChosenId{static_cast<int32_t>(id), true};
    next_id = std::max(next_id, id + 1);
  }
  if (next_id > std::numeric_limits<int32_t>::max()) {
    return ValidationError("Cannot add one more: no " + std::string(id_key) + " is left");
  }
  return ChosenId{static_cast<int32_t>(next_id), false};
}

bool IsSameAsKnownSchema(const Json& known, const Json& added) {
  return Schema::Parse(known).has_value() && SameSchema(known, added);
}

}  // namespace berglite::metadata
