#include "tests/tidy/source.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::string CodeOf(std::string text) { return ReadSource("lib/x.cc", std::move(text)).code; }

std::vector<std::string> TextsOf(const std::vector<Piece>& pieces) {
  std::vector<std::string> texts;
  for (const Piece& piece : pieces) texts.push_back(piece.text);
  return texts;
}

std::vector<std::string> StringsOf(std::string text) {
  return TextsOf(ReadSource("lib/x.cc", std::move(text)).strings);
}

TEST(Source, HasCodeWithoutCommentsAndLiterals) {
  EXPECT_EQ(CodeOf("a(\"b\"); // c\nd"), "a(\" \");     \nd");
  EXPECT_EQ(CodeOf("a /* b\n c */ d"), "a     \n      d");
  EXPECT_EQ(CodeOf("'a' '\\'' b"), "' ' '  ' b");
  EXPECT_EQ(CodeOf("\"// a\" b // \"c\""), "\"    \" b       ");
}

TEST(Source, TakesAQuoteInANumberAsASeparator) {
  EXPECT_EQ(CodeOf("10'000 + a 'b'"), "10'000 + a ' '");
}

TEST(Source, TakesRawStringsWhole) {
  EXPECT_THAT(StringsOf("R\"(a \"b\"\n// c)\" + R\"x(d)\" e)x\";"),
              ElementsAre("a \"b\"\n// c", "d)\" e"));
  EXPECT_EQ(CodeOf("R\"(a)\" b"), "R      b");
}

TEST(Source, KeepsEscapesOfStrings) {
  EXPECT_THAT(StringsOf("f(\"a\\\"b\", \"\", \"c\\\\\");"), ElementsAre("a\\\"b", "", "c\\\\"));
}

TEST(Source, ListsIncludesWithTheirLines) {
  const Source source =
      ReadSource("lib/x.cc", "#include \"lib/x.h\"\n\n#include <string> // why\n");
  EXPECT_THAT(TextsOf(source.includes), ElementsAre("\"lib/x.h\"", "<string>"));
  EXPECT_THAT(source.includes, ElementsAre(Field(&Piece::line, 1), Field(&Piece::line, 3)));
  EXPECT_THAT(source.strings, IsEmpty());
  EXPECT_THAT(TextsOf(source.comments), ElementsAre("// why"));
}

TEST(Source, EndsWhereTheFileDoes) {
  EXPECT_EQ(CodeOf("/* a"), "    ");
  EXPECT_EQ(CodeOf("\"a"), "\" ");
  EXPECT_EQ(CodeOf("R\"(a"), "R   ");
  EXPECT_EQ(CodeOf("#include <a"), "           ");
  EXPECT_EQ(CodeOf("'\\"), "' ");
}

// `name first-last` of each function.
std::vector<std::string> FunctionListOf(std::string text) {
  std::vector<std::string> list;
  for (const Function& function : FunctionsOf(ReadSource("lib/x.cc", std::move(text)))) {
    list.push_back(function.signature + " " + std::to_string(function.first_line) + "-" +
                   std::to_string(function.last_line));
  }
  return list;
}

TEST(FunctionsOf, FindsFunctionsInNamespacesAndClasses) {
  EXPECT_THAT(FunctionListOf("namespace a {\n"
                             "int F() {\n"
                             "  if (x) { y(); }\n"
                             "}\n"
                             "class C {\n"
                             " public:\n"
                             "  void G() const { z(); }\n"
                             "  int a_ = 0;\n"
                             "};\n"
                             "}\n"),
              ElementsAre("int F 2-4", "void G 7-7"));
}

TEST(FunctionsOf, CountsWhatIsNestedAsAPart) {
  EXPECT_THAT(FunctionListOf("void F() {\n  struct S {\n    void G() {}\n  };\n"
                             "  auto f = [] {\n  };\n}\n"),
              ElementsAre("void F 1-7"));
}

TEST(FunctionsOf, BeginsWithTheSignature) {
  EXPECT_THAT(FunctionListOf("template <typename T>\nint F(int a,\n      int b) {\n}\n"),
              ElementsAre("template <typename T> 1-4"));
  EXPECT_THAT(FunctionListOf("int a;\n\n// why\nint F() {\n}\n"), ElementsAre("int F 4-5"));
}

TEST(FunctionsOf, FindsConstructorsWithInitialisers) {
  EXPECT_THAT(FunctionListOf("C::C(int a) : a_(a), b_{1}, c_{2} {\n  d();\n}\nint x;\n"),
              ElementsAre("C::C 1-3"));
}

TEST(FunctionsOf, PassesOverValuesAndTypes) {
  EXPECT_THAT(FunctionListOf("enum class E { kA };\n"
                             "const int kA[] = {\n  1,\n};\n"
                             "const std::function<void()> kF = {};\n"
                             "template <class T> struct S {\n  int a = f({1});\n};\n"
                             "#define F(x) \\\n  do {      \\\n  } while (x)\n"
                             "extern \"C\" {\nint G();\n}\n"),
              IsEmpty());
}

TEST(FunctionsOf, FindsTests) {
  EXPECT_THAT(FunctionListOf("TEST(A, B) {\n  EXPECT_EQ(\"{\", '{');\n}\n"),
              ElementsAre("TEST 1-3"));
}

}  // namespace
}  // namespace berglite::tidy
