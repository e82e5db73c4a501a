// What several operations of the catalog share: their errors and small conversions.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berglite/catalog.h"
#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// The property of a namespace below whose value its new tables and views go.
inline constexpr const char* kLocationProperty = "location";

// `table` or `view`.
std::string_view NameOf(store::EntryKind kind);
// The same for the start of a sentence; of another kind, `Entry`.
const char* CapitalNameOf(store::EntryKind kind);

Error NoSuchNamespace(const Namespace& name_space);
// There is no table or view of that name (or one of the other kind).
Error NoSuchEntry(store::EntryKind kind, const TableIdentifier& name);
// For a table or view that is to be made in a namespace that does not exist.
Error NoNamespaceFor(store::EntryKind kind, const TableIdentifier& name);
// For a table or view that is to be made where `entry` stands.
Error NameIsTaken(store::EntryKind kind, const TableIdentifier& name, const store::Entry& entry);

// Whether what was written for a change may be in use though that has failed.
bool IsStateUnknown(const Status& status);

store::EntryKey KeyOf(const TableIdentifier& name);

// The member next-page-token of a list.
Json NextPageToken(const std::optional<std::string>& token);

}  // namespace berglite::catalog
