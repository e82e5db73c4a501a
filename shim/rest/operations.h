// The operations of the Iceberg REST specification: the one table from which the router, the
// `endpoints` of getConfig, 405 with its Allow header and the names in logs all derive. It is
// compared with the specification in tests/spec.
#pragma once

#include <array>
#include <string_view>

#include "berglite/result.h"
#include "shim/rest/http.h"

namespace berglite::rest {

struct Call;
using Handler = Result<HttpReply> (*)(const Call& call);

// Bits of Operation::traits.
enum OperationTraits : unsigned {
  kPlain = 0,
  // Clients may send an Idempotency-Key: where the specification says so, and for createView, which
  // it passes over and Java's client does not.
  kTakesKey = 1,
  // Moves the pointer of an existing table or view: to its clients 500 means that the outcome is
  // unknown, and nothing else.
  kCommits = 2,
  // Changes nothing of the catalog, whatever its method.
  kReads = 4,
  // Answers also to those who have not said who they are.
  kOpen = 8,
};

struct Operation {
  std::string_view id;
  std::string_view method;
  // As in the specification, with `{prefix}` where it has one.
  std::string_view path;
  int success_status;
  unsigned traits;
  // Null where the operation is not served: it is not advertised and answers 406.
  Handler handler;
};

// Whether it is for those alone who may write.
bool Writes(const Operation& operation);

inline constexpr size_t kOperationCount = 35;
const std::array<Operation, kOperationCount>& Operations();

}  // namespace berglite::rest
