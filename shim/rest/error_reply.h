// Error answers: what a client is told of an Error.
#pragma once

#include <string_view>

#include "berglite/result.h"
#include "shim/rest/http.h"
#include "shim/rest/operations.h"

namespace berglite::rest {

// What a client is told in place of the message of kInternal, which is for the log alone.
inline constexpr std::string_view kInternalMessage =
    "The server failed to answer; its log says why";

// The answer in the specification's error model. `operation` is null where none was found.
HttpReply MakeErrorReply(const Error& error, const Operation* operation);

}  // namespace berglite::rest
