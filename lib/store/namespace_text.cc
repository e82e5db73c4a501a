#include "lib/store/namespace_text.h"

#include "lib/base/json.h"

namespace berglite::store {
namespace {

// Greater than every text in UTF-8.
constexpr std::string_view kPastAllTexts = "\xFF";

std::string Join(const Namespace& name_space) {
  std::string text;
  for (const std::string& level : name_space) {
    if (!text.empty() || &level != &name_space.front()) text += '.';
    text += level;
  }
  return text;
}

// `[` and the quoted levels, with a comma after each.
std::string EncodedPrefix(const Namespace& name_space) {
  std::string text(kEncodedMarker);
  text += '[';
  for (const std::string& level : name_space) text += QuoteAsGo(level) + ',';
  return text;
}

void AppendEscape(std::string& out, unsigned code_point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(code_point >> shift) & 0xF];
}

// The letter of the two-character escape that Go uses for `c`; 0 where it has none.
char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

}  // namespace

std::string QuoteAsGo(std::string_view text) {
  constexpr std::string_view kLineSeparators = "\xE2\x80";  // U+2028 and U+2029 begin so
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (char letter = ShortEscape(c); letter != 0) {
      quoted += '\\';
      quoted += letter;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      AppendEscape(quoted, static_cast<unsigned char>(c));
    } else if (text.substr(i, 2) == kLineSeparators && i + 2 < text.size() &&
               (text[i + 2] == '\xA8' || text[i + 2] == '\xA9')) {
      AppendEscape(quoted, text[i + 2] == '\xA8' ? 0x2028 : 0x2029);
      i += 2;
    } else {
      quoted += c;
    }
  }
  quoted += '"';
  return quoted;
}

std::string NamespaceToText(const Namespace& name_space) {
  if (IsPlain(name_space)) return Join(name_space);
  std::string text = EncodedPrefix(name_space);
  text.back() = ']';
  return text;
}

std::optional<Namespace> NamespaceFromText(std::string_view text) {
  if (text.starts_with(kEncodedMarker)) {
    Json levels = Json::parse(text.substr(kEncodedMarker.size()), nullptr, false);
    Result<Namespace> name_space = AsStrings(levels, "namespace");
    if (!name_space || name_space->empty()) return std::nullopt;
    return *std::move(name_space);
  }
  Namespace name_space;
  size_t begin = 0;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', begin)) {
    name_space.emplace_back(text.substr(begin, dot - begin));
    begin = dot + 1;
  }
  name_space.emplace_back(text.substr(begin));
  return name_space;
}

bool IsPlain(const Namespace& name_space) {
  for (const std::string& level : name_space) {
    if (level.find('.') != std::string::npos) return false;
  }
  // Without dots in levels the marker, which has none, can only begin in the first.
  return name_space.empty() || !name_space.front().starts_with(kEncodedMarker);
}

TextRange PlainDescendants(const Namespace& name_space) {
  // An empty text names no namespace; some catalogs keep tables under it.
  if (name_space.empty()) return {After(""), std::string(kPastAllTexts)};
  std::string prefix = Join(name_space) + '.';
  return {prefix, AfterPrefix(prefix)};
}

TextRange EncodedDescendants(const Namespace& name_space) {
  std::string prefix = EncodedPrefix(name_space);
  return {prefix, AfterPrefix(prefix)};
}

std::string After(std::string_view text) { return std::string(text) + '\0'; }

std::string AfterPrefix(std::string prefix) {
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

}  // namespace berglite::store
