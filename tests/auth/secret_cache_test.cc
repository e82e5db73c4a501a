#include "lib/auth/secret_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::auth {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(SecretCache, KnowsTheSecretAndTheNameTogether) {
  SecretCache cache("key");
  cache.Put("a", "s", "g1", 1000);
  EXPECT_THAT(cache.Find("a", "s", 1000), Optional(Eq("g1")));
  EXPECT_EQ(cache.Find("a", "t", 1000), std::nullopt);
  EXPECT_EQ(cache.Find("b", "s", 1000), std::nullopt);
}

TEST(SecretCache, ForgetsAfterAMinuteAndWhereTheClockIsSetBack) {
  SecretCache cache("key");
  cache.Put("a", "s", "g1", 1000);
  EXPECT_THAT(cache.Find("a", "s", 1000 + SecretCache::kKeptMs - 1), Optional(Eq("g1")));
  EXPECT_EQ(cache.Find("a", "s", 1000 + SecretCache::kKeptMs), std::nullopt);
  EXPECT_EQ(cache.Find("a", "s", 999), std::nullopt);
}

TEST(SecretCache, TakesANewGeneration) {
  SecretCache cache("key");
  cache.Put("a", "s", "g1", 1000);
  cache.Put("a", "s", "g2", 2000);
  EXPECT_THAT(cache.Find("a", "s", 2000), Optional(Eq("g2")));
}

TEST(SecretCache, IsBounded) {
  SecretCache cache("key");
  for (size_t i = 0; i < SecretCache::kEntriesMax; ++i) cache.Put(std::to_string(i), "s", "g", 0);
  EXPECT_THAT(cache.Find("0", "s", 0), Optional(Eq("g")));
  cache.Put("one more", "s", "g", 0);
  EXPECT_THAT(cache.Find("one more", "s", 0), Optional(Eq("g")));
  EXPECT_EQ(cache.Find("0", "s", 0), std::nullopt);
}

TEST(SecretCache, ForgetsOldSecretsFirst) {
  SecretCache cache("key");
  for (size_t i = 1; i < SecretCache::kEntriesMax; ++i) cache.Put(std::to_string(i), "s", "g", 0);
  cache.Put("young", "s", "g", SecretCache::kKeptMs);
  cache.Put("one more", "s", "g", SecretCache::kKeptMs);
  EXPECT_THAT(cache.Find("young", "s", SecretCache::kKeptMs), Optional(Eq("g")));
}

}  // namespace
}  // namespace berglite::auth
