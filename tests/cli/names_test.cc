#include "shim/cli/names.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::cli {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;

TEST(ParseName, SplitsAtDots) {
  EXPECT_THAT(ParseName("sales"), IsOkAndHolds(Namespace{"sales"}));
  EXPECT_THAT(ParseName("sales.eu.orders"), IsOkAndHolds(Namespace{"sales", "eu", "orders"}));
  EXPECT_THAT(ParseName("a b.\\.#"), IsOkAndHolds(Namespace{"a b", "\\", "#"}));
}

TEST(ParseName, TakesQuotedLevelsAsJsonStrings) {
  EXPECT_THAT(ParseName(R"("a.b".t)"), IsOkAndHolds(Namespace{"a.b", "t"}));
  EXPECT_THAT(ParseName(R"(x."a.b")"), IsOkAndHolds(Namespace{"x", "a.b"}));
  EXPECT_THAT(ParseName(R"("q\"\\\u001b\n"."\ud83d\ude00")"),
              IsOkAndHolds(Namespace{"q\"\\\x1B\n", "\xF0\x9F\x98\x80"}));
}

TEST(ParseName, RefusesWhatIsNoName) {
  for (const char* text : {"", ".", "a.", ".a", "a..b", R"("")", R"(a."")"}) {
    EXPECT_THAT(ParseName(text), IsError(ErrorKind::kInvalidArgument, HasSubstr("none of them")))
        << text;
  }
  EXPECT_THAT(ParseName(R"("a)"), IsError(ErrorKind::kInvalidArgument, HasSubstr("a quote at")));
  EXPECT_THAT(ParseName(R"("a\")"), IsError(ErrorKind::kInvalidArgument, HasSubstr("a quote at")));
  EXPECT_THAT(ParseName(R"("a\x")"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("a JSON string")));
  EXPECT_THAT(ParseName(R"("a"b)"), IsError(ErrorKind::kInvalidArgument, HasSubstr("a dot after")));
  EXPECT_THAT(ParseName(R"(a"b")"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("a whole level")));
}

TEST(ParseTableName, WantsANamespace) {
  const Result<TableIdentifier> name = ParseTableName("a.b.t");
  ASSERT_THAT(name, IsOk());
  EXPECT_EQ(name->name_space, (Namespace{"a", "b"}));
  EXPECT_EQ(name->name, "t");
  EXPECT_THAT(ParseTableName("\x1B"),
              IsError(ErrorKind::kInvalidArgument,
                      "Expected a namespace and a name, such as sales.orders; found '\\u001B'"));
}

TEST(FormatName, IsReadByParseNameAgain) {
  for (const std::string level : {"sales", "a.b", "a b", "\"", "\\", "\n\t\x1B\x7F", "\xC3\xA9",
                                  "\xE2\x80\xAE", "\xC2\x9B", "\xF3\xA0\x80\x81", "x\\u0041"}) {
    const Namespace name = {"ns", level, "t"};
    const std::string text = FormatName(name);
    EXPECT_THAT(ParseName(text), IsOkAndHolds(name)) << text;
    EXPECT_EQ(text.find_first_of("\x1B\n\x7F"), std::string::npos);
  }
  EXPECT_EQ(FormatName(TableIdentifier{{"a.b", "c"}, "t"}), R"("a.b".c.t)");
  EXPECT_EQ(FormatName(Namespace{"\xC3\xA9"}), "\xC3\xA9");
}

}  // namespace
}  // namespace berglite::cli
