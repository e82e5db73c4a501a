// The functions against the vectors of the documents that define them.
#include "lib/auth/crypto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_environment.h"

namespace berglite::auth {
namespace {

using ::testing::Eq;
using ::testing::Optional;

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

TEST(HmacSha256, IsThatOfRfc4231) {
  EXPECT_EQ(ToHex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(ToHex(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

// The first 32 of the 64 bytes of RFC 7914, 12.
TEST(Scrypt, IsThatOfRfc7914) {
  std::optional<std::string> hash = Scrypt("password", "NaCl", {.log2_n = 10, .r = 8, .p = 16});
  ASSERT_TRUE(hash.has_value());
  EXPECT_EQ(ToHex(*hash), "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162");
}

TEST(Scrypt, RefusesACostOutOfBounds) {
  for (const ScryptCost& cost : {ScryptCost{0, 8, 1}, ScryptCost{14, 0, 1}, ScryptCost{14, 8, 0},
                                 ScryptCost{-1, 8, 1}, ScryptCost{30, 8, 1}}) {
    EXPECT_EQ(Scrypt("secret", "salt", cost), std::nullopt) << cost.log2_n;
  }
}

TEST(Base64Url, GoesThereAndBack) {
  EXPECT_EQ(ToBase64Url("\xfb\xff\xfe"), "-__-");
  for (std::string bytes : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
    EXPECT_THAT(FromBase64Url(ToBase64Url(bytes)), Optional(Eq(bytes)));
  }
  EXPECT_EQ(ToBase64Url("foob"), "Zm9vYg");
}

TEST(Base64Url, RefusesOtherText) {
  for (const char* text : {"Zg==", "Z+8", "Z/8", "Z g", "Zm9vY", " Zm9", "\n"}) {
    EXPECT_EQ(FromBase64Url(text), std::nullopt) << text;
  }
}

TEST(EqualInConstantTime, ComparesWholeTexts) {
  EXPECT_TRUE(EqualInConstantTime("", ""));
  EXPECT_TRUE(EqualInConstantTime("abc", "abc"));
  EXPECT_FALSE(EqualInConstantTime("abc", "abd"));
  EXPECT_FALSE(EqualInConstantTime("abc", "ab"));
  EXPECT_FALSE(EqualInConstantTime("", "a"));
}

TEST(RandomKey, Has256BitsAndIsAnotherEachTime) {
  testing::FakeEnvironment environment;
  std::string first = RandomKey(environment);
  EXPECT_EQ(first.size(), 32);
  EXPECT_NE(first.substr(0, 16), first.substr(16));
  EXPECT_NE(first, RandomKey(environment));
}

}  // namespace
}  // namespace berglite::auth
