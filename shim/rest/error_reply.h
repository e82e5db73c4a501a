// Error answers: what a client is told of an Error.
#pragma once

#include <string>
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

// 405: `request`, a method and a path, is not among the methods of `allow`.
HttpReply MakeMethodReply(const std::string& request, const std::string& allow);

}  // namespace berglite::rest
