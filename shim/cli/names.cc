#include "shim/cli/names.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

Error BadName(std::string_view text, const std::string& expected) {
  return Error{ErrorKind::kInvalidArgument,
               "Expected " + expected + "; found '" + EscapeControls(text) + "'"};
}

// How long the JSON string is that `text` begins with; nullopt where it does not end.
std::optional<size_t> QuotedSize(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::nullopt;
}

// Takes the first level off `rest`, which is a part of `whole`.
Result<std::string> TakeLevel(std::string_view& rest, std::string_view whole) {
  std::string level;
  if (rest.starts_with('"')) {
    const std::optional<size_t> size = QuotedSize(rest);
    if (!size) return BadName(whole, "a quote at the end of a quoted level");
    const auto parsed = nlohmann::json::parse(rest.substr(0, *size), nullptr, false);
    if (!parsed.is_string()) return BadName(whole, "a JSON string in the quotes of a level");
    level = parsed.get<std::string>();
    rest.remove_prefix(*size);
  } else {
    const size_t size = std::min(rest.find('.'), rest.size());
    level = rest.substr(0, size);
    if (level.find('"') != std::string::npos) {
      return BadName(whole, R"(quotes around a whole level, such as "a.b".orders)");
    }
    rest.remove_prefix(size);
  }
  if (level.empty()) return BadName(whole, "levels with dots between them, none of them empty");
  return level;
}

bool NeedsQuotes(const std::string& level) {
  constexpr std::string_view kMarks = ".\"\\ ";
  return level.empty() || level.find_first_of(kMarks) != std::string::npos ||
         EscapeControls(level) != level;
}

std::string Quote(const std::string& level) {
  std::string text = "\"";
  for (const char c : level) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return EscapeControls(text) + '"';
}

}  // namespace

Result<Namespace> ParseName(std::string_view text) {
  Namespace levels;
  std::string_view rest = text;
  while (true) {
    BERGLITE_ASSIGN_OR_RETURN(std::string level, TakeLevel(rest, text));
    levels.push_back(std::move(level));
    if (rest.empty()) return levels;
    if (rest.front() != '.') return BadName(text, "a dot after a quoted level");
    rest.remove_prefix(1);
  }
}

Result<TableIdentifier> ParseTableName(std::string_view text) {
  BERGLITE_ASSIGN_OR_RETURN(Namespace levels, ParseName(text));
  if (levels.size() < 2) return BadName(text, "a namespace and a name, such as sales.orders");
  TableIdentifier name{std::move(levels), {}};
  name.name = std::move(name.name_space.back());
  name.name_space.pop_back();
  return name;
}

std::string FormatName(const Namespace& levels) {
  std::string text;
  for (const std::string& level : levels) {
    if (&level != &levels.front()) text += '.';
    text += NeedsQuotes(level) ? Quote(level) : level;
  }
  return text;
}

std::string FormatName(const TableIdentifier& name) {
  Namespace levels = name.name_space;
  levels.push_back(name.name);
  return FormatName(levels);
}

}  // namespace berglite::cli
