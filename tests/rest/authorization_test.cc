#include "shim/rest/authorization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::rest {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(Base64, IsDecoded) {
  EXPECT_THAT(DecodeBase64(""), Optional(Eq("")));
  EXPECT_THAT(DecodeBase64("Zg=="), Optional(Eq("f")));
  EXPECT_THAT(DecodeBase64("Zm8="), Optional(Eq("fo")));
  EXPECT_THAT(DecodeBase64("Zm9vYmFy"), Optional(Eq("foobar")));
  EXPECT_THAT(DecodeBase64("+/8="), Optional(Eq("\xfb\xff")));
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "=Zg=", "Zm9v\n", "-_8=", "Zm 9"}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(Authorization, IsReadByItsScheme) {
  const HttpRequest bearer{"GET", "/", {{"AUTHORIZATION", " BEARER abc "}}, {}};
  EXPECT_THAT(FindBearerToken(bearer), Optional(Eq("abc")));
  EXPECT_EQ(*FindBasicCredentials(bearer), std::nullopt);
  const HttpRequest basic{"GET", "/", {{"Authorization", "basic YTpiOmM="}}, {}};
  EXPECT_EQ(FindBearerToken(basic), std::nullopt);
  auto credentials = *FindBasicCredentials(basic);
  ASSERT_TRUE(credentials.has_value());
  EXPECT_EQ(credentials->id, "a");
  EXPECT_EQ(credentials->secret, "b:c");
}

}  // namespace
}  // namespace berglite::rest
