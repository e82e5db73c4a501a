// The text under which a namespace stands in the shared tables.
//
// Levels are joined with `.`, as every SQL catalog does it. Where a level has a dot in it the whole
// is `__iceberg_namespace_v1__:` and a JSON array of the levels, byte for byte as iceberg-go writes
// it; so is a namespace whose joined text would begin with that marker.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/store/store.h"

namespace berglite::store {

inline constexpr std::string_view kEncodedMarker = "__iceberg_namespace_v1__:";

// Texts from `begin` up to and without `end`, in byte order.
struct TextRange {
  std::string begin;
  std::string end;
};

// `name_space` has at least one level.
std::string NamespaceToText(const Namespace& name_space);
// nullopt for a text that carries the marker and no JSON array of strings after it.
std::optional<Namespace> NamespaceFromText(std::string_view text);

// Whether the text of the namespace is its joined levels. The empty namespace counts as such.
bool IsPlain(const Namespace& name_space);

// Texts of all namespaces below `name_space` (of all, where it is empty) that are joined levels.
// Only for a plain namespace: below any other there are none. The range of the empty namespace
// also holds all encoded ones.
TextRange PlainDescendants(const Namespace& name_space);
// The same for those in the encoded form, which may stand below any namespace.
TextRange EncodedDescendants(const Namespace& name_space);

// The first text, in byte order, after `text`.
std::string After(std::string_view text);
// The first text, in byte order, after all that begin with `prefix`, whose last byte is not 0xFF.
std::string AfterPrefix(std::string prefix);
// `text` as a JSON string, as Go's json.Marshal writes it.
std::string QuoteAsGo(std::string_view text);

}  // namespace berglite::store
