// Error answers: what a client is told of an Error.
#pragma once

#include <string_view>

#include "berglite/result.h"
#include "shim/rest/http.h"
#include "shim/rest/operations.h"

namespace berglite::rest {

// The answer in the specification's error model. `operation` is null where none was found. The
// message of kInternal is for the log alone; the client is told nothing of the inside.
HttpReply MakeErrorReply(const Error& error, const Operation* operation);

}  // namespace berglite::rest
