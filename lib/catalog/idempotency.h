// Idempotency: a request that is sent again is not carried out again.
//
// A client that lost the answer to a change sends the request again under the same Idempotency-Key.
// So what became of it is kept in the catalog file: a success in the very transaction that makes
// the change, so that neither is there without the other whatever happens to the process; a final
// error in a small transaction of its own, since there is no change. A request under a key that has
// a record is answered from that. There is no state "begun": of two requests that run at the same
// time in one process the second waits for the first, and of two processes the one whose
// transaction comes second finds the record, undoes its change and answers from the record too.
//
// Final are the errors that the client has caused (4xx of the REST protocol). Others, above all
// those that say "try again", are never kept, so that trying again does what was asked for.
//
// A key belongs to one request: operation, target and body. Under another request it is refused.
//
// Threads: Idempotency may be used from any thread at the same time, a Mutation from one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berglite/catalog.h"
#include "berglite/document.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/catalog/key_locks.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// A request to change something, as it came in, and what tells it from others. Borrows its parts.
struct Request {
  const MutationOptions& options;
  std::string_view operation;             // the specification's operationId
  const Namespace* name_space = nullptr;  // the target, where it is not in the body
  const std::string* name = nullptr;
  const Document* body = nullptr;
};

// 32 hexadecimal digits, the same in every version. White space and the order of members do not
// count: a client may have written the body anew. Guards against mistakes, not against malice: who
// finds two requests with one fingerprint fools only himself.
std::string FingerprintOf(const Request& request);

// The part of a running request that changes the catalog.
class Mutation {
 public:
  // For a request without a key.
  explicit Mutation(store::Store& store) : store_(store) {}

  // What is kept of a success, and given back to make the answer of when the request comes again.
  // Called before Write, or by its body.
  void SetAnswer(std::string answer) { answer_ = std::move(answer); }

  // As Store::Write, and in the same transaction the record of the success. Called once to success.
  // Where it turns out that another process has carried out the same request, nothing is changed
  // and an error returned, which Idempotency::Run then replaces.
  Status Write(const std::function<Status(store::Writer&)>& body,
               const std::function<Result<bool>(store::Reader&)>& landed);

 private:
  friend class Idempotency;

  // Of a request with a key.
  struct Key {
    Environment& environment;
    std::string text;
    std::string fingerprint;
    // What the key already stood for.
    std::optional<store::KeyRecord> earlier = {};
    bool is_recorded = false;
  };

  Status Look(store::Reader& reader);
  Status Insert(store::Writer& writer, const store::KeyRecord& record);
  Result<bool> IsThere(store::Reader& reader, const store::KeyRecord& record) const;
  // Keeps the outcome, where it is final and Write has not kept it.
  Status Settle(const Error* error);
  // The kept outcome.
  Result<std::string> EarlierAnswer() const;

  store::Store& store_;
  std::string answer_;
  std::optional<Key> key_;
};

class Idempotency {
 public:
  // Borrows both.
  Idempotency(store::Store& store, Environment& environment)
      : store_(store), environment_(environment) {}

  // Returns what `execute` returns, which is a Result or Status, or, where the key of `request` has
  // a record, the error of that or what `replay` makes of its answer. Errors of its own:
  // kInvalidArgument for a key that is no UUID, kUnprocessable for one that stands for another
  // request, kUnavailable where nothing was changed and a final outcome could not be recorded.
  template <typename Replay, typename Execute>
  auto Run(const Request& request, const Replay& replay, const Execute& execute)
      -> decltype(execute(std::declval<Mutation&>())) {
    Mutation mutation(store_);
    if (!request.options.idempotency_key) return execute(mutation);
    BERGLITE_ASSIGN_OR_RETURN(KeyLocks::Guard guard, Begin(request, mutation));
    if (!mutation.key_->earlier) {
      auto result = execute(mutation);
      BERGLITE_RETURN_IF_ERROR(mutation.Settle(result ? nullptr : &result.error()));
      if (!mutation.key_->earlier) return result;
    }
    BERGLITE_ASSIGN_OR_RETURN(std::string answer, mutation.EarlierAnswer());
    return replay(std::move(answer));
  }

 private:
  // Waits until no other request has the key, and looks up what it stands for.
  Result<KeyLocks::Guard> Begin(const Request& request, Mutation& mutation);

  store::Store& store_;
  Environment& environment_;
  KeyLocks locks_;
};

// How an operation is answered again whose answer is empty, or a text that was kept.
inline Status ReplayNothing(const std::string&) { return {}; }
Result<Document> ReplayText(std::string answer);

}  // namespace berglite::catalog
