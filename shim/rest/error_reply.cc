#include "shim/rest/error_reply.h"

#include <nlohmann/json.hpp>

#include "shim/rest/service.h"

namespace berglite::rest {

namespace {

// The `type` of the error model, which tells clients apart what one status means, and the status.
struct WireError {
  std::string_view type;
  int status;
};

WireError ToWire(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return {"IllegalArgumentException", 400};
    case ErrorKind::kValidation:
      return {"ValidationException", 400};
    case ErrorKind::kMalformedRequest:
      return {"BadRequestException", 400};
    case ErrorKind::kNoSuchNamespace:
      return {"NoSuchNamespaceException", 404};
    case ErrorKind::kNoSuchTable:
      return {"NoSuchTableException", 404};
    case ErrorKind::kNoSuchView:
      return {"NoSuchViewException", 404};
    case ErrorKind::kNoSuchFunction:
      return {"NoSuchFunctionException", 404};
    case ErrorKind::kNotFound:
      return {"NotFoundException", 404};
    case ErrorKind::kNoSuchWarehouse:
      return {"NoSuchWarehouseException", 404};
    case ErrorKind::kUnsupported:
      return {"UnsupportedOperationException", 406};
    case ErrorKind::kAlreadyExists:
      return {"AlreadyExistsException", 409};
    case ErrorKind::kCommitFailed:
      return {"CommitFailedException", 409};
    case ErrorKind::kNamespaceNotEmpty:
      return {"NamespaceNotEmptyException", 409};
    case ErrorKind::kUnprocessable:
      return {"UnprocessableEntityException", 422};
    case ErrorKind::kNotAuthorized:
      return {"NotAuthorizedException", 401};
    case ErrorKind::kTokenExpired:
      // The specification prefers it to 419, and so do its clients.
      return {"NotAuthorizedException", 401};
    case ErrorKind::kTooManyRequests:
      return {"TooManyRequestsException", 429};
    case ErrorKind::kUnavailable:
      return {"SlowDownException", 503};
    case ErrorKind::kCommitStateUnknown:
      return {"CommitStateUnknownException", 500};
    case ErrorKind::kInternal:
      return {"InternalServerError", 500};
  }
  return {"InternalServerError", 500};
}

bool Commits(const Operation* operation) {
  return operation != nullptr && (operation->traits & kCommits) != 0;
}

}  // namespace

HttpReply MakeErrorReply(int status, std::string_view type, std::string_view message) {
  nlohmann::json body = {{"error", {{"message", message}, {"type", type}, {"code", status}}}};
  HttpReply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  // A message may quote a target that is not UTF-8.
  reply.text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  reply.error = std::string(type) + ": " + std::string(message);
  return reply;
}

HttpReply MakeErrorReply(const Error& error, const Operation* operation) {
  WireError wire = ToWire(error.kind);
  std::string_view message = error.message;
  if (error.kind == ErrorKind::kInternal) {
    // Surely nothing was changed, which 500 would not say to the client of a commit.
    if (Commits(operation)) wire = ToWire(ErrorKind::kUnavailable);
    message = kInternalMessage;
  }
  HttpReply reply = MakeErrorReply(wire.status, wire.type, message);
  reply.error = std::string(wire.type) + ": " + error.message;
  if (wire.status == 429) reply.headers.emplace_back("Retry-After", "10");
  // Without it clients repeat no POST.
  if (wire.status == 503) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

HttpReply MakeMethodReply(const std::string& request, const std::string& allow) {
  HttpReply reply = MakeErrorReply(405, "MethodNotAllowedException",
                                   "Method not allowed: " + request + "; expected one of " + allow);
  reply.headers.emplace_back("Allow", allow);
  return reply;
}

}  // namespace berglite::rest
