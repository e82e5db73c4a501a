#include "lib/base/json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GetInt64, TakesIntegersOfTheWholeRangeAndNothingElse) {
  Json json = Json::parse(R"({"min":-9223372036854775808,"max":9223372036854775807,
      "past":9223372036854775808,"half":1.9,"whole":1.0,"text":"1","yes":true})");
  EXPECT_THAT(GetInt64(json, "min"), IsOkAndHolds(std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(GetInt64(json, "max"), IsOkAndHolds(std::numeric_limits<int64_t>::max()));
  for (const char* key : {"past", "half", "whole", "text", "yes"}) {
    EXPECT_THAT(GetInt64(json, key), IsError(ErrorKind::kInvalidArgument, HasSubstr(key)));
  }
}

TEST(GetInt32, RefusesWhatDoesNotFit) {
  Json json = Json::parse(R"({"max":2147483647,"past":2147483648,"below":-2147483649})");
  EXPECT_THAT(GetInt32(json, "max"), IsOkAndHolds(2147483647));
  EXPECT_THAT(GetInt32(json, "past"), IsError(ErrorKind::kInvalidArgument, HasSubstr("32-bit")));
  EXPECT_THAT(GetInt32(json, "below"), IsError(ErrorKind::kInvalidArgument, HasSubstr("32-bit")));
}

TEST(GetString, NamesTheFieldThatIsMissing) {
  Json json = Json::parse(R"({"none":null})");
  EXPECT_THAT(GetString(json, "name"),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: name"));
  EXPECT_THAT(GetString(json, "none"),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: none"));
}

TEST(FindString, IsAbsentForNullAndAnErrorForAnotherType) {
  Json json = Json::parse(R"({"none":null,"text":"x","number":1})");
  EXPECT_THAT(FindString(json, "none"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(FindString(json, "absent"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(FindString(json, "text"), IsOkAndHolds(std::optional<std::string>("x")));
  EXPECT_THAT(FindString(json, "number"),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse number: expected a string, found a number (1)"));
}

TEST(AsStrings, ReadsAnArrayOfStrings) {
  EXPECT_THAT(AsStrings(Json::parse(R"(["a","b"])"), "x"), IsOkAndHolds(ElementsAre("a", "b")));
  EXPECT_THAT(AsStrings(Json::parse(R"(["a",1])"), "x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("x")));
  EXPECT_THAT(AsStrings(Json::parse("{}"), "x"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("an array")));
}

TEST(CheckStringMap, NamesTheMemberThatIsNoString) {
  EXPECT_THAT(CheckStringMap(Json::parse(R"({"a":"b"})"), "properties"), IsOk());
  EXPECT_THAT(CheckStringMap(Json::parse(R"({"a":null})"), "properties"),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse properties.a: expected a string, found null"));
}

TEST(ToJsonText, IsWhatTheLibraryWrites) {
  std::string all_ascii;
  for (int c = 0; c < 128; ++c) all_ascii += static_cast<char>(c);
  for (const Json& value :
       {Json(), Json(true), Json(false), Json(0), Json(-1), Json(1.5), Json(1e300), Json(0.1),
        Json(std::numeric_limits<int64_t>::min()), Json(std::numeric_limits<int64_t>::max()),
        Json(std::numeric_limits<uint64_t>::max()), Json(""), Json(all_ascii),
        Json("\u00e9\u4e2d\U0001f600"), Json(std::numeric_limits<double>::infinity()),
        Json::array(), Json::object(), Json::array({Json::array(), Json::object(), nullptr}),
        Json{{"", 1}, {all_ascii, {{"b", {1, 2, {{"c", "d"}}}}}}, {"\u00e9", "e"}}}) {
    EXPECT_EQ(ToJsonText(value), value.dump());
  }
}

TEST(ToJsonText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(ToJsonText(Json{{"name",
                             "a\xFF"
                             "b"}}),
            "{\"name\":\"a\xEF\xBF\xBD"
            "b\"}");
  EXPECT_EQ(DocumentAccess::FromDom(Json("\xFF")).text(), "\"\xEF\xBF\xBD\"");
  std::string text;
  AppendJsonString(text, "\xFF");
  EXPECT_EQ(text, "\"\xEF\xBF\xBD\"");
}

TEST(AppendJsonString, EscapesWhatJsonDemands) {
  std::string out = "x:";
  AppendJsonString(out, "a\"\\\n\x1f\u00e9");
  EXPECT_EQ(out, "x:\"a\\\"\\\\\\n\\u001f\u00e9\"");
}

}  // namespace
}  // namespace berglite
