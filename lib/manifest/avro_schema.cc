#include "lib/manifest/avro_schema.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "berglite/document.h"
#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

// Names in a schema can be as long as a header.
constexpr size_t kReasonBytesMax = 200;

Error NotAvro(const std::string& why) {
  return Damaged("its schema is not one of Avro: " + why.substr(0, kReasonBytesMax));
}

constexpr const char* kPlainTypes[] = {"boolean", "int",   "long",  "float",
                                       "double",  "bytes", "string"};

// How much there is to read by a type.
struct Extent {
  size_t types = 1;
  size_t levels = 1;
  size_t empty_types = 0;     // those within, outside of unions, whose values take no byte
  bool may_be_empty = false;  // a value may take no byte at all

  void Add(const Extent& part) {
    types += part.types;
    empty_types += part.empty_types;
    levels = std::max(levels, part.levels + 1);
  }
};

// Checks every type of a schema, by the rules of names that avro-c has.
//
// PyIceberg defines the type of decimals, UUIDs and fixed values anew for each partition field that
// has it, against Avro's rules. Such a definition becomes the name, as it should have been.
//
// `space` is the namespace that holds where a type stands, empty for none.
class SchemaCheck {
 public:
  // Types named again are counted again, as they are read again.
  Result<Extent> CheckType(Json& type, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(Extent extent, CheckAnyType(type, space));
    if (extent.types > limits::kAvroTypesMax || extent.levels > limits::kAvroDepthMax + 1 ||
        extent.empty_types > limits::kAvroEmptyTypesMax) {
      return Damaged("its schema is larger than the limits");
    }
    return extent;
  }

  // Whether definitions have become names.
  bool has_changed() const { return has_changed_; }

 private:
  Result<Extent> CheckAnyType(Json& type, const std::string& space) {
    if (type.is_array()) return CheckUnion(type, space);
    const Json* kind = type.is_object() ? FindMember(type, "type") : &type;
    if (kind == nullptr || !kind->is_string()) return NotAvro("a type is not given by a string");
    const auto& name = kind->get_ref<const std::string&>();
    if (name == "null") return Extent{.may_be_empty = true};
    for (const char* plain : kPlainTypes) {
      if (name == plain) return Extent{};
    }
    if (name == "record") return CheckRecord(type, space);
    if (name == "enum") return CheckEnum(type, space);
    if (name == "fixed") return CheckFixed(type, space);
    if (name == "array") return CheckArray(type, space);
    if (name == "map") return CheckMap(type, space);
    return CheckNamedAgain(name, space);
  }

  Result<Extent> CheckUnion(Json& branches, const std::string& space) {
    if (branches.empty()) return NotAvro("a union has no branch");
    Extent extent;
    for (Json& branch : branches) {
      BERGLITE_ASSIGN_OR_RETURN(const Extent part, CheckType(branch, space));
      extent.Add(part);
    }
    return extent;
  }

  Result<Extent> CheckArray(Json& array, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(const Extent items, CheckPart(array, "items", space));
    // A few bytes could stand for more items than there is time to count.
    if (items.may_be_empty) return Damaged("its schema has an array of items without content");
    Extent extent;
    extent.Add(items);
    return extent;
  }

  Result<Extent> CheckMap(Json& map, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(const Extent values, CheckPart(map, "values", space));
    Extent extent;
    extent.Add(values);
    return extent;
  }

  Result<Extent> CheckPart(Json& whole, const char* key, const std::string& space) {
    if (FindMember(whole, key) == nullptr) return NotAvro("a type has no " + std::string(key));
    return CheckType(whole[key], space);
  }

  Result<Extent> CheckRecord(Json& record, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(const Name name, Define(record, space));
    const Json* fields = FindMember(record, "fields");
    if (fields == nullptr || !fields->is_array()) return NotAvro(name.full + " has no fields");
    Extent extent{.may_be_empty = true};
    for (Json& field : record["fields"]) {
      const Json* field_name = FindMember(field, "name");
      if (field_name == nullptr || !field_name->is_string() ||
          !IsIdentifier(field_name->get_ref<const std::string&>())) {
        return NotAvro(name.full + " has a field with no name of Avro");
      }
      BERGLITE_ASSIGN_OR_RETURN(const Extent part, CheckPart(field, "type", name.space));
      extent.Add(part);
      if (part.may_be_empty) ++extent.empty_types;
      extent.may_be_empty = extent.may_be_empty && part.may_be_empty;
    }
    named_[name.full] = extent;
    return extent;
  }

  Result<Extent> CheckEnum(const Json& type, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(const Name name, Define(type, space));
    const Json* symbols = FindMember(type, "symbols");
    if (symbols == nullptr || !symbols->is_array() || symbols->empty() ||
        !std::all_of(symbols->begin(), symbols->end(),
                     [](const Json& symbol) { return symbol.is_string(); })) {
      return NotAvro(name.full + " has no symbols");
    }
    return named_[name.full].emplace();
  }

  Result<Extent> CheckFixed(Json& type, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(const Name name, NameOf(type, space));
    const Result<int64_t> size = GetInt64(type, "size");
    if (!size || *size < 0) return NotAvro(name.full + " has no size");
    const auto [fixed, is_first] = fixed_sizes_.emplace(name.full, *size);
    if (!is_first && fixed->second == *size) {
      type = name.full;
      has_changed_ = true;
      return CheckNamedAgain(name.full, name.space);
    }
    BERGLITE_RETURN_IF_ERROR(Define(type, space));
    return named_[name.full].emplace(Extent{.may_be_empty = *size == 0});
  }

  Result<Extent> CheckNamedAgain(const std::string& name, const std::string& space) {
    const auto named = named_.find(InSpace(name, space));
    if (named == named_.end()) return NotAvro("it has no type " + name);
    if (!named->second) return Damaged("its schema refers to itself");
    Extent extent{.may_be_empty = named->second->may_be_empty};
    extent.Add(*named->second);
    return extent;
  }

  struct Name {
    std::string full;
    std::string space;  // holds for the types within
  };

  static Result<Name> NameOf(const Json& type, std::string space) {
    const Json* member = FindMember(type, "name");
    if (member == nullptr || !member->is_string()) return NotAvro("a type has no name");
    const auto& name = member->get_ref<const std::string&>();
    const Json* own_space = FindMember(type, "namespace");
    const size_t dot = name.rfind('.');
    if (dot != name.npos) {
      space = name.substr(0, dot);
    } else if (own_space != nullptr && own_space->is_string()) {
      space = own_space->get<std::string>();
    }
    if (dot == 0 || !IsIdentifier(name.substr(dot + 1))) {
      return NotAvro(name + " is no name of a type");
    }
    std::string full = InSpace(name, space);
    return Name{std::move(full), std::move(space)};
  }

  // Enters the name of a type, whose extent is not known yet.
  Result<Name> Define(const Json& type, const std::string& space) {
    BERGLITE_ASSIGN_OR_RETURN(Name name, NameOf(type, space));
    if (!named_.emplace(name.full, std::nullopt).second) {
      return NotAvro(name.full + " is defined twice");
    }
    return name;
  }

  static std::string InSpace(const std::string& name, const std::string& space) {
    return space.empty() || name.find('.') != name.npos ? name : space + "." + name;
  }

  static bool IsIdentifier(std::string_view name) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  }

  // By full name; nullopt where the definition has begun and not ended.
  std::map<std::string, std::optional<Extent>, std::less<>> named_;
  std::map<std::string, int64_t, std::less<>> fixed_sizes_;
  bool has_changed_ = false;
};

}  // namespace

Result<AvroSchema> ParseAvroSchema(std::string_view json) {
  // Checks depth and encoding as well.
  Result<Document> document = Document::Parse(std::string(json), limits::kAvroHeaderBytesMax);
  if (!document) return Damaged("its schema is no good JSON: " + document.error().message);
  Json schema = DocumentAccess::TakeDom(*std::move(document));
  SchemaCheck check;
  BERGLITE_RETURN_IF_ERROR(check.CheckType(schema, ""));
  std::string changed;
  if (check.has_changed()) json = changed = ToJsonText(schema);
  avro_schema_t parsed = nullptr;
  if (avro_schema_from_json_length(json.data(), json.size(), &parsed) != 0) {
    return NotAvro(avro_strerror());
  }
  return AvroSchema(parsed);
}

}  // namespace berglite::manifest
