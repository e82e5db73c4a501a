#include "lib/metadata/schema.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "lib/metadata/type.h"

namespace berglite::metadata {
namespace {

constexpr const char* kSchemaIdKey = "schema-id";
constexpr const char* kIdentifierFieldIdsKey = "identifier-field-ids";
constexpr const char* kStruct = "struct";
constexpr const char* kList = "list";
constexpr const char* kMap = "map";
constexpr const char* kTypeKey = "type";
constexpr const char* kFieldsKey = "fields";
constexpr const char* kIdKey = "id";
constexpr const char* kNameKey = "name";
constexpr const char* kRequiredKey = "required";
constexpr const char* kDocKey = "doc";
constexpr const char* kInitialDefaultKey = "initial-default";
constexpr const char* kWriteDefaultKey = "write-default";
constexpr const char* kElementIdKey = "element-id";
constexpr const char* kElementRequiredKey = "element-required";
constexpr const char* kElementKey = "element";
constexpr const char* kKeyIdKey = "key-id";
constexpr const char* kKeyKey = "key";
constexpr const char* kValueIdKey = "value-id";
constexpr const char* kValueRequiredKey = "value-required";
constexpr const char* kValueKey = "value";

// Ids above are those of metadata columns such as _file ("Reserved Field IDs").
constexpr int32_t kFieldIdMax = 2147483447;
constexpr int32_t kInitialDefaultFormatVersion = 3;

Error Invalid(std::string message) { return Error{ErrorKind::kValidation, std::move(message)}; }

Result<bool> GetBool(const Json& object, const char* key) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* member, GetMember(object, key));
  return AsBool(*member, key);
}

// `struct`, `list`, `map`, or the canonical spelling of a primitive type.
Result<std::string> ReadTypeName(const Json& type) {
  if (!type.is_object()) {
    BERGLITE_ASSIGN_OR_RETURN(std::string text, AsString(type, kTypeKey));
    return CanonicalType(text);
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string kind, GetString(type, kTypeKey));
  if (kind == kStruct || kind == kList || kind == kMap) return kind;
  return Error{ErrorKind::kInvalidArgument,
               "Cannot parse type: expected struct, list or map in an object, found " + kind};
}

Status CheckIdentifierField(const Schema& schema, int32_t id) {
  const Field* field = schema.FindField(id);
  if (field == nullptr) {
    return Invalid("Cannot add fieldId " + std::to_string(id) +
                   " as an identifier field: field does not exist");
  }
  std::string prefix = "Cannot add field " + field->full_name + " as an identifier field: ";
  if (!field->is_primitive() || field->type == "variant") {
    return Invalid(prefix + "not a primitive type field");
  }
  if (!field->required) return Invalid(prefix + "not a required field");
  if (field->type == "float" || field->type == "double") {
    return Invalid(prefix + "must not be float or double field");
  }
  for (size_t at = field->parent; at != Field::kNoParent; at = schema.fields()[at].parent) {
    const Field& parent = schema.fields()[at];
    if (parent.type != kStruct) return Invalid(prefix + "must not be nested in " + parent.type);
    if (!parent.required) {
      return Invalid(prefix + "must not be nested in an optional field " + parent.full_name);
    }
  }
  return {};
}

}  // namespace

// Walks a schema once, from the root, and fills a Schema.
class Schema::Reader {
 public:
  Result<Schema> Read(const Json& json);

 private:
  // The field whose type is being read: its position and names. The root has none.
  struct Parent {
    size_t position = Field::kNoParent;
    std::string full_name;
    std::string short_name;
  };
  // A member of a struct, the element of a list, or the key or value of a map, as the document has
  // it.
  struct Member {
    int32_t id = 0;
    std::string name;
    bool required = true;
    const Json* type = nullptr;
  };

  void Reserve(size_t columns);
  Status ReadStruct(const Json& type, const Parent& parent);
  Status ReadList(const Json& type, const Parent& parent);
  Status ReadMap(const Json& type, const Parent& parent);
  Status ReadDefaults(const Json& column, size_t position);
  Status ReadIdentifiers(const Json& schema);
  Status Add(const Member& member, const Parent& parent);
  Status CheckAndIndex(const Field& field, size_t position);

  Schema schema_;
  std::vector<std::pair<std::string, size_t>> short_names_;
};

Result<Schema> Schema::Reader::Read(const Json& json) {
  if (!json.is_object()) {
    return Error{ErrorKind::kInvalidArgument, "Cannot parse schema: expected an object, found " +
                                                  std::string(JsonKindName(json))};
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string type, GetString(json, kTypeKey));
  if (type != kStruct) {
    return Error{ErrorKind::kInvalidArgument, "Cannot create schema, not a struct type: " + type};
  }
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int32_t> schema_id, FindInt32(json, kSchemaIdKey));
  schema_.id_ = schema_id.value_or(0);
  BERGLITE_RETURN_IF_ERROR(ReadStruct(json, Parent{}));
  // Full names win over short ones, and the first of equal short names.
  for (auto& [name, position] : short_names_) {
    schema_.index_by_name_.try_emplace(std::move(name), position);
  }
  BERGLITE_RETURN_IF_ERROR(ReadIdentifiers(json));
  return std::move(schema_);
}

void Schema::Reader::Reserve(size_t columns) {
  schema_.fields_.reserve(columns);
  schema_.index_by_id_.reserve(columns);
  schema_.index_by_name_.reserve(columns);
}

Status Schema::Reader::ReadStruct(const Json& type, const Parent& parent) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* columns, GetArray(type, kFieldsKey));
  if (parent.position == Field::kNoParent) Reserve(columns->size());
  for (const Json& column : *columns) {
    Member member;
    BERGLITE_ASSIGN_OR_RETURN(member.id, GetInt32(column, kIdKey));
    BERGLITE_ASSIGN_OR_RETURN(member.name, GetString(column, kNameKey));
    BERGLITE_ASSIGN_OR_RETURN(member.required, GetBool(column, kRequiredKey));
    BERGLITE_ASSIGN_OR_RETURN(member.type, GetMember(column, kTypeKey));
    BERGLITE_RETURN_IF_ERROR(FindString(column, kDocKey));
    size_t position = schema_.fields_.size();
    BERGLITE_RETURN_IF_ERROR(Add(member, parent));
    BERGLITE_RETURN_IF_ERROR(ReadDefaults(column, position));
  }
  return {};
}

Status Schema::Reader::ReadList(const Json& type, const Parent& parent) {
  Member element{.name = kElementKey};
  BERGLITE_ASSIGN_OR_RETURN(element.id, GetInt32(type, kElementIdKey));
  BERGLITE_ASSIGN_OR_RETURN(element.required, GetBool(type, kElementRequiredKey));
  BERGLITE_ASSIGN_OR_RETURN(element.type, GetMember(type, kElementKey));
  return Add(element, parent);
}

Status Schema::Reader::ReadMap(const Json& type, const Parent& parent) {
  Member key{.name = kKeyKey};
  BERGLITE_ASSIGN_OR_RETURN(key.id, GetInt32(type, kKeyIdKey));
  BERGLITE_ASSIGN_OR_RETURN(key.type, GetMember(type, kKeyKey));
  BERGLITE_RETURN_IF_ERROR(Add(key, parent));
  Member value{.name = kValueKey};
  BERGLITE_ASSIGN_OR_RETURN(value.id, GetInt32(type, kValueIdKey));
  BERGLITE_ASSIGN_OR_RETURN(value.required, GetBool(type, kValueRequiredKey));
  BERGLITE_ASSIGN_OR_RETURN(value.type, GetMember(type, kValueKey));
  return Add(value, parent);
}

Status Schema::Reader::ReadDefaults(const Json& column, size_t position) {
  for (const char* key : {kInitialDefaultKey, kWriteDefaultKey}) {
    const Json* value = FindMember(column, key);
    if (value == nullptr) continue;
    const Json& type = column.at(kTypeKey);
    BERGLITE_RETURN_IF_ERROR(CheckDefault(type, *value, key, schema_.fields_[position].full_name));
    if (key != kInitialDefaultKey) continue;
    schema_.initial_defaults_.emplace_back(
        position, value->is_string() ? value->get_ref<const std::string&>() : value->dump());
  }
  return {};
}

Status Schema::Reader::ReadIdentifiers(const Json& schema) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* identifiers, FindArray(schema, kIdentifierFieldIdsKey));
  if (identifiers == nullptr) return {};
  for (const Json& identifier : *identifiers) {
    BERGLITE_ASSIGN_OR_RETURN(int32_t id, AsInt32(identifier, kIdentifierFieldIdsKey));
    BERGLITE_RETURN_IF_ERROR(CheckIdentifierField(schema_, id));
    schema_.identifier_field_ids_.push_back(id);
  }
  return {};
}

// Adds a field and everything in it.
Status Schema::Reader::Add(const Member& member, const Parent& parent) {
  bool is_column = parent.position == Field::kNoParent;
  Field field;
  field.id = member.id;
  field.full_name = is_column ? member.name : parent.full_name + "." + member.name;
  field.required = member.required;
  field.parent = parent.position;
  BERGLITE_ASSIGN_OR_RETURN(field.type, ReadTypeName(*member.type));
  size_t position = schema_.fields_.size();
  BERGLITE_RETURN_IF_ERROR(CheckAndIndex(field, position));
  std::string short_name = is_column ? member.name : parent.short_name + "." + member.name;
  if (short_name != field.full_name) short_names_.emplace_back(short_name, position);
  if (field.is_primitive()) {
    schema_.fields_.push_back(std::move(field));
    return {};
  }
  schema_.fields_.push_back(field);
  Parent self{position, std::move(field.full_name), std::move(short_name)};
  if (field.type == kList) return ReadList(*member.type, self);
  if (field.type == kMap) return ReadMap(*member.type, self);
  bool is_element = !is_column && schema_.fields_[parent.position].type == kList;
  bool is_value =
      !is_column && schema_.fields_[parent.position].type == kMap && member.name == kValueKey;
  if (is_element || is_value) self.short_name = parent.short_name;
  return ReadStruct(*member.type, self);
}

Status Schema::Reader::CheckAndIndex(const Field& field, size_t position) {
  if (field.id > kFieldIdMax) {
    return Invalid("Invalid schema: field ID " + std::to_string(field.id) + " of " +
                   field.full_name + " is reserved, IDs end at " + std::to_string(kFieldIdMax));
  }
  if (field.required && field.type == "unknown") {
    return Invalid("Cannot create required field with unknown type: " + field.full_name);
  }
  auto [same_id, id_is_new] = schema_.index_by_id_.try_emplace(field.id, position);
  if (!id_is_new) {
    return Invalid("Invalid schema: multiple fields for ID " + std::to_string(field.id) + ": " +
                   schema_.fields_[same_id->second].full_name + " and " + field.full_name);
  }
  auto [same_name, name_is_new] = schema_.index_by_name_.try_emplace(field.full_name, position);
  if (!name_is_new) {
    return Invalid("Invalid schema: multiple fields for name " + field.full_name + ": " +
                   std::to_string(schema_.fields_[same_name->second].id) + " and " +
                   std::to_string(field.id));
  }
  return {};
}

Result<Schema> Schema::Parse(const Json& json) { return Reader().Read(json); }

const Field* Schema::FindField(int32_t id) const {
  auto found = index_by_id_.find(id);
  return found == index_by_id_.end() ? nullptr : &fields_[found->second];
}

const Field* Schema::FindField(std::string_view name) const {
  auto found = index_by_name_.find(std::string(name));
  return found == index_by_name_.end() ? nullptr : &fields_[found->second];
}

int32_t Schema::highest_field_id() const {
  int32_t highest = 0;
  for (const Field& field : fields_) highest = std::max(highest, field.id);
  return highest;
}

Status Schema::CheckFormatVersion(int32_t format_version) const {
  // Iceberg lists the problems by field id.
  std::multimap<int32_t, std::string> problems;
  for (const Field& field : fields_) {
    int32_t required = FormatVersionOfType(field.type);
    if (format_version >= required) continue;
    problems.emplace(field.id, "Invalid type for " + field.full_name + ": " + field.type +
                                   " is not supported until v" + std::to_string(required));
  }
  for (const auto& [position, text] : initial_defaults_) {
    if (format_version >= kInitialDefaultFormatVersion) break;
    const Field& field = fields_[position];
    problems.emplace(field.id, "Invalid initial default for " + field.full_name +
                                   ": non-null default (" + text + ") is not supported until v" +
                                   std::to_string(kInitialDefaultFormatVersion));
  }
  if (problems.empty()) return {};
  std::string message = "Invalid schema for v" + std::to_string(format_version) + ":";
  for (const auto& [id, problem] : problems) message += "\n- " + problem;
  return Invalid(std::move(message));
}

namespace {

// Whether a member is the same in both, null being the same as absent.
bool SameMember(const Json& a, const Json& b, const char* key) {
  const Json* in_a = FindMember(a, key);
  const Json* in_b = FindMember(b, key);
  if (in_a == nullptr || in_b == nullptr) return in_a == in_b;
  return *in_a == *in_b;
}

bool SameMembers(const Json& a, const Json& b, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const char* key) { return SameMember(a, b, key); });
}

bool SameStruct(const Json& a, const Json& b);
bool SameType(const Json& a, const Json& b);

bool SameTypeMember(const Json& a, const Json& b, const char* key) {
  const Json* in_a = FindMember(a, key);
  const Json* in_b = FindMember(b, key);
  return in_a != nullptr && in_b != nullptr && SameType(*in_a, *in_b);
}

bool SameType(const Json& a, const Json& b) {
  if (a.is_string() && b.is_string()) {
    if (a == b) return true;
    Result<std::string> in_a = CanonicalType(a.get_ref<const std::string&>());
    Result<std::string> in_b = CanonicalType(b.get_ref<const std::string&>());
    return in_a.has_value() && in_b.has_value() && *in_a == *in_b;
  }
  const Json* kind = FindMember(a, kTypeKey);
  if (kind == nullptr || !SameMember(a, b, kTypeKey)) return false;
  if (*kind == kStruct) return SameStruct(a, b);
  if (*kind == kList) {
    return SameMembers(a, b, {kElementIdKey, kElementRequiredKey}) &&
           SameTypeMember(a, b, kElementKey);
  }
  return SameMembers(a, b, {kKeyIdKey, kValueIdKey, kValueRequiredKey}) &&
         SameTypeMember(a, b, kKeyKey) && SameTypeMember(a, b, kValueKey);
}

bool SameColumn(const Json& a, const Json& b) {
  return SameMembers(
             a, b,
             {kIdKey, kNameKey, kRequiredKey, kDocKey, kInitialDefaultKey, kWriteDefaultKey}) &&
         SameTypeMember(a, b, kTypeKey);
}

bool SameStruct(const Json& a, const Json& b) {
  const Json* in_a = FindMember(a, kFieldsKey);
  const Json* in_b = FindMember(b, kFieldsKey);
  return in_a != nullptr && in_b != nullptr &&
         std::equal(in_a->begin(), in_a->end(), in_b->begin(), in_b->end(), SameColumn);
}

std::set<Json> IdentifierIds(const Json& schema) {
  const Json* ids = FindMember(schema, kIdentifierFieldIdsKey);
  return ids == nullptr ? std::set<Json>() : std::set<Json>(ids->begin(), ids->end());
}

void EraseNullsInType(Json& type) {
  if (!type.is_object()) return;
  EraseNullMembers(type);
  for (const char* key : {kElementKey, kKeyKey, kValueKey}) {
    if (type.contains(key)) EraseNullsInType(type[key]);
  }
  if (!type.contains(kFieldsKey)) return;
  for (Json& column : type[kFieldsKey]) {
    EraseNullMembers(column);
    EraseNullsInType(column[kTypeKey]);
  }
}

// Gives new ids to the fields of a checked schema.
class IdAssigner {
 public:
  void AssignInStruct(Json& type) {
    for (Json& column : type[kFieldsKey]) Assign(column[kIdKey]);
    for (Json& column : type[kFieldsKey]) AssignInType(column[kTypeKey]);
  }

  int32_t last_id() const { return last_id_; }
  // The new id of the field that had `old_id`.
  int32_t NewIdOf(const Json& old_id) const { return new_ids_.at(*AsInt32(old_id, kIdKey)); }

 private:
  void Assign(Json& id) {
    new_ids_[*AsInt32(id, kIdKey)] = ++last_id_;
    id = last_id_;
  }

  void AssignInType(Json& type) {
    if (type.is_string()) {
      type = CanonicalType(type.get_ref<const std::string&>()).value();
    } else if (type[kTypeKey] == kStruct) {
      AssignInStruct(type);
    } else if (type[kTypeKey] == kList) {
      Assign(type[kElementIdKey]);
      AssignInType(type[kElementKey]);
    } else {
      Assign(type[kKeyIdKey]);
      Assign(type[kValueIdKey]);
      AssignInType(type[kKeyKey]);
      AssignInType(type[kValueKey]);
    }
  }

  int32_t last_id_ = 0;
  std::unordered_map<int32_t, int32_t> new_ids_;
};

}  // namespace

bool SameSchema(const Json& a, const Json& b) {
  return SameStruct(a, b) && IdentifierIds(a) == IdentifierIds(b);
}

Json WithoutNullMembers(Json schema) {
  EraseNullsInType(schema);
  return schema;
}

FreshSchema AssignFreshIds(const Json& schema) {
  Json fresh = schema;
  IdAssigner assigner;
  assigner.AssignInStruct(fresh);
  fresh[kSchemaIdKey] = 0;
  if (FindMember(fresh, kIdentifierFieldIdsKey) != nullptr) {
    for (Json& id : fresh[kIdentifierFieldIdsKey]) id = assigner.NewIdOf(id);
  }
  return {std::move(fresh), assigner.last_id()};
}

}  // namespace berglite::metadata
