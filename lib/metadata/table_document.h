// Table metadata documents in the form that format versions 2 and later have.
//
// Version 1 leaves out what later versions require, and writers of any version leave out empty
// lists. A reader may use the members below only after it knows that the document is checked.
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// What means "none" where a snapshot id is expected, and "the last added" elsewhere.
inline constexpr int64_t kNoSnapshotId = -1;

// A table of `format_version` to which nothing has been added: no uuid, location, current schema,
// default spec or default sort order yet.
Json EmptyTable(int32_t format_version);

// Writes `schemas`, `partition-specs`, `sort-orders` and the ids beside them where a version 1
// document has only `schema` and `partition-spec`. `table` is not checked yet. Errors:
// kInvalidArgument.
Status CompleteVersion1(Json& table);

// The document of a checked table as an edit wants it: CompleteVersion1, empty lists present,
// `refs` with main, a uuid, no slash at the end of the location.
Json EditableTable(Json table, Environment& environment);

// Makes the members that depend on the format version agree with the rest.
void WriteVersionMembers(Json& table);

// The current snapshot id of a table; kNoSnapshotId where it has none (absent, null or -1).
int64_t CurrentSnapshotId(const Json& table);

// The reference of that name, main of an older document included; null where there is none.
Json FindRef(const Json& table, std::string_view name);

// The object in `array` whose integer member `key` is `id`; null where there is none.
const Json* FindById(const Json& array, std::string_view key, int64_t id);

// An integer member of a checked document.
int64_t IntegerOf(const Json& object, std::string_view key);

// The property of that name of a checked document of a table or view.
std::optional<std::string> PropertyOf(const Json& document, std::string_view name);

// The elements of an optional list, each of which must be an object; an empty array where there is
// no list. Errors: kInvalidArgument.
Result<const Json*> FindObjects(const Json& document, std::string_view key);

// Where an element goes that is to be added to a list whose elements have ids.
struct ChosenId {
  int32_t id;
  bool is_known;  // the list has one like it already, under that id
};
// The id of the first element of `list` that `is_same` finds equal to `element`; otherwise the one
// after the highest, at least `first_id`. Errors: kValidation where none is left.
Result<ChosenId> ChooseId(const Json& list, std::string_view id_key, const Json& element,
                          int32_t first_id, bool (*is_same)(const Json&, const Json&));

// Whether two schemas of a document are the same. One of a registered file need not be one that can
// be compared.
bool IsSameAsKnownSchema(const Json& known, const Json& added);

}  // namespace berglite::metadata
