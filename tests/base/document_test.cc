#include "berglite/document.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "tests/support/matchers.h"

namespace berglite {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Document, KeepsTheBytesItWasParsedFrom) {
  std::string text = "{ \"b\" : 1.10,\n \"a\":[ ] }";
  auto document = Document::Parse(text);
  ASSERT_THAT(document, IsOk());
  EXPECT_EQ(document->text(), text);
}

TEST(Document, IsAnEmptyObjectByDefault) { EXPECT_EQ(Document().text(), "{}"); }

TEST(Document, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{]", "nul", "{\"a\":}", "[1,]", "{} {}", "\"\xff\"", "NaN"}) {
    EXPECT_THAT(Document::Parse(text),
                IsError(ErrorKind::kMalformedRequest, StartsWith("Cannot parse JSON: ")))
        << text;
  }
}

TEST(Document, TakesNestingUpToTheLimit) {
  EXPECT_THAT(Document::Parse(Nested(limits::kJsonDepthMax)), IsOk());
  EXPECT_THAT(Document::Parse(Nested(limits::kJsonDepthMax + 1)),
              IsError(ErrorKind::kMalformedRequest, HasSubstr("129 levels deep")));
}

TEST(Document, DoesNotCountBracketsInStrings) {
  std::string text = "[\"" + std::string(1000, '[') + "\\\"[\"]";
  EXPECT_THAT(Document::Parse(text), IsOk());
}

TEST(Document, TakesTextUpToTheSizeLimit) {
  EXPECT_THAT(Document::Parse("[12]", 4), IsOk());
  EXPECT_THAT(Document::Parse("[123]", 4),
              IsError(ErrorKind::kMalformedRequest, HasSubstr("5 bytes")));
}

TEST(Document, IsReadByPointer) {
  auto document = Document::Parse(R"({"a":{"b/c":["x",7]},"n":null})");
  ASSERT_THAT(document, IsOk());
  EXPECT_THAT(document->GetString("/a/b~1c/0"), IsOkAndHolds(std::string("x")));
  EXPECT_THAT(document->GetInt64("/a/b~1c/1"), IsOkAndHolds(7));
  EXPECT_THAT(document->GetSize("/a/b~1c"), IsOkAndHolds(2u));
  EXPECT_TRUE(document->Contains("/n"));
  EXPECT_FALSE(document->Contains("/z"));
  EXPECT_THAT(document->GetString("/z"), IsError(ErrorKind::kInvalidArgument, HasSubstr("/z")));
  EXPECT_THAT(document->GetInt64("/a"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("found an object")));
  EXPECT_THAT(document->GetSize("/n"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("found null")));
  EXPECT_THAT(document->GetSize("a"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("JSON pointer")));
}

TEST(Document, GivesItsDomAwayOnlyWhereNobodyElseHasIt) {
  Document document = DocumentAccess::FromTrustedText(R"({"a":[1]})");
  Document copy = document;
  EXPECT_EQ(DocumentAccess::TakeDom(std::move(document)), (Json{{"a", {1}}}));
  EXPECT_THAT(copy.GetInt64("/a/0"), IsOkAndHolds(1));

  const Json* array = &DocumentAccess::Dom(copy).at("a");
  const int64_t* element = &array->at(0).get_ref<const int64_t&>();
  const Json taken = DocumentAccess::TakeDom(std::move(copy));
  EXPECT_EQ(&taken.at("a").at(0).get_ref<const int64_t&>(), element);
}

TEST(Document, IsAssignedToItselfAndOthers) {
  Document document = DocumentAccess::FromTrustedText("[1]");
  Document other;
  other = document;
  document = *&document;
  EXPECT_EQ(document.text(), "[1]");
  other = Document();
  EXPECT_EQ(other.text(), "{}");
  EXPECT_EQ(document.text(), "[1]");
}

TEST(Document, OfTrustedTextIsParsedWhenAskedFor) {
  Document document = DocumentAccess::FromTrustedText(R"({"a":1})");
  EXPECT_THAT(document.GetInt64("/a"), IsOkAndHolds(1));
}

}  // namespace
}  // namespace berglite
