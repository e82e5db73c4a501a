#include "berglite/principals.h"

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berglite/catalog.h"
#include "lib/auth/failure_limit.h"
#include "lib/auth/secret_cache.h"
#include "lib/auth/token.h"
#include "tests/support/fake_environment.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

auto Is(const std::string& name, Access access) {
  return AllOf(Field(&Principal::name, name), Field(&Principal::access, access));
}
auto IsWrongSecret() { return IsError(ErrorKind::kNotAuthorized, HasSubstr("id or secret")); }

class PrincipalsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Principals> Open(const std::string& static_token = {}) {
    return *Principals::Open(directory_ / "lake.db", {.static_token = static_token,
                                                      .environment = &environment_,
                                                      .steady_ms = [this] { return steady_ms_; }});
  }
  void Wait(int64_t ms) { environment_.SetNowMs(environment_.NowMs() + ms); }

  TempDir directory_;
  FakeEnvironment environment_;
  int64_t steady_ms_ = 0;
};

TEST_F(PrincipalsTest, AreAddedListedAndRemoved) {
  auto principals = Open();
  EXPECT_THAT(principals->List(), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(principals->Add("spark", Access::kWrite),
              IsOkAndHolds(MatchesRegex("spark\\.[A-Za-z0-9_-]{43}")));
  EXPECT_THAT(principals->Add("bi-reader", Access::kRead), IsOk());
  EXPECT_THAT(principals->List(), IsOkAndHolds(ElementsAre(
                                      Is("bi-reader", Access::kRead),
                                      AllOf(Is("spark", Access::kWrite),
                                            Field(&Principal::created_ms, environment_.NowMs())))));
  EXPECT_THAT(principals->Remove("bi-reader"), IsOk());
  EXPECT_THAT(principals->List(), IsOkAndHolds(ElementsAre(Is("spark", Access::kWrite))));
}

TEST_F(PrincipalsTest, HaveNamesOfTheirOwn) {
  auto principals = Open();
  EXPECT_THAT(principals->Add("a", Access::kRead), IsOk());
  EXPECT_THAT(principals->Add("a", Access::kWrite),
              IsError(ErrorKind::kAlreadyExists, HasSubstr("a")));
  EXPECT_THAT(principals->List(), IsOkAndHolds(ElementsAre(Is("a", Access::kRead))));
  EXPECT_THAT(principals->Add("A", Access::kWrite), IsOk());
  EXPECT_THAT(principals->Add(std::string(128, 'x'), Access::kWrite), IsOk());
  for (const std::string& name : {std::string(), std::string("a:b"), std::string("a b"),
                                  std::string("\xc3\xa4"), std::string(129, 'x')}) {
    EXPECT_THAT(principals->Add(name, Access::kWrite),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("expected 1 to 128")))
        << name;
  }
}

TEST_F(PrincipalsTest, ThatAreNotThereCannotBeChanged) {
  auto principals = Open();
  const std::string message = "Principal does not exist: nobody";
  EXPECT_THAT(principals->Remove("nobody"), IsError(ErrorKind::kNotFound, message));
  EXPECT_THAT(principals->Rotate("nobody"), IsError(ErrorKind::kNotFound, message));
}

TEST_F(PrincipalsTest, ShowTheirSecretsAndNobodyElses) {
  auto principals = Open();
  const std::string secret = *principals->Add("team.spark", Access::kRead);
  const std::string other = *principals->Add("other", Access::kWrite);
  EXPECT_THAT(principals->CheckSecret("team.spark", secret),
              IsOkAndHolds(Is("team.spark", Access::kRead)));
  EXPECT_THAT(principals->CheckSecret("", secret), IsOkAndHolds(Is("team.spark", Access::kRead)));
  EXPECT_THAT(principals->CheckSecret("team.spark", other), IsWrongSecret());
  EXPECT_THAT(principals->CheckSecret("other", secret), IsWrongSecret());
  EXPECT_THAT(principals->CheckSecret("nobody", secret), IsWrongSecret());
  EXPECT_THAT(principals->CheckSecret("", "nobody.x"), IsWrongSecret());
  for (const std::string& bad : {std::string(), std::string("."), std::string("x"),
                                 "team.spark." + std::string(2000, 'x')}) {
    EXPECT_THAT(principals->CheckSecret("", bad), IsWrongSecret()) << bad;
  }
}

TEST_F(PrincipalsTest, LeaveNoSecretInTheFile) {
  auto principals = Open();
  const std::string secret = *principals->Add("spark", Access::kWrite);
  EXPECT_THAT(principals->CheckSecret("", secret), IsOk());
  principals.reset();
  std::ifstream file(directory_ / "lake.db", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(bytes, HasSubstr("scrypt$14$8$1$"));
  EXPECT_THAT(bytes, Not(HasSubstr(secret.substr(6))));
}

TEST_F(PrincipalsTest, LoseTheOldSecretAndItsTokensWhenTheyGetANewOne) {
  auto principals = Open();
  const std::string old_secret = *principals->Add("spark", Access::kWrite);
  const std::string old_token = principals->NewToken(*principals->CheckSecret("", old_secret));
  const std::string secret = *principals->Rotate("spark");
  EXPECT_NE(secret, old_secret);
  EXPECT_THAT(principals->CheckSecret("", old_secret), IsWrongSecret());
  EXPECT_THAT(principals->CheckToken(old_token),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("withdrawn")));
  const Principal spark = *principals->CheckSecret("", secret);
  EXPECT_THAT(principals->CheckToken(principals->NewToken(spark)),
              IsOkAndHolds(Is("spark", Access::kWrite)));
}

// Also where another process removes it, and where the name is taken again.
TEST_F(PrincipalsTest, LoseSecretAndTokensWhenTheyAreRemoved) {
  auto principals = Open();
  const std::string secret = *principals->Add("spark", Access::kWrite);
  const std::string token = principals->NewToken(*principals->CheckSecret("", secret));
  EXPECT_THAT(principals->CheckToken(token), IsOk());
  EXPECT_THAT(Open()->Remove("spark"), IsOk());
  EXPECT_THAT(principals->CheckToken(token),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("withdrawn")));
  EXPECT_THAT(principals->CheckSecret("spark", secret), IsWrongSecret());
  EXPECT_THAT(principals->Add("spark", Access::kWrite), IsOk());
  EXPECT_THAT(principals->CheckToken(token),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("withdrawn")));
  EXPECT_THAT(principals->CheckSecret("spark", secret), IsWrongSecret());
}

TEST_F(PrincipalsTest, HaveTokensThatExpire) {
  auto principals = Open();
  const Principal spark = *principals->CheckSecret("", *principals->Add("spark", Access::kWrite));
  const std::string token = principals->NewToken(spark);
  Wait(3'600'000 - 1);
  EXPECT_THAT(principals->CheckToken(token), IsOk());
  Wait(1);
  EXPECT_THAT(principals->CheckToken(token),
              IsError(ErrorKind::kTokenExpired, "The token has expired"));
  EXPECT_THAT(principals->Remove("spark"), IsOk());
  EXPECT_THAT(principals->CheckToken(token),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("withdrawn")));
}

TEST_F(PrincipalsTest, HaveTokensThatDoNotLiveLongerWhereTheClockIsSetBack) {
  auto principals = Open();
  const Principal spark = *principals->CheckSecret("", *principals->Add("spark", Access::kWrite));
  const std::string token = principals->NewToken(spark);
  Wait(-3 * 3'600'000);
  steady_ms_ += 3'600'000 - 1;
  EXPECT_THAT(principals->CheckToken(token), IsOk());
  const std::string later = principals->NewToken(spark);
  steady_ms_ += 1;
  EXPECT_THAT(principals->CheckToken(token),
              IsError(ErrorKind::kTokenExpired, "The token has expired"));
  EXPECT_THAT(principals->CheckToken(later), IsOk());
}

TEST_F(PrincipalsTest, HaveTokensThatEndWhereAServerStartsLongBeforeTheyWereIssued) {
  auto principals = Open();
  const Principal spark = *principals->CheckSecret("", *principals->Add("spark", Access::kWrite));
  const std::string token = principals->NewToken(spark);
  principals.reset();
  Wait(-60'000);
  EXPECT_THAT(Open()->CheckToken(token), IsOk());
  Wait(-1);
  EXPECT_THAT(Open()->CheckToken(token),
              IsError(ErrorKind::kTokenExpired, "The token has expired"));
}

TEST_F(PrincipalsTest, HaveTokensThatOutliveARestartAndServeAllServersOnTheFile) {
  auto first = Open();
  auto second = Open();
  const std::string token =
      first->NewToken(*first->CheckSecret("", *first->Add("spark", Access::kWrite)));
  EXPECT_THAT(second->CheckToken(token), IsOk());
  first.reset();
  second.reset();
  EXPECT_THAT(Open()->CheckToken(token), IsOkAndHolds(Is("spark", Access::kWrite)));
}

TEST_F(PrincipalsTest, RefuseTokensOfAnotherFile) {
  auto principals = Open();
  EXPECT_THAT(principals->Add("spark", Access::kWrite), IsOk());
  const Principal spark = principals->List()->front();
  const std::string foreign = auth::SignToken({.name = "spark",
                                               .generation = spark.generation,
                                               .issued_ms = environment_.NowMs(),
                                               .expires_ms = environment_.NowMs() + 1000},
                                              "another key");
  for (const std::string& token :
       {foreign, std::string(), std::string("None"), std::string("berglite")}) {
    EXPECT_THAT(principals->CheckToken(token),
                IsError(ErrorKind::kNotAuthorized, HasSubstr("not one of this catalog")));
  }
}

TEST_F(PrincipalsTest, StandBesideAStaticToken) {
  auto principals = Open("ci-token");
  EXPECT_THAT(principals->CheckToken("ci-token"), IsOkAndHolds(Is("", Access::kWrite)));
  EXPECT_EQ(principals->NewToken(*principals->CheckToken("ci-token")), "ci-token");
  EXPECT_THAT(principals->CheckToken("ci-tokem"),
              IsError(ErrorKind::kNotAuthorized, HasSubstr("")));
  EXPECT_THAT(Open()->CheckToken(""), IsError(ErrorKind::kNotAuthorized, HasSubstr("")));
  for (const char* bad : {"two words", "new\nline", "=", "a=b", "\xc3\xa4"}) {
    EXPECT_THAT(Principals::Open(":memory:", {.static_token = bad}),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("Authorization header")))
        << bad;
  }
}

TEST_F(PrincipalsTest, AreProtectedFromGuessing) {
  auto principals = Open();
  const std::string secret = *principals->Add("spark", Access::kWrite);
  const std::string other = *principals->Add("other", Access::kWrite);
  for (int i = 0; i < auth::FailureLimit::kFailuresPerNameMax; ++i) {
    EXPECT_THAT(principals->CheckSecret("spark", "guess"), IsWrongSecret());
  }
  const auto is_too_many = IsError(ErrorKind::kTooManyRequests, HasSubstr("try again"));
  EXPECT_THAT(principals->CheckSecret("spark", "guess"), is_too_many);
  EXPECT_THAT(principals->CheckSecret("spark", secret), is_too_many);
  EXPECT_THAT(principals->CheckSecret("", other), IsOk());
  Wait(auth::FailureLimit::kWindowMs);
  EXPECT_THAT(principals->CheckSecret("spark", secret), IsOk());
}

// Only what is hashed is counted as a guess.
TEST_F(PrincipalsTest, HashNoSecretOfMoreThan1024Bytes) {
  auto principals = Open();
  ASSERT_THAT(principals->Add("spark", Access::kWrite), IsOk());
  for (int i = 0; i < 2 * auth::FailureLimit::kFailuresPerNameMax; ++i) {
    EXPECT_THAT(principals->CheckSecret("spark", std::string(1025, 's')), IsWrongSecret());
  }
  for (int i = 0; i < auth::FailureLimit::kFailuresPerNameMax; ++i) {
    EXPECT_THAT(principals->CheckSecret("spark", std::string(1024, 's')), IsWrongSecret());
  }
  EXPECT_THAT(principals->CheckSecret("spark", std::string(1024, 's')),
              IsError(ErrorKind::kTooManyRequests, HasSubstr("try again")));
}

TEST_F(PrincipalsTest, WhoAreKnownAreNotShutOutByGuessing) {
  auto principals = Open();
  const std::string secret = *principals->Add("spark", Access::kWrite);
  EXPECT_THAT(principals->CheckSecret("spark", secret), IsOk());
  for (int i = 0; i < auth::FailureLimit::kFailuresPerNameMax; ++i) {
    EXPECT_THAT(principals->CheckSecret("spark", "guess"), IsWrongSecret());
  }
  EXPECT_THAT(principals->CheckSecret("spark", secret), IsOk());
  static_assert(auth::SecretCache::kKeptMs > auth::FailureLimit::kWindowMs);
}

TEST_F(PrincipalsTest, AreCheckedFromManyThreads) {
  auto principals = Open();
  const std::string secret = *principals->Add("spark", Access::kWrite);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Result<Principal> spark = principals->CheckSecret("spark", secret);
      ASSERT_THAT(spark, IsOk());
      EXPECT_THAT(principals->CheckToken(principals->NewToken(*spark)), IsOk());
      EXPECT_THAT(principals->CheckSecret("spark", "guess"), IsWrongSecret());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(PrincipalsTest, ShareAFileWithItsCatalogsAndAreNoneOfThem) {
  auto one = Catalog::Open(directory_ / "lake.db", {.name = "one"});
  auto two = Catalog::Open(directory_ / "lake.db", {.name = "two"});
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  for (auto* catalog : {&one, &two}) {
    ASSERT_THAT((**catalog)->CreateNamespace(*Document::Parse(R"({"namespace":["a"]})")), IsOk());
  }
  EXPECT_THAT(Open()->Add("spark", Access::kWrite), IsOk());
  EXPECT_THAT(Catalog::Open(directory_ / "lake.db"),
              IsError(ErrorKind::kNoSuchWarehouse, HasSubstr("one, two")));
}

TEST(Principals, LiveInMemoryAsLongAsTheirObject) {
  auto principals = *Principals::Open(":memory:");
  const std::string secret = *principals->Add("spark", Access::kWrite);
  EXPECT_THAT(principals->CheckSecret("", secret), IsOk());
  EXPECT_THAT((*Principals::Open(":memory:"))->List(), IsOkAndHolds(IsEmpty()));
}

}  // namespace
}  // namespace berglite
