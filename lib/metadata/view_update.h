// The 8 view updates of the REST specification, applied to a view metadata document.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::metadata {

// The actions that are understood, as the specification spells them.
std::vector<std::string> ViewUpdateActions();

// Applies `updates` (the array of a CommitViewRequest) in order to `base`, and checks the result.
// nullopt: the updates change nothing. Errors: kInvalidArgument for an unknown action or an update
// that cannot be read, kValidation for one that breaks a rule. `base` is never changed.
Result<std::optional<ViewMetadata>> ApplyViewUpdates(const ViewMetadata& base, const Json& updates,
                                                     Environment& environment);

}  // namespace berglite::metadata
