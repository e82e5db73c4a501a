// What several operations of the catalog share: their errors and small conversions.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>

#include "berglite/catalog.h"
#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// The property of a namespace below whose value its new tables go.
inline constexpr const char* kLocationProperty = "location";

Error NoSuchNamespace(const Namespace& name_space);
Error NoSuchTable(const TableIdentifier& table);
// For a table that is to be made in a namespace that does not exist.
Error NoNamespaceFor(const TableIdentifier& table);
// For a table that is to be made where `entry` stands.
Error NameIsTaken(const TableIdentifier& table, const store::Entry& entry);

store::EntryKey KeyOf(const TableIdentifier& table);

// The member next-page-token of a list.
Json NextPageToken(const std::optional<std::string>& token);

}  // namespace berglite::catalog
