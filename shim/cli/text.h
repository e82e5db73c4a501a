// Text for people at a terminal.
//
// Threads: functions without state; a TextTable is used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <berglite/result.h>

namespace berglite::cli {

// `text` as it may go to a terminal: a character that would move the cursor, change the terminal or
// the order of what is shown stands as \uXXXX (line breaks and tabs as \n, \r and \t), and a byte
// that is not UTF-8 as \xXX.
std::string EscapeControls(std::string_view text);

// How many columns of a terminal an escaped text takes.
size_t DisplayWidth(std::string_view text);

// As 2026-05-01T12:00:00.123Z.
std::string FormatTime(int64_t ms);

// As `3.2 MiB`.
std::string FormatBytes(int64_t bytes);

// As `3d` or `5h`: the largest unit that it has one of, rounded down. Negative ones are `0s`.
std::string FormatAge(int64_t ms);
// A number and `d`, `h`, `m` or `s`. Errors: kInvalidArgument, in one line.
Result<std::chrono::seconds> ParseAge(std::string_view text);

// Whether `text` names a REST catalog and not a file.
bool IsUri(std::string_view text);

// As `1 table` and `2 tables`.
std::string Counted(int64_t count, const std::string& what);

// Rows whose cells begin in the same columns. Cells are escaped.
class TextTable {
 public:
  TextTable() = default;
  explicit TextTable(std::vector<std::string> header) { Add(std::move(header)); }

  void Add(std::vector<std::string> row);
  // Writes the rows, each behind `indent`.
  void Print(std::ostream& out, std::string_view indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
};

}  // namespace berglite::cli
