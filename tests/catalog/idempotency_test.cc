// Idempotency apart from the operations: which outcomes are kept, for what request, for how long,
// and what holds where the transaction that keeps them fails.
#include "lib/catalog/idempotency.h"

#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/catalog/fixture.h"
#include "tests/catalog/forwarding_store.h"

namespace berglite::catalog {
namespace {

using ::berglite::testing::Doc;
using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::ForwardingStore;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kKey = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";

// A store in memory whose next write may fail in the ways in which a COMMIT can.
class FailingStore final : public ForwardingStore {
 public:
  FailingStore() : ForwardingStore(*store::Store::Open(":memory:", {})) {}

  enum class Commit { kWorks, kLandsAfterAll, kIsLost, kCannotTell };
  Commit next = Commit::kWorks;
  // Run between the body and the question whether it landed.
  std::function<void(store::Store&)> meanwhile = {};
  int writes = 0;

  Status Write(const std::function<Status(store::Writer&)>& body,
               const std::function<Result<bool>(store::Reader&)>& landed) override {
    ++writes;
    Commit commit = std::exchange(next, Commit::kWorks);
    if (commit == Commit::kWorks) return inner_->Write(body, landed);
    BERGLITE_RETURN_IF_ERROR(RunBody(body, commit));
    if (meanwhile) meanwhile(*inner_);
    if (commit == Commit::kCannotTell) return Error{ErrorKind::kCommitStateUnknown, "cannot tell"};
    bool is_there = false;
    BERGLITE_RETURN_IF_ERROR(inner_->Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(is_there, landed(reader));
      return {};
    }));
    return is_there ? Status() : Error{ErrorKind::kUnavailable, "COMMIT failed"};
  }

 private:
  Status RunBody(const std::function<Status(store::Writer&)>& body, Commit commit) {
    auto unasked = [](store::Reader&) -> Result<bool> { return false; };
    if (commit == Commit::kLandsAfterAll) return inner_->Write(body, unasked);
    Status own;
    Status undone = inner_->Write(
        [&](store::Writer& writer) -> Status {
          own = body(writer);
          return Error{ErrorKind::kUnavailable, "undone"};
        },
        unasked);
    EXPECT_THAT(undone, IsError(ErrorKind::kUnavailable, "undone"));
    return own;
  }
};

class IdempotencyTest : public ::testing::Test {
 protected:
  // One request: it makes the namespace `made<n>` for its n-th run, and answers `n`.
  Result<std::string> Run(const Request& request) {
    return idempotency_.Run(
        request, [](std::string answer) -> Result<std::string> { return answer; },
        [&](Mutation& mutation) -> Result<std::string> {
          std::string answer = std::to_string(++runs_);
          mutation.SetAnswer(answer);
          BERGLITE_RETURN_IF_ERROR(mutation.Write(
              [&](store::Writer& writer) { return writer.InsertNamespace({"made" + answer}, {}); },
              [&](store::Reader& reader) { return reader.NamespaceExists({"made" + answer}); }));
          return answer;
        });
  }

  // One request that changes nothing and has this outcome.
  Status Have(const Request& request, const Status& outcome) {
    return idempotency_.Run(request, ReplayNothing, [&](Mutation&) {
      ++runs_;
      return outcome;
    });
  }

  std::vector<std::string> Made() {
    std::vector<std::string> names;
    EXPECT_THAT(store_.Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(names, reader.ListChildren({}, std::nullopt, 0));
      return {};
    }),
                IsOk());
    return names;
  }

  FailingStore store_;
  FakeEnvironment environment_;
  Idempotency idempotency_{store_, environment_};
  int runs_ = 0;
  const MutationOptions keyed_{.idempotency_key = kKey};
  const MutationOptions keyless_{};
  const Request request_{.options = keyed_, .operation = "test"};
};

TEST_F(IdempotencyTest, ARequestIsCarriedOutOncePerKey) {
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  const MutationOptions other{.idempotency_key = "017f22e2-79b0-7cc3-98c4-dc0c0c073990"};
  EXPECT_THAT(Run({.options = other, .operation = "test"}), IsOkAndHolds("2"));
  EXPECT_THAT(Made(), ::testing::ElementsAre("made1", "made2"));
}

TEST_F(IdempotencyTest, WithoutAKeyEachRequestIsCarriedOut) {
  const Request request{.options = keyless_, .operation = "test"};
  EXPECT_THAT(Run(request), IsOkAndHolds("1"));
  EXPECT_THAT(Run(request), IsOkAndHolds("2"));
}

TEST_F(IdempotencyTest, AKeyIsAUuidInEitherCase) {
  for (const char* bad :
       {"", "k", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e279b07cc398c4dc0c0c07398f", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0"}) {
    const MutationOptions options{.idempotency_key = bad};
    EXPECT_THAT(Run({.options = options, .operation = "test"}),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("Invalid Idempotency-Key")))
        << bad;
  }
  EXPECT_EQ(runs_, 0);
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  const MutationOptions upper{.idempotency_key = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"};
  EXPECT_THAT(Run({.options = upper, .operation = "test"}), IsOkAndHolds("1"));
}

TEST_F(IdempotencyTest, AnotherRequestUnderTheKeyIsRefused) {
  ASSERT_THAT(Run(request_), IsOk());
  EXPECT_THAT(Run({.options = keyed_, .operation = "other"}),
              IsError(ErrorKind::kUnprocessable,
                      "The Idempotency-Key 017f22e2-79b0-7cc3-98c4-dc0c0c07398f was used for "
                      "another request"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  EXPECT_EQ(runs_, 1);
}

TEST_F(IdempotencyTest, ErrorsThatTheClientCausedAreKept) {
  for (ErrorKind kind :
       {ErrorKind::kInvalidArgument, ErrorKind::kValidation, ErrorKind::kMalformedRequest,
        ErrorKind::kNoSuchNamespace, ErrorKind::kNoSuchTable, ErrorKind::kNoSuchView,
        ErrorKind::kNoSuchWarehouse, ErrorKind::kUnsupported, ErrorKind::kAlreadyExists,
        ErrorKind::kCommitFailed, ErrorKind::kNamespaceNotEmpty, ErrorKind::kUnprocessable}) {
    std::string key = kKey;
    key[0] = static_cast<char>('a' + static_cast<int>(kind) % 6);
    key[1] = static_cast<char>('0' + static_cast<int>(kind) / 6);
    const MutationOptions options{.idempotency_key = key};
    const Request request{.options = options, .operation = "test"};
    EXPECT_THAT(Have(request, Error{kind, "why"}), IsError(kind, "why"));
    EXPECT_THAT(Have(request, {}), IsError(kind, "why"));
  }
  EXPECT_EQ(runs_, 12);
}

TEST_F(IdempotencyTest, AfterOtherErrorsTheRequestIsCarriedOut) {
  for (ErrorKind kind : {ErrorKind::kUnavailable, ErrorKind::kCommitStateUnknown,
                         ErrorKind::kInternal, ErrorKind::kNotFound}) {
    EXPECT_THAT(Have(request_, Error{kind, "why"}), IsError(kind, "why"));
  }
  EXPECT_EQ(store_.writes, 0);
  EXPECT_THAT(Run(request_), IsOkAndHolds("5"));
}

TEST_F(IdempotencyTest, ASuccessThatChangesNothingIsKept) {
  EXPECT_THAT(Have(request_, {}), IsOk());
  EXPECT_THAT(Have(request_, Error{ErrorKind::kNoSuchTable, "gone"}), IsOk());
  EXPECT_EQ(runs_, 1);
}

TEST_F(IdempotencyTest, AKeyLastsAsLongAsClientsAreToldAndNotForEver) {
  const int64_t start_ms = environment_.NowMs();
  ASSERT_THAT(Run(request_), IsOkAndHolds("1"));
  const auto told_ms = std::chrono::milliseconds(kIdempotencyKeyLifetime).count();
  environment_.SetNowMs(start_ms + told_ms);
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  environment_.SetNowMs(start_ms + limits::kIdempotencyKeyKeptMs);
  EXPECT_THAT(Run(request_), IsOkAndHolds("2"));
  EXPECT_THAT(Run({.options = keyed_, .operation = "other"}),
              IsError(ErrorKind::kUnprocessable, HasSubstr("another request")));
}

TEST_F(IdempotencyTest, AnExpiredKeyIsFreeForAnotherRequest) {
  ASSERT_THAT(Run(request_), IsOkAndHolds("1"));
  environment_.SetNowMs(environment_.NowMs() + limits::kIdempotencyKeyKeptMs);
  EXPECT_THAT(Run({.options = keyed_, .operation = "other"}), IsOkAndHolds("2"));
}

TEST_F(IdempotencyTest, ACommitThatLandsAfterAllIsASuccess) {
  store_.next = FailingStore::Commit::kLandsAfterAll;
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("1"));
}

TEST_F(IdempotencyTest, ACommitThatIsLostIsCarriedOutByTheNextTry) {
  store_.next = FailingStore::Commit::kIsLost;
  EXPECT_THAT(Run(request_), IsError(ErrorKind::kUnavailable, "COMMIT failed"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("2"));
  EXPECT_THAT(Made(), ::testing::ElementsAre("made2"));
}

TEST_F(IdempotencyTest, AfterACommitOfUnknownOutcomeTheNextTryTells) {
  store_.next = FailingStore::Commit::kCannotTell;
  EXPECT_THAT(Run(request_), IsError(ErrorKind::kCommitStateUnknown, "cannot tell"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("2"));
}

// The change of the other process is there, and ours is not, though they are alike.
TEST_F(IdempotencyTest, TheRecordOfAnotherProcessDoesNotPassForOurs) {
  store_.next = FailingStore::Commit::kIsLost;
  store_.meanwhile = [&](store::Store& store) {
    Status other = store.Write(
        [&](store::Writer& writer) -> Status {
          store::KeyRecord record{FingerprintOf(request_), "success", "theirs"};
          BERGLITE_RETURN_IF_ERROR(writer.InsertKeyRecord(kKey, record, environment_.NowMs()));
          return {};
        },
        [](store::Reader&) -> Result<bool> { return false; });
    EXPECT_THAT(other, IsOk());
  };
  EXPECT_THAT(Run(request_), IsError(ErrorKind::kUnavailable, "COMMIT failed"));
  EXPECT_THAT(Run(request_), IsOkAndHolds("theirs"));
  EXPECT_EQ(runs_, 1);
}

// Nothing was changed, so the client may be told to try again.
TEST_F(IdempotencyTest, AnErrorThatCannotBeKeptIsNotGiven) {
  const Error error{ErrorKind::kNoSuchTable, "gone"};
  for (FailingStore::Commit commit :
       {FailingStore::Commit::kIsLost, FailingStore::Commit::kCannotTell}) {
    store_.next = commit;
    EXPECT_THAT(Have(request_, error), IsError(ErrorKind::kUnavailable, ::testing::_));
  }
  store_.next = FailingStore::Commit::kLandsAfterAll;
  EXPECT_THAT(Have(request_, error), IsError(ErrorKind::kNoSuchTable, "gone"));
  EXPECT_THAT(Have(request_, {}), IsError(ErrorKind::kNoSuchTable, "gone"));
}

TEST_F(IdempotencyTest, ARecordThatIsNotUnderstoodIsSaidToBeDamaged) {
  ASSERT_THAT(
      store_.Write(
          [&](store::Writer& writer) -> Status {
            store::KeyRecord record{FingerprintOf(request_), "later-kind", ""};
            BERGLITE_RETURN_IF_ERROR(writer.InsertKeyRecord(kKey, record, environment_.NowMs()));
            return {};
          },
          [](store::Reader&) -> Result<bool> { return false; }),
      IsOk());
  EXPECT_THAT(Run(request_), IsError(ErrorKind::kInternal, HasSubstr("later-kind")));
}

TEST(FingerprintOf, TellsRequestsApart) {
  const MutationOptions options{};
  const Namespace ab{"a", "b"};
  const Namespace a_b{"a.b"};
  const Namespace bad_utf8{"\xff"};
  const std::string name = "t";
  const Document body = Doc(R"({"x":1,"y":[2]})");
  const Document other = Doc(R"({"x":1,"y":[3]})");
  std::set<std::string> prints;
  for (const Request& request : {
           Request{.options = options, .operation = "dropTable"},
           Request{.options = options, .operation = "dropView"},
           Request{.options = options, .operation = "dropTable", .name_space = &ab},
           Request{.options = options, .operation = "dropTable", .name_space = &a_b},
           Request{.options = options, .operation = "dropTable", .name_space = &bad_utf8},
           Request{.options = options, .operation = "dropTable", .name = &name},
           Request{.options = options, .operation = "dropTable", .name_space = &ab, .name = &name},
           Request{.options = options, .operation = "dropTable", .body = &body},
           Request{.options = options, .operation = "dropTable", .body = &other},
       }) {
    prints.insert(FingerprintOf(request));
  }
  EXPECT_EQ(prints.size(), 9);
  EXPECT_THAT(*prints.begin(), MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(prints.begin()->size(), 32);
}

TEST(FingerprintOf, DoesNotSeeHowABodyIsWritten) {
  const MutationOptions options{};
  const Document body = Doc(R"({"x":1,"y":[2]})");
  const Document same = Doc(R"({ "y" : [ 2 ], "x" : 1 })");
  EXPECT_EQ(FingerprintOf({.options = options, .operation = "o", .body = &body}),
            FingerprintOf({.options = options, .operation = "o", .body = &same}));
}

// Files hold it, so it must not change.
TEST(FingerprintOf, IsTheSameInEveryVersion) {
  const MutationOptions options{};
  const Namespace name_space{"ns"};
  const Document body = Doc(R"({"name":"t"})");
  EXPECT_EQ(FingerprintOf({.options = options,
                           .operation = "createTable",
                           .name_space = &name_space,
                           .body = &body}),
            "9b025c1ba070303543a7fe69ffcdf0a3");
}

}  // namespace
}  // namespace berglite::catalog
