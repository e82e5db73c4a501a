// Names of namespaces and tables: what is allowed, and how messages print them.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <string_view>

#include "berglite/catalog.h"
#include "berglite/result.h"
#include "lib/base/json.h"

namespace berglite::catalog {

// At least one level; each a non-empty UTF-8 text within the limits, without NUL and without
// U+001F, which joins the levels in URLs. Errors: kInvalidArgument, saying what was found.
Status CheckNamespace(const Namespace& name_space);
Status CheckTableIdentifier(const TableIdentifier& table);

// `a.b`, as Iceberg's messages have it.
std::string ToString(const Namespace& name_space);
std::string ToString(const TableIdentifier& table);

// Whether `name_space` is `ancestor` or below it. Below no level at all is everything.
bool IsWithin(const Namespace& name_space, const Namespace& ancestor);

// The members of a request. Errors: kInvalidArgument.
Result<Namespace> ParseNamespace(const Json& levels);
Result<TableIdentifier> ParseTableIdentifier(const Json& identifier);
// The table or view that `request` is to make in `name_space`, by its member `name`.
Result<TableIdentifier> ParseNewName(const Namespace& name_space, const Json& request);

// A name as one segment of a path that every client reads alike: only [A-Za-z0-9._-], no leading
// dot, at most 128 bytes. A name that is none of that becomes a readable part and a hash, so that
// different names stay different.
std::string PathSegment(std::string_view name);

}  // namespace berglite::catalog
