// What the updates of tables and those of views have in common: finding the function for an action,
// and the updates that both know.
//
// Threads: functions without state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/result.h"
#include "lib/base/json.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {

// An action as the specification spells it, and what it does to an Edit.
template <typename Edit>
struct UpdateRow {
  std::string_view action;
  Status (Edit::*apply)(const Json& update);
};

// The actions of `updates` as they were sent. Errors: kInvalidArgument.
Result<std::vector<std::string>> ReadActions(const Json& updates);

// For an action that no row of updates on `what` (`table`, `view`) has.
Error CannotApply(const std::string& action, const std::string& what);

// The row of each update. All are looked up before any is applied: an unknown one is told whatever
// the others do. Errors: kInvalidArgument.
template <typename Edit, size_t kCount>
Result<std::vector<const UpdateRow<Edit>*>> FindRows(const UpdateRow<Edit> (&table)[kCount],
                                                     const Json& updates, const char* what) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> actions, ReadActions(updates));
  std::vector<const UpdateRow<Edit>*> rows;
  rows.reserve(actions.size());
  for (const std::string& requested : actions) {
    const UpdateRow<Edit>* row = std::find_if(
        table, table + kCount, [action = AsciiLower(requested)](const auto& candidate) {
          return candidate.action == action;
        });
    if (row == table + kCount) return CannotApply(requested, what);
    rows.push_back(row);
  }
  return rows;
}

// Applies `updates` with their rows, in order. Errors: those of the first that fails.
template <typename Edit>
Status ApplyRows(const std::vector<const UpdateRow<Edit>*>& rows, const Json& updates, Edit& edit) {
  for (size_t i = 0; i < rows.size(); ++i) {
    BERGLITE_RETURN_IF_ERROR((edit.*(rows[i]->apply))(updates[i]));
  }
  return {};
}

// The actions of a table of rows.
template <typename Edit, size_t kCount>
std::vector<std::string> ActionsOf(const UpdateRow<Edit> (&table)[kCount]) {
  std::vector<std::string> actions;
  for (const UpdateRow<Edit>& row : table) actions.emplace_back(row.action);
  return actions;
}

// The updates that are the same for tables and views. Each returns whether `document` is another
// now. Errors: kInvalidArgument.
Result<bool> ApplySetLocation(Json& document, const Json& update);
Result<bool> ApplySetProperties(Json& document, const Json& update);
Result<bool> ApplyRemoveProperties(Json& document, const Json& update);

}  // namespace berglite::metadata
