// Matchers for Result and Status. There is none for "some error": a test says which.
//
//   EXPECT_THAT(catalog->DropTable(id), IsOk());
//   EXPECT_THAT(catalog->TableExists(id), IsOkAndHolds(true));
//   EXPECT_THAT(result, IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
//   EXPECT_THAT(result, IsError(ErrorKind::kValidation, HasSubstr("unknown column")));
#pragma once

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/result.h"

namespace berglite {

inline void PrintTo(const Error& error, std::ostream* out) {
  *out << "error of kind " << static_cast<int>(error.kind) << ": " << error.message;
}

template <typename T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  if (result.has_value()) {
    *out << "success";
  } else {
    PrintTo(result.error(), out);
  }
}

namespace testing {

MATCHER(IsOk, negation ? "is an error" : "is a success") {
  (void)result_listener;
  return arg.has_value();
}

MATCHER_P(IsOkAndHolds, value_matcher, "is a success of the given value") {
  if (!arg.has_value()) return false;
  return ::testing::ExplainMatchResult(value_matcher, *arg, result_listener);
}

MATCHER_P2(IsError, kind, message_matcher, "is an error of the given kind and message") {
  if (arg.has_value()) {
    *result_listener << "it is a success";
    return false;
  }
  if (arg.error().kind != kind) {
    *result_listener << "its kind is " << static_cast<int>(arg.error().kind);
    return false;
  }
  return ::testing::ExplainMatchResult(message_matcher, arg.error().message, result_listener);
}

}  // namespace testing
}  // namespace berglite
