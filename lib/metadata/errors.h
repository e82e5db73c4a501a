// The two kinds of error that the rules of metadata have for bad input.
#pragma once

#include <string>
#include <utility>

#include "berglite/result.h"

namespace berglite::metadata {

// For what cannot be read: a missing or mistyped member, an unknown name.
inline Error InvalidArgument(std::string message) {
  return Error{ErrorKind::kInvalidArgument, std::move(message)};
}

// For what can be read and breaks a rule.
inline Error ValidationError(std::string message) {
  return Error{ErrorKind::kValidation, std::move(message)};
}

// A stored document that cannot be read is bad data, not a bad argument.
inline Error AsValidation(Error error) {
  error.kind = ErrorKind::kValidation;
  return error;
}

}  // namespace berglite::metadata
