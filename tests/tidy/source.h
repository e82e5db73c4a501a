// Source: a C++ file taken apart into code, string literals, comments and includes, so that a rule
// can look at just what it is about. A lexer, not a parser: it knows nothing of types.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berglite::tidy {

// A piece of a file and the line it begins on, counted from 1.
struct Piece {
  size_t line = 0;
  std::string text;
};

struct Source {
  std::string path;  // from the root of the project, with `/`
  std::string text;
  // The text with comments, the contents of literals and includes turned into spaces; as long as
  // the text, with the same line breaks.
  std::string code;
  std::vector<Piece> strings;   // contents of string literals as written, escapes included
  std::vector<Piece> comments;  // with `//` or `/*`
  std::vector<Piece> includes;  // with their quotes or angle brackets
};

Source ReadSource(std::string path, std::string text);

// The line of `offset` in `text`, counted from 1.
size_t LineAt(std::string_view text, size_t offset);

// The lines of `text` without their ends.
std::vector<std::string_view> LinesOf(std::string_view text);

// A function definition: where its signature begins and its body ends.
struct Function {
  size_t first_line = 0;
  size_t last_line = 0;
  std::string signature;
};

// The functions that are defined in classes, namespaces and on file level. What is nested in one
// counts as a part of it.
std::vector<Function> FunctionsOf(const Source& source);

}  // namespace berglite::tidy
