// What an operator adds to the properties of new tables and views.
//
// Threads: functions without state.
#pragma once

#include "berglite/catalog.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// A CreateTableRequest or CreateViewRequest with the operator's properties in it. One whose
// properties are no object comes back as it is, for the checks that follow to refuse.
Json WithNewProperties(Json request, const NewProperties& added);

}  // namespace berglite::metadata
