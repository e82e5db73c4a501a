#include "lib/auth/secret_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_environment.h"

namespace berglite::auth {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(SecretHash, MatchesItsSecretAlone) {
  testing::FakeEnvironment environment;
  std::string hash = HashSecret("spark.abc", environment);
  EXPECT_THAT(hash, MatchesRegex("scrypt\\$14\\$8\\$1\\$[A-Za-z0-9_-]{43}\\$[A-Za-z0-9_-]{43}"));
  EXPECT_THAT(hash, Not(HasSubstr("abc")));
  EXPECT_TRUE(MatchesSecret(hash, "spark.abc"));
  EXPECT_FALSE(MatchesSecret(hash, "spark.abd"));
  EXPECT_FALSE(MatchesSecret(hash, ""));
}

TEST(SecretHash, IsAnotherForTheSameSecret) {
  testing::FakeEnvironment environment;
  EXPECT_NE(HashSecret("s", environment), HashSecret("s", environment));
}

// What an older berglite may have written with another cost: RFC 7914, 12, with N = 1024.
TEST(SecretHash, IsReadWithTheCostThatItNames) {
  const std::string hash = "scrypt$10$8$16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWI";
  EXPECT_TRUE(MatchesSecret(hash, "password"));
  EXPECT_FALSE(MatchesSecret(hash, "Password"));
}

TEST(SecretHash, OfAnotherFormMatchesNothing) {
  testing::FakeEnvironment environment;
  const std::string good = HashSecret("s", environment);
  const std::string body = good.substr(good.find('$'));
  for (const std::string& stored :
       {std::string(), std::string("s"), "argon2" + body, good + "$", good.substr(0, 40),
        std::string("scrypt$14$8$1$c2FsdA$"), std::string("scrypt$x$8$1$c2FsdA$c2FsdA"),
        std::string("scrypt$99$8$1$c2FsdA$c2FsdA"), std::string("scrypt$14$8$1$!$c2FsdA")}) {
    EXPECT_FALSE(MatchesSecret(stored, "s")) << stored;
  }
}

TEST(SecretHash, OfNothingMatchesNothing) {
  EXPECT_FALSE(MatchesSecret(HashOfNothing(), ""));
  EXPECT_FALSE(MatchesSecret(HashOfNothing(), "s"));
}

}  // namespace
}  // namespace berglite::auth
