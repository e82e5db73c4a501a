// Result<T> and Status: how every call of berglite reports an outcome that its caller can meet.
//
// The members carry the names of std::expected, so that a later move to it changes no caller. A bug
// in berglite is an assertion, never an Error.
//
// Threads: values; copy them freely, share a const one.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace berglite {

// What went wrong, as finely as callers act on it. One table in the REST shim maps each kind to the
// Iceberg error `type` and the HTTP status.
enum class ErrorKind {
  kInvalidArgument,   // an argument or a request field is missing, of the wrong type or not allowed
  kValidation,        // a well-formed change would break a rule of the table or view metadata
  kMalformedRequest,  // the request cannot be read at all: bad JSON, bad UTF-8, bad escapes
  kNoSuchNamespace,   // the namespace does not exist
  kNoSuchTable,       // the table does not exist (or the name is a view's)
  kNoSuchView,        // the view does not exist (or the name is a table's)
  kNoSuchFunction,    // the function does not exist
  kNotFound,          // a metadata file or a principal does not exist
  kNoSuchWarehouse,   // no catalog of that name is in the file
  kUnsupported,       // berglite does not do that
  kAlreadyExists,     // the name is taken
  kCommitFailed,      // a requirement does not hold or a concurrent commit won: refresh and retry
  kNamespaceNotEmpty,   // the namespace still holds tables, views or namespaces
  kUnprocessable,       // the request contradicts itself
  kNotAuthorized,       // a secret or token is wrong, or has been withdrawn
  kTokenExpired,        // a token was good and is too old
  kTooManyRequests,     // the caller has failed too often of late: try again later
  kUnavailable,         // surely nothing was changed; the same call may succeed later
  kCommitStateUnknown,  // it cannot be told whether the change was made; its files stay
  kInternal,            // stored data is damaged or the machine failed while reading
};

// A kind for programs and a message for people. The message of a kind that the REST specification
// knows is what a REST client is told.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

// A value of T or an Error. Asking for the one that is not there is a bug and asserts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }
  T& operator*() & { return Checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(Checked()); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    const Error* error = std::get_if<1>(&state_);
    if (error == nullptr) std::abort();
    return *error;
  }
  Error&& error() && { return std::move(const_cast<Error&>(std::as_const(*this).error())); }

 private:
  T& Checked() {
    T* value = std::get_if<0>(&state_);
    if (value == nullptr) std::abort();
    return *value;
  }

  std::variant<T, Error> state_;
};

// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  const Error& error() const {
    if (!error_) std::abort();
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace berglite

#define BERGLITE_CONCAT_INNER(a, b) a##b
#define BERGLITE_CONCAT(a, b) BERGLITE_CONCAT_INNER(a, b)

// Returns the error of `expression` (a Status or Result) from the enclosing function, if it has
// one.
#define BERGLITE_RETURN_IF_ERROR(expression)                               \
  do {                                                                     \
    if (auto berglite_status = (expression); !berglite_status.has_value()) \
      return ::berglite::Error(std::move(berglite_status).error());        \
  } while (false)

// Assigns the value of `expression` to `target` (a declaration or an lvalue), or returns its error.
#define BERGLITE_ASSIGN_OR_RETURN(target, expression) \
  BERGLITE_ASSIGN_OR_RETURN_NAMED(BERGLITE_CONCAT(berglite_result_, __LINE__), target, expression)
#define BERGLITE_ASSIGN_OR_RETURN_NAMED(name, target, expression)           \
  auto name = (expression);                                                 \
  if (!name.has_value()) return ::berglite::Error(std::move(name).error()); \
  target = *std::move(name)
