#include "shim/cli/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <system_error>

namespace berglite::cli {
namespace {

struct Character {
  uint32_t code_point = 0;
  size_t bytes = 0;  // 0: what begins here is not UTF-8
};

Character FirstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  size_t bytes = 0;
  uint32_t lowest = 0;
  if (first >= 0xC0 && first < 0xE0) {
    bytes = 2, lowest = 0x80;
  } else if (first >= 0xE0 && first < 0xF0) {
    bytes = 3, lowest = 0x800;
  } else if (first >= 0xF0 && first < 0xF5) {
    bytes = 4, lowest = 0x10000;
  }
  if (bytes == 0 || text.size() < bytes) return {};
  uint32_t code_point = first & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3FU);
  }
  const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
  if (code_point < lowest || code_point > 0x10FFFF || is_surrogate) return {};
  return {code_point, bytes};
}

struct Range {
  uint32_t first;
  uint32_t last;
};

template <size_t kSize>
bool IsIn(const std::array<Range, kSize>& ranges, uint32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

// Controls of terminals, and what reorders or hides text.
constexpr std::array kUnsafe = {
    Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0x61C, 0x61C},
    Range{0x200B, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F},
    Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F},
};

// Of the East Asian scripts and the pictures, whose characters take two columns.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD},
};

// That stand on the character before.
constexpr std::array kCombining = {
    Range{0x300, 0x36F}, Range{0x483, 0x489},   Range{0x591, 0x5BD},   Range{0x610, 0x61A},
    Range{0x64B, 0x65F}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};

struct AgeUnit {
  char letter;
  int64_t seconds;
};
constexpr std::array kAgeUnits = {AgeUnit{'d', 86'400}, AgeUnit{'h', 3600}, AgeUnit{'m', 60},
                                  AgeUnit{'s', 1}};

void AppendHex(std::string& out, const char* head, uint32_t value, int digits) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), "%s%0*X", head, digits, value);
  out += text.data();
}

// As JSON has it: those above U+FFFF as a pair.
void AppendEscape(std::string& out, uint32_t code_point) {
  if (code_point == '\n') {
    out += "\\n";
  } else if (code_point == '\r') {
    out += "\\r";
  } else if (code_point == '\t') {
    out += "\\t";
  } else if (code_point > 0xFFFF) {
    AppendHex(out, "\\u", 0xD800 + ((code_point - 0x10000) >> 10), 4);
    AppendHex(out, "\\u", 0xDC00 + ((code_point - 0x10000) & 0x3FF), 4);
  } else {
    AppendHex(out, "\\u", code_point, 4);
  }
}

}  // namespace

std::string EscapeControls(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    if (character.bytes == 0) {
      AppendHex(escaped, "\\x", static_cast<uint8_t>(text.front()), 2);
    } else if (IsIn(kUnsafe, character.code_point)) {
      AppendEscape(escaped, character.code_point);
    } else {
      escaped += text.substr(0, character.bytes);
    }
    text.remove_prefix(std::max<size_t>(character.bytes, 1));
  }
  return escaped;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    if (!IsIn(kCombining, character.code_point)) {
      width += IsIn(kWide, character.code_point) ? 2 : 1;
    }
    text.remove_prefix(std::max<size_t>(character.bytes, 1));
  }
  return width;
}

std::string FormatTime(int64_t ms) {
  int64_t fraction_ms = ms % 1000;
  if (fraction_ms < 0) fraction_ms += 1000;
  const std::time_t seconds = (ms - fraction_ms) / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);  // has room for the year of any int64_t of milliseconds
  std::array<char, 64> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  return text.data() + std::to_string(1000 + fraction_ms).substr(1) + "Z";
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f %s", value, kUnits[unit]);
  return text.data();
}

std::string FormatAge(int64_t ms) {
  const int64_t seconds = std::max<int64_t>(ms / 1000, 0);
  for (const AgeUnit& unit : kAgeUnits) {
    if (seconds >= unit.seconds) return std::to_string(seconds / unit.seconds) + unit.letter;
  }
  return "0s";
}

Result<std::chrono::seconds> ParseAge(std::string_view text) {
  constexpr int64_t kNumberMax = 1'000'000;
  int64_t number = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  const auto* const unit = std::find_if(
      kAgeUnits.begin(), kAgeUnits.end(),
      [rest = rest, end](const AgeUnit& each) { return end - rest == 1 && *rest == each.letter; });
  const bool is_age = failure == std::errc() && unit != kAgeUnits.end() && number >= 0;
  if (is_age && number <= kNumberMax) return std::chrono::seconds(number * unit->seconds);
  return Error{ErrorKind::kInvalidArgument,
               "Expected an age such as 3d, 36h, 90m or 10s; found '" + std::string(text) + "'"};
}

bool IsUri(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void TextTable::Add(std::vector<std::string> row) {
  widths_.resize(std::max(widths_.size(), row.size()));
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = EscapeControls(row[i]);
    widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
  }
  rows_.push_back(std::move(row));
}

void TextTable::Print(std::ostream& out, std::string_view indent) const {
  for (const std::vector<std::string>& row : rows_) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths_[i] - DisplayWidth(row[i]) + 2, ' ');
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace berglite::cli
