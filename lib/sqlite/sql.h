// Sql: the text of a statement, which is always a literal of the program.
#pragma once

#include <cstddef>
#include <string_view>

namespace berglite::sqlite {

// Only a string literal (or a static constexpr array) converts to it. A text made at run time does
// not compile, so data can reach a statement through its parameters alone.
class Sql {
 public:
  template <size_t kSize>
  consteval Sql(const char (&text)[kSize]) : text_(text, kSize - 1) {}  // NOLINT

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace berglite::sqlite
