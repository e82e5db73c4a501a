#include "lib/store/namespace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::store {
namespace {

using ::testing::Optional;

TEST(NamespaceText, JoinsLevelsWithDots) {
  EXPECT_EQ(NamespaceToText({"a"}), "a");
  EXPECT_EQ(NamespaceToText({"a", "b c", "\xC3\xA9"}), "a.b c.\xC3\xA9");
  EXPECT_EQ(NamespaceToText({"%", "_", "'", "\""}), "%._.'.\"");
  EXPECT_EQ(NamespaceToText({"", "a"}), ".a");
}

TEST(NamespaceText, IsEncodedWhereALevelHasADot) {
  EXPECT_EQ(NamespaceToText({"a.b"}), R"(__iceberg_namespace_v1__:["a.b"])");
  EXPECT_EQ(NamespaceToText({"x", "a.b", "c"}), R"(__iceberg_namespace_v1__:["x","a.b","c"])");
}

TEST(NamespaceText, IsEncodedWhereItWouldBeginWithTheMarker) {
  EXPECT_EQ(NamespaceToText({"__iceberg_namespace_v1__:x"}),
            R"(__iceberg_namespace_v1__:["__iceberg_namespace_v1__:x"])");
  EXPECT_EQ(NamespaceToText({"__iceberg_namespace_v1__"}), "__iceberg_namespace_v1__");
}

// The right side is what json.Marshal of Go 1.26 prints.
TEST(NamespaceText, IsQuotedAsGoQuotes) {
  EXPECT_EQ(QuoteAsGo("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(QuoteAsGo("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(QuoteAsGo("\x01\x1f\x7f"), "\"\\u0001\\u001f\x7f\"");
  EXPECT_EQ(QuoteAsGo("<a>&'"), R"("\u003ca\u003e\u0026'")");
  EXPECT_EQ(QuoteAsGo("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xB0"), "\"\\u2028\\u2029\xE2\x80\xB0\"");
  EXPECT_EQ(QuoteAsGo("\xF0\x9F\x8E\x89"), "\"\xF0\x9F\x8E\x89\"");
}

TEST(NamespaceText, ReadsBackWhatItWrote) {
  const std::vector<Namespace> name_spaces = {
      {"a"},
      {"a", "b"},
      {"a.b"},
      {"a.b", "c"},
      {"x", "."},
      {"..", "\"\\"},
      {"<.>&\xE2\x80\xA8\x01"},
      {"__iceberg_namespace_v1__:[\"a\"]"},
      {"\xE6\x95\xB0.\xE6\x8D\xAE", "\xF0\x9F\x8E\x89"},
  };
  for (const Namespace& name_space : name_spaces) {
    EXPECT_THAT(NamespaceFromText(NamespaceToText(name_space)), Optional(name_space));
  }
}

TEST(NamespaceText, IsNoNamespaceWhereTheMarkerIsNotFollowedByAnArrayOfStrings) {
  for (const char* text : {"__iceberg_namespace_v1__:", "__iceberg_namespace_v1__:legacy",
                           "__iceberg_namespace_v1__:[1]", "__iceberg_namespace_v1__:[]",
                           "__iceberg_namespace_v1__:{}", "__iceberg_namespace_v1__:[\"a\""}) {
    EXPECT_EQ(NamespaceFromText(text), std::nullopt) << text;
  }
}

TEST(NamespaceText, RangesHoldDescendantsOnly) {
  auto holds = [](const TextRange& range, const Namespace& name_space) {
    std::string text = NamespaceToText(name_space);
    return range.begin <= text && text < range.end;
  };
  TextRange plain = PlainDescendants({"db"});
  EXPECT_TRUE(holds(plain, {"db", "x"}));
  EXPECT_TRUE(holds(plain, {"db", "\xF4\x8F\xBF\xBF", "y"}));
  EXPECT_FALSE(holds(plain, {"db"}));
  EXPECT_FALSE(holds(plain, {"db2"}));
  EXPECT_FALSE(holds(plain, {"db2", "x"}));
  EXPECT_FALSE(holds(plain, {"DB", "x"}));

  TextRange encoded = EncodedDescendants({"db"});
  EXPECT_TRUE(holds(encoded, {"db", "a.b"}));
  EXPECT_FALSE(holds(encoded, {"db.x"}));
  EXPECT_FALSE(holds(encoded, {"db2", "a.b"}));
  EXPECT_TRUE(holds(EncodedDescendants({"a.b"}), {"a.b", "c"}));
  EXPECT_FALSE(holds(EncodedDescendants({"a.b"}), {"a.b"}));
  EXPECT_TRUE(holds(EncodedDescendants({}), {"a.b"}));
}

}  // namespace
}  // namespace berglite::store
