#include "lib/base/json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

namespace berglite {
namespace {

Error WrongType(std::string_view what, std::string_view expected, const Json& value) {
  std::string message = "Cannot parse " + std::string(what) + ": expected " +
                        std::string(expected) + ", found " + std::string(JsonKindName(value));
  if (value.is_number()) message += " (" + value.dump() + ")";
  return Error{ErrorKind::kInvalidArgument, std::move(message)};
}

template <typename T>
Result<std::vector<T>> AsVector(const Json& value, std::string_view what,
                                Result<T> (*as)(const Json&, std::string_view)) {
  if (!value.is_array()) return WrongType(what, "an array", value);
  std::vector<T> items;
  items.reserve(value.size());
  for (const Json& element : value) {
    BERGLITE_ASSIGN_OR_RETURN(T item, as(element, what));
    items.push_back(std::move(item));
  }
  return items;
}

// Reads an optional member with the getter for a required value.
template <typename T>
Result<std::optional<T>> FindAs(const Json& object, std::string_view key,
                                Result<T> (*as)(const Json&, std::string_view)) {
  const Json* member = FindMember(object, key);
  if (member == nullptr) return std::optional<T>();
  BERGLITE_ASSIGN_OR_RETURN(T value, as(*member, key));
  return std::optional<T>(std::move(value));
}

template <typename T>
Result<T> GetAs(const Json& object, std::string_view key,
                Result<T> (*as)(const Json&, std::string_view)) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* member, GetMember(object, key));
  return as(*member, key);
}

Result<const Json*> AsObject(const Json& value, std::string_view what) {
  if (!value.is_object()) return WrongType(what, "an object", value);
  return &value;
}

Result<const Json*> AsArray(const Json& value, std::string_view what) {
  if (!value.is_array()) return WrongType(what, "an array", value);
  return &value;
}

// The library's own writer, several times slower than what follows: for all that is rare.
std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether a string that holds `c` is written otherwise than byte by byte.
bool IsSpecial(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

void AppendString(std::string& out, std::string_view text) {
  if (std::any_of(text.begin(), text.end(), IsSpecial)) {
    out += Dump(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

template <typename Integer>
void AppendInteger(std::string& out, Integer value) {
  char digits[std::numeric_limits<Integer>::digits10 + 2];
  out.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
}

void AppendValue(std::string& out, const Json& value);

void AppendObject(std::string& out, const Json::object_t& object) {
  char separator = '{';
  for (const auto& [key, member] : object) {
    out += separator;
    AppendString(out, key);
    out += ':';
    AppendValue(out, member);
    separator = ',';
  }
  out += object.empty() ? "{}" : "}";
}

void AppendArray(std::string& out, const Json::array_t& array) {
  char separator = '[';
  for (const Json& element : array) {
    out += separator;
    AppendValue(out, element);
    separator = ',';
  }
  out += array.empty() ? "[]" : "]";
}

// Table metadata of a thousand snapshots is written anew by every commit.
void AppendValue(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return AppendObject(out, value.get_ref<const Json::object_t&>());
    case Json::value_t::array:
      return AppendArray(out, value.get_ref<const Json::array_t&>());
    case Json::value_t::string:
      return AppendString(out, value.get_ref<const std::string&>());
    case Json::value_t::number_integer:
      return AppendInteger(out, value.get_ref<const Json::number_integer_t&>());
    case Json::value_t::number_unsigned:
      return AppendInteger(out, value.get_ref<const Json::number_unsigned_t&>());
    case Json::value_t::null:
    case Json::value_t::boolean:
    case Json::value_t::number_float:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      out += Dump(value);
  }
}

}  // namespace

std::string_view JsonKindName(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "a number";
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;
  }
  return "no JSON value";
}

const Json* FindMember(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return nullptr;
  return &*found;
}

Result<int64_t> AsInt64(const Json& value, std::string_view what) {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() || value.get_ref<const uint64_t&>() <= kMax);
  if (!fits) return WrongType(what, "a 64-bit integer", value);
  return value.get<int64_t>();
}

Result<int32_t> AsInt32(const Json& value, std::string_view what) {
  Result<int64_t> wide = AsInt64(value, what);
  if (!wide || *wide < std::numeric_limits<int32_t>::min() ||
      *wide > std::numeric_limits<int32_t>::max()) {
    return WrongType(what, "a 32-bit integer", value);
  }
  return static_cast<int32_t>(*wide);
}

Result<std::string> AsString(const Json& value, std::string_view what) {
  if (!value.is_string()) return WrongType(what, "a string", value);
  return value.get_ref<const std::string&>();
}

Result<bool> AsBool(const Json& value, std::string_view what) {
  if (!value.is_boolean()) return WrongType(what, "a boolean", value);
  return value.get<bool>();
}

Result<std::vector<std::string>> AsStrings(const Json& value, std::string_view what) {
  return AsVector<std::string>(value, what, AsString);
}

Result<std::vector<int64_t>> AsInt64s(const Json& value, std::string_view what) {
  return AsVector<int64_t>(value, what, AsInt64);
}

Result<const Json*> GetMember(const Json& object, std::string_view key) {
  const Json* member = FindMember(object, key);
  if (member == nullptr) {
    return Error{ErrorKind::kInvalidArgument, "Cannot parse missing field: " + std::string(key)};
  }
  return member;
}

Result<int64_t> GetInt64(const Json& object, std::string_view key) {
  return GetAs<int64_t>(object, key, AsInt64);
}
Result<int32_t> GetInt32(const Json& object, std::string_view key) {
  return GetAs<int32_t>(object, key, AsInt32);
}
Result<std::string> GetString(const Json& object, std::string_view key) {
  return GetAs<std::string>(object, key, AsString);
}
Result<const Json*> GetObject(const Json& object, std::string_view key) {
  return GetAs<const Json*>(object, key, AsObject);
}
Result<const Json*> GetArray(const Json& object, std::string_view key) {
  return GetAs<const Json*>(object, key, AsArray);
}

Result<std::optional<int64_t>> FindInt64(const Json& object, std::string_view key) {
  return FindAs<int64_t>(object, key, AsInt64);
}
Result<std::optional<int32_t>> FindInt32(const Json& object, std::string_view key) {
  return FindAs<int32_t>(object, key, AsInt32);
}
Result<std::optional<std::string>> FindString(const Json& object, std::string_view key) {
  return FindAs<std::string>(object, key, AsString);
}
Result<std::optional<bool>> FindBool(const Json& object, std::string_view key) {
  return FindAs<bool>(object, key, AsBool);
}
Result<const Json*> FindObject(const Json& object, std::string_view key) {
  const Json* member = FindMember(object, key);
  return member == nullptr ? Result<const Json*>(member) : AsObject(*member, key);
}
Result<const Json*> FindArray(const Json& object, std::string_view key) {
  const Json* member = FindMember(object, key);
  return member == nullptr ? Result<const Json*>(member) : AsArray(*member, key);
}

Status CheckStringMap(const Json& value, std::string_view what) {
  if (!value.is_object()) return WrongType(what, "an object", value);
  for (const auto& [key, member] : value.items()) {
    if (!member.is_string()) return WrongType(std::string(what) + "." + key, "a string", member);
  }
  return {};
}

void EraseNullMembers(Json& object) {
  std::erase_if(object.get_ref<Json::object_t&>(),
                [](const auto& member) { return member.second.is_null(); });
}

std::string ToJsonText(const Json& value) {
  std::string text;
  AppendValue(text, value);
  return text;
}

void AppendJsonString(std::string& out, std::string_view text) { AppendString(out, text); }

}  // namespace berglite
