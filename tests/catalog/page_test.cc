#include "lib/catalog/page.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
#include "tests/support/matchers.h"

namespace berglite::catalog {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParsePage, AsksForEverythingWithoutAToken) {
  auto page = ParsePage({.page_token = std::nullopt, .page_size = 2});
  ASSERT_THAT(page, IsOk());
  EXPECT_EQ(page->fetch_size(), 0u);
}

TEST(ParsePage, CapsThePageSize) {
  EXPECT_EQ(ParsePage({.page_token = "", .page_size = 2})->fetch_size(), 3u);
  EXPECT_EQ(ParsePage({.page_token = ""})->size, 1000u);
  EXPECT_EQ(ParsePage({.page_token = "", .page_size = limits::kPageSizeMax + 1})->size, 1000u);
  EXPECT_EQ(ParsePage({.page_token = "", .page_size = INT64_MAX})->size, 1000u);
}

TEST(ParsePage, RefusesASizeBelowOne) {
  for (int64_t size : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    EXPECT_THAT(ParsePage({.page_token = "", .page_size = size}),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("expected a positive number")));
  }
}

TEST(ParsePage, RefusesTokensThatItNeverGave) {
  for (const char* token : {"zzz", "10", "?", "YmVyZ2xpdGU", "null"}) {
    EXPECT_THAT(ParsePage({.page_token = token}),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("page token")))
        << token;
  }
}

TEST(CutToPage, GivesATokenThatContinuesAfterTheLastName) {
  for (std::string last : {"b", "a/b c", "\u6570\u636e", "~", "bb"}) {
    PageRequest page{.after = std::nullopt, .size = 2};
    std::vector<std::string> names{"a", last, "z"};
    std::optional<std::string> token = CutToPage(page, names);
    EXPECT_THAT(names, ElementsAre("a", last));
    ASSERT_TRUE(token);
    auto next = ParsePage({.page_token = token, .page_size = 2});
    ASSERT_THAT(next, IsOk());
    EXPECT_EQ(next->after, last);
  }
}

TEST(CutToPage, GivesNoTokenOnTheLastPage) {
  PageRequest page{.after = std::nullopt, .size = 2};
  std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(CutToPage(page, names), std::nullopt);
  EXPECT_THAT(names, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace berglite::catalog
