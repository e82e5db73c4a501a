#include "lib/auth/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/auth/crypto.h"
#include "tests/support/matchers.h"

namespace berglite::auth {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kKey = "0123456789abcdef0123456789abcdef";

TokenClaims SomeClaims() {
  return {.name = "spark", .generation = "g1", .issued_ms = 5'000, .expires_ms = 3'605'000};
}

// A token of these parts with a right signature.
std::string Sign(std::string_view header, std::string_view payload) {
  std::string content = ToBase64Url(header) + "." + ToBase64Url(payload);
  return content + "." + ToBase64Url(HmacSha256(kKey, content));
}

auto IsRefused() {
  return IsError(ErrorKind::kNotAuthorized, HasSubstr("not one of this catalog"));
}

TEST(Token, GoesThereAndBack) {
  EXPECT_THAT(ReadToken(SignToken(SomeClaims(), kKey), kKey), IsOkAndHolds(SomeClaims()));
}

TEST(Token, IsAJsonWebToken) {
  const std::string token = SignToken(SomeClaims(), kKey);
  EXPECT_THAT(token, StartsWith(ToBase64Url(R"({"alg":"HS256","typ":"JWT"})") + "."));
  EXPECT_EQ(token, Sign(R"({"alg":"HS256","typ":"JWT"})",
                        R"({"exp":3605,"gen":"g1","iat":5,"iss":"berglite","sub":"spark"})"));
}

TEST(Token, OfAnotherKeyIsRefused) {
  EXPECT_THAT(ReadToken(SignToken(SomeClaims(), "another key"), kKey), IsRefused());
}

TEST(Token, IsRefusedWhateverCharacterIsChanged) {
  const std::string token = SignToken(SomeClaims(), kKey);
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(ReadToken(changed, kKey), IsRefused()) << i;
  }
}

TEST(Token, IsRefusedWhereItIsCutOrLonger) {
  const std::string token = SignToken(SomeClaims(), kKey);
  for (size_t length = 0; length < token.size(); ++length) {
    EXPECT_THAT(ReadToken(token.substr(0, length), kKey), IsRefused()) << length;
  }
  for (const char* more : {"A", "=", ".", ".A", " "}) {
    EXPECT_THAT(ReadToken(token + more, kKey), IsRefused()) << more;
  }
}

// The well-known attack: a header that asks for no signature, or for another algorithm.
TEST(Token, IsRefusedWithAnyOtherHeader) {
  const std::string payload = R"({"exp":3605,"gen":"g1","iat":5,"iss":"berglite","sub":"spark"})";
  const std::string unsigned_content =
      ToBase64Url(R"({"alg":"none","typ":"JWT"})") + "." + ToBase64Url(payload) + ".";
  EXPECT_THAT(ReadToken(unsigned_content, kKey), IsRefused());
  for (const char* header : {R"({"alg":"none","typ":"JWT"})", R"({"alg":"HS512","typ":"JWT"})",
                             R"({"typ":"JWT","alg":"HS256"})", "{}", ""}) {
    EXPECT_THAT(ReadToken(Sign(header, payload), kKey), IsRefused()) << header;
  }
}

TEST(Token, IsRefusedWithoutItsClaims) {
  const char* header = R"({"alg":"HS256","typ":"JWT"})";
  for (const char* payload : {"", "x", "[]", "{}", R"({"exp":1.5,"gen":"g","iat":5,"sub":"s"})",
                              R"({"exp":1,"gen":"g","iat":5})", R"({"exp":1,"iat":5,"sub":"s"})",
                              R"({"exp":"1","gen":"g","iat":5,"sub":"s"})"}) {
    EXPECT_THAT(ReadToken(Sign(header, payload), kKey), IsRefused()) << payload;
  }
}

}  // namespace
}  // namespace berglite::auth
