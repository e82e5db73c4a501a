#include "lib/catalog/names.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/support/matchers.h"

namespace berglite::catalog {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

TEST(CheckNamespace, TakesAnyTextThatCanBeAddressed) {
  for (const char* level :
       {"a", "a b", "a+b", "a/b", "a.b", "%41", "..", "\u6570\u636e", "\U0001f600", "'\""}) {
    EXPECT_THAT(CheckNamespace({level, "x"}), IsOk()) << level;
  }
}

TEST(CheckNamespace, RefusesWhatCannotBeAddressed) {
  EXPECT_THAT(CheckNamespace({}), IsError(ErrorKind::kInvalidArgument, HasSubstr("no levels")));
  EXPECT_THAT(CheckNamespace({"a", ""}), IsError(ErrorKind::kInvalidArgument, HasSubstr("empty")));
  EXPECT_THAT(CheckNamespace({std::string("a\0b", 3)}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("null-byte")));
  EXPECT_THAT(CheckNamespace({"a\x1f"
                              "b"}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("U+001F")));
  EXPECT_THAT(CheckNamespace({"a\xff"}), IsError(ErrorKind::kInvalidArgument, HasSubstr("UTF-8")));
}

TEST(CheckNamespace, HoldsTheLimits) {
  EXPECT_THAT(CheckNamespace(Namespace(limits::kNamespaceLevelsMax, "a")), IsOk());
  EXPECT_THAT(CheckNamespace(Namespace(limits::kNamespaceLevelsMax + 1, "a")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("33 levels")));
  EXPECT_THAT(CheckNamespace({std::string(limits::kNameBytesMax, 'a')}), IsOk());
  EXPECT_THAT(CheckNamespace({std::string(limits::kNameBytesMax + 1, 'a')}),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("1025 bytes")));
}

TEST(CheckTableIdentifier, ChecksTheNameToo) {
  EXPECT_THAT(CheckTableIdentifier({{"a"}, "t"}), IsOk());
  EXPECT_THAT(CheckTableIdentifier({{"a"}, ""}),
              IsError(ErrorKind::kInvalidArgument, "Invalid table name: it is empty"));
}

TEST(ToString, JoinsLevelsWithDots) {
  EXPECT_EQ(ToString(TableIdentifier{{"a", "b"}, "t"}), "a.b.t");
}

TEST(ParseTableIdentifier, ReadsTheSpecificationsForm) {
  auto table = ParseTableIdentifier(Json::parse(R"({"namespace":["a","b"],"name":"t"})"));
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(ToString(*table), "a.b.t");
  EXPECT_THAT(ParseTableIdentifier(Json::parse(R"({"namespace":"a","name":"t"})")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("expected an array")));
  EXPECT_THAT(ParseTableIdentifier(Json::parse(R"({"namespace":["a"]})")),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: name"));
}

TEST(PathSegment, KeepsPlainNames) {
  for (const char* name : {"t", "my_table-1.v2", "A"}) EXPECT_EQ(PathSegment(name), name);
}

// At the limit and one past it: then the name's beginning and a hash.
TEST(PathSegment, ShortensLongNames) {
  EXPECT_EQ(PathSegment(std::string(128, 'a')), std::string(128, 'a'));
  EXPECT_THAT(PathSegment(std::string(129, 'a')),
              ::testing::MatchesRegex(std::string(64, 'a') + "-[0-9a-f]{16}"));
}

TEST(PathSegment, IsSafeAndDifferentForDifferentNames) {
  std::set<std::string> segments;
  std::set<std::string> names{"..",
                              ".",
                              ".x",
                              "a/b",
                              "a_b",
                              "a b",
                              "a%20b",
                              "\u00fc",
                              "u",
                              std::string(300, 'a'),
                              std::string(301, 'a'),
                              "a#b",
                              "a?b",
                              "a+b"};
  for (const std::string& name : names) {
    std::string segment = PathSegment(name);
    EXPECT_LE(segment.size(), 128u);
    EXPECT_NE(segment.front(), '.');
    EXPECT_EQ(segment.find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"),
              std::string::npos)
        << segment;
    segments.insert(segment);
  }
  EXPECT_EQ(segments.size(), names.size());
}

}  // namespace
}  // namespace berglite::catalog
