#include "shim/rest/encoding.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/rest/limits.h"
#include "tests/support/matchers.h"

namespace berglite::rest {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointee;
using ::testing::SizeIs;

std::string Decode(std::string_view raw) { return PercentDecode(raw, PlusSign::kPlus); }

TEST(PercentDecode, DecodesEitherCase) { EXPECT_EQ(Decode("%2f%2F%c3%BC"), "//\xC3\xBC"); }

TEST(PercentDecode, DecodesOnce) { EXPECT_EQ(Decode("%252F"), "%2F"); }

TEST(PercentDecode, KeepsAPercentSignThatEscapesNothing) {
  EXPECT_EQ(Decode("100%"), "100%");
  EXPECT_EQ(Decode("100%2"), "100%2");
  EXPECT_EQ(Decode("%zz%u0041%-1"), "%zz%u0041%-1");
  EXPECT_EQ(Decode("%%41"), "%A");
}

TEST(PercentDecode, ReadsAPlusAsToldAndAnEncodedOneAsAPlus) {
  EXPECT_EQ(PercentDecode("a+b%2Bc", PlusSign::kPlus), "a+b+c");
  EXPECT_EQ(PercentDecode("a+b%2Bc", PlusSign::kSpace), "a b+c");
}

TEST(HoldsPercentEscape, NeedsTwoDigits) {
  EXPECT_TRUE(HoldsPercentEscape("a%20"));
  EXPECT_TRUE(HoldsPercentEscape("%%1f"));
  EXPECT_FALSE(HoldsPercentEscape("100%"));
  EXPECT_FALSE(HoldsPercentEscape("a%2"));
  EXPECT_FALSE(HoldsPercentEscape("a%g0"));
  EXPECT_FALSE(HoldsPercentEscape(""));
}

TEST(DecodeName, TakesAnyTextButNul) {
  EXPECT_THAT(DecodeName("%F0%9F%98%80%01%2F", PlusSign::kPlus),
              IsOkAndHolds("\xF0\x9F\x98\x80\x01/"));
  EXPECT_THAT(DecodeName("a%00", PlusSign::kPlus),
              IsError(ErrorKind::kMalformedRequest, "The request target holds a NUL character"));
}

TEST(DecodeName, RefusesWhatIsNotUtf8) {
  for (std::string_view raw :
       {"%80", "%C3", "%C0%80", "%C1%BF", "%E0%9F%80", "%ED%A0%80", "%F0%8F%80%80", "%F4%90%80%80",
        "%F5%80%80%80", "%FF", "%E2%82", "%F0%9F%98", "%C3%41", "a\xFF"}) {
    EXPECT_THAT(DecodeName(raw, PlusSign::kPlus),
                IsError(ErrorKind::kMalformedRequest, "The request target is not UTF-8"))
        << raw;
  }
}

TEST(DecodeName, TakesTheEdgesOfUtf8) {
  for (std::string_view raw : {"%7F", "%C2%80", "%DF%BF", "%E0%A0%80", "%ED%9F%BF", "%EE%80%80",
                               "%EF%BF%BF", "%F0%90%80%80", "%F4%8F%BF%BF"}) {
    EXPECT_THAT(DecodeName(raw, PlusSign::kPlus), IsOkAndHolds(Decode(raw))) << raw;
  }
}

TEST(DecodeName, IsLimited) {
  EXPECT_THAT(DecodeName(std::string(kNameBytesMax, 'a'), PlusSign::kPlus), IsOk());
  EXPECT_THAT(DecodeName(std::string(kNameBytesMax + 1, 'a'), PlusSign::kPlus),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("past the limit of 1024")));
  EXPECT_THAT(DecodeName("", PlusSign::kPlus),
              IsError(ErrorKind::kInvalidArgument, "Invalid name: it is empty"));
}

TEST(DecodeNamespace, SplitsAtEachFormOfTheSeparator) {
  for (std::string_view raw : {"a%1Fb", "a%1fb",
                               "a\x1F"
                               "b"}) {
    EXPECT_THAT(DecodeNamespace(raw, PlusSign::kPlus), IsOkAndHolds(ElementsAre("a", "b"))) << raw;
  }
}

TEST(DecodeNamespace, KeepsDotsSlashesAndPercentSignsInALevel) {
  EXPECT_THAT(DecodeNamespace("a.b%1Fc%2Fd%1F100%25", PlusSign::kPlus),
              IsOkAndHolds(ElementsAre("a.b", "c/d", "100%")));
}

TEST(DecodeNamespace, RefusesEmptyLevels) {
  for (std::string_view raw : {"", "%1F", "a%1F", "%1Fa", "a%1F%1Fb"}) {
    EXPECT_THAT(DecodeNamespace(raw, PlusSign::kPlus),
                IsError(ErrorKind::kInvalidArgument, "Invalid level of a namespace: it is empty"))
        << raw;
  }
}

TEST(DecodeNamespace, IsLimited) {
  std::string most = "a";
  for (size_t level = 1; level < kNamespaceLevelsMax; ++level) most += "%1Fa";
  EXPECT_THAT(DecodeNamespace(most, PlusSign::kPlus), IsOkAndHolds(SizeIs(kNamespaceLevelsMax)));
  EXPECT_THAT(DecodeNamespace(most + "%1Fa", PlusSign::kPlus),
              IsError(ErrorKind::kInvalidArgument,
                      "Invalid namespace: 33 levels are past the limit of 32"));
  EXPECT_THAT(DecodeNamespace("a%1F" + std::string(kNameBytesMax + 1, 'b'), PlusSign::kPlus),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("1025 bytes")));
}

TEST(Parameters, AreFormDecoded) {
  auto parameters = Parameters::Parse("a=x+y%2Bz&b+c=%C3%BC&d=1=2");
  ASSERT_THAT(parameters, IsOk());
  EXPECT_THAT(parameters->Find("a"), Pointee(std::string("x y+z")));
  EXPECT_THAT(parameters->Find("b c"), Pointee(std::string("\xC3\xBC")));
  EXPECT_THAT(parameters->Find("d"), Pointee(std::string("1=2")));
}

TEST(Parameters, TellEmptyFromAbsentAndTakeTheFirstOfMany) {
  auto parameters = Parameters::Parse("&pageToken=&&flag&a=1&a=2&");
  ASSERT_THAT(parameters, IsOk());
  EXPECT_THAT(parameters->Find("pageToken"), Pointee(std::string()));
  EXPECT_THAT(parameters->Find("flag"), Pointee(std::string()));
  EXPECT_THAT(parameters->Find("a"), Pointee(std::string("1")));
  EXPECT_EQ(parameters->Find("b"), nullptr);
  EXPECT_EQ(parameters->Find("PAGETOKEN"), nullptr);
}

TEST(Parameters, RefuseNulAndWhatIsNotUtf8) {
  EXPECT_THAT(Parameters::Parse("a=%00"),
              IsError(ErrorKind::kMalformedRequest, "The request target holds a NUL character"));
  EXPECT_THAT(Parameters::Parse("%FF=1"),
              IsError(ErrorKind::kMalformedRequest, "The request target is not UTF-8"));
}

TEST(PercentEncode, LeavesOnlyWhatIsUnreserved) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a b/\x1f\xC3\xA9%+"), "a%20b%2F%1F%C3%A9%25%2B");
}

}  // namespace
}  // namespace berglite::rest
