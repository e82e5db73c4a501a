#include "shim/cli/text.h"

#include <sstream>

#include <gtest/gtest.h>

namespace berglite::cli {
namespace {

TEST(EscapeControls, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(EscapeControls("a\x1B[31m\n\r\t\x7F"), "a\\u001B[31m\\n\\r\\t\\u007F");
  EXPECT_EQ(EscapeControls("\xC2\x9B"
                           "2J"),
            "\\u009B2J");
  EXPECT_EQ(EscapeControls("\xE2\x80\xAE \xF3\xA0\x80\x81"), "\\u202E \\uDB40\\uDC01");
}

TEST(EscapeControls, KeepsText) {
  const std::string text = "a \xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80 \\ \"";
  EXPECT_EQ(EscapeControls(text), text);
}

TEST(EscapeControls, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(EscapeControls("a\xFF\xC3"), "a\\xFF\\xC3");
  EXPECT_EQ(EscapeControls("\xC0\x80"), "\\xC0\\x80");           // longer than it need be
  EXPECT_EQ(EscapeControls("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // a surrogate
  EXPECT_EQ(EscapeControls("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(EscapeControls("\xE2\x80"), "\\xE2\\x80");
}

TEST(TextTable, AlignsByWhatIsSeen) {
  TextTable table({"NAME", "X"});
  table.Add({"\xE6\xBC\xA2", "1"});         // two columns wide
  table.Add({"e\xCC\x81t\xC3\xA9s", "2"});  // four
  table.Add({"\n", ""});
  std::ostringstream out;
  table.Print(out, "  ");
  EXPECT_EQ(out.str(), "  NAME  X\n  \xE6\xBC\xA2    1\n  e\xCC\x81t\xC3\xA9s  2\n  \\n\n");
}

TEST(FormatTime, KnowsTimesOfAllAges) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatTime(1'700'000'000'123), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(FormatTime(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(FormatTime(INT64_MAX), "292278994-08-17T07:12:55.807Z");
}

TEST(FormatBytes, ChoosesTheUnit) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(INT64_MAX), "8.0 EiB");
}

}  // namespace
}  // namespace berglite::cli
