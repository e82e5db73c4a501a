// The metadata document of a function (UDF): the rules that it must keep to be served.
//
// Rules: the REST specification, FunctionMetadata and what that refers to.
// Threads: functions without state.
#pragma once

#include "berglite/document.h"
#include "berglite/result.h"

namespace berglite::metadata {

// Members that the rules do not name are not looked at. Errors: kValidation, naming the member.
Status CheckFunctionMetadata(const Document& document);

}  // namespace berglite::metadata
