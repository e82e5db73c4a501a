// JSON inside the library: the DOM type, checked getters, and the bridge to Document.
//
// The JSON library converts silently (1.9 becomes 1, 2^64-1 becomes -1), so numbers are read
// through the getters below and never through get<T>().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "berglite/document.h"
#include "berglite/result.h"

namespace berglite {

using Json = nlohmann::json;

// The inside of a Document.
class DocumentAccess {
 public:
  // The parsed value; parsed on the first call for a Document made of trusted text.
  static const Json& Dom(const Document& document);
  // The same to own: moved where nobody else has a copy of the Document, and copied otherwise.
  static Json TakeDom(Document document);
  // A Document of a value that berglite built or edited; its text is that of ToJsonText.
  static Document FromDom(Json dom);
  // A Document of text that berglite itself wrote or has checked before; it is parsed only when
  // asked for.
  static Document FromTrustedText(std::string text);
};

// What a JSON value is, for messages: `an object`, `a string`, `null` ...
std::string_view JsonKindName(const Json& value);

// The member `key` of `object`; null where it is absent or JSON null, or `object` is no object.
const Json* FindMember(const Json& object, std::string_view key);

// The value itself, checked. `what` names it in the message: `schema-id: expected an integer, found
// a string`. Errors: kInvalidArgument.
Result<int64_t> AsInt64(const Json& value, std::string_view what);
Result<int32_t> AsInt32(const Json& value, std::string_view what);
Result<std::string> AsString(const Json& value, std::string_view what);
Result<bool> AsBool(const Json& value, std::string_view what);
Result<std::vector<std::string>> AsStrings(const Json& value, std::string_view what);
Result<std::vector<int64_t>> AsInt64s(const Json& value, std::string_view what);

// A required member of an object. Errors: kInvalidArgument `Cannot parse missing field: <key>`
// where it is absent or null (Iceberg's own words), otherwise as above.
Result<const Json*> GetMember(const Json& object, std::string_view key);
Result<int64_t> GetInt64(const Json& object, std::string_view key);
Result<int32_t> GetInt32(const Json& object, std::string_view key);
Result<std::string> GetString(const Json& object, std::string_view key);
Result<const Json*> GetObject(const Json& object, std::string_view key);
Result<const Json*> GetArray(const Json& object, std::string_view key);

// An optional member: nullopt (or null) where it is absent or JSON null. Errors: kInvalidArgument
// where it is there with another type.
Result<std::optional<int64_t>> FindInt64(const Json& object, std::string_view key);
Result<std::optional<int32_t>> FindInt32(const Json& object, std::string_view key);
Result<std::optional<std::string>> FindString(const Json& object, std::string_view key);
Result<std::optional<bool>> FindBool(const Json& object, std::string_view key);
Result<const Json*> FindObject(const Json& object, std::string_view key);
Result<const Json*> FindArray(const Json& object, std::string_view key);

// Checks that `value` is an object whose members are all strings (Iceberg's property maps).
Status CheckStringMap(const Json& value, std::string_view what);

// Takes out the members that are null. Clients may write so what they leave out; readers of
// Iceberg's documents do not all take the one for the other.
void EraseNullMembers(Json& object);

// The text of `value`. Bytes that are not UTF-8, as other programs may have put them into the
// catalog file, become U+FFFD: one bad name must not make a whole list unreadable.
std::string ToJsonText(const Json& value);

// Appends `text` to `out` as a JSON string with its quotes, as ToJsonText writes it.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace berglite
