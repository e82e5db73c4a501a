// Names of namespaces, tables and views on the command line.
//
// Dots separate levels: `sales.eu.orders` is the table orders in the namespace eu in sales. A level
// that has a dot, a quote, a backslash, white space or a control character in it, or nothing at
// all, is written as a JSON string: `"a.b".orders`. FormatName writes it so where ParseName needs
// it, so that what a command prints can be given to another.
//
// Threads: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/result.h>

namespace berglite::cli {

// At least one level, none of them empty. Errors: kInvalidArgument, in one line.
Result<Namespace> ParseName(std::string_view text);
// At least two levels.
Result<TableIdentifier> ParseTableName(std::string_view text);

std::string FormatName(const Namespace& levels);
std::string FormatName(const TableIdentifier& name);

}  // namespace berglite::cli
