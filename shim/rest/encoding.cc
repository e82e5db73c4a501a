#include "shim/rest/encoding.h"

#include <algorithm>
#include <cstdint>

#include "shim/rest/limits.h"

namespace berglite::rest {

namespace {

constexpr char kLevelSeparator = '\x1f';

// The value of a hexadecimal digit; -1 for any other character.
int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that the escape at `position` stands for; -1 where there is none.
int EscapedByte(std::string_view text, size_t position) {
  if (text[position] != '%' || text.size() - position < 3) return -1;
  int high = HexValue(text[position + 1]);
  int low = HexValue(text[position + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// The length of the UTF-8 sequence at the beginning of `text`, which is not empty; 0 where it is
// none (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t Utf8SequenceLength(std::string_view text) {
  auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  auto in = [](uint8_t value, int low, int high) { return value >= low && value <= high; };
  uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (in(lead, 0xC2, 0xDF)) return in(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (in(lead, 0xE0, 0xEF)) {
    int low = lead == 0xE0 ? 0xA0 : 0x80;
    int high = lead == 0xED ? 0x9F : 0xBF;
    return in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (in(lead, 0xF0, 0xF4)) {
    int low = lead == 0xF0 ? 0x90 : 0x80;
    int high = lead == 0xF4 ? 0x8F : 0xBF;
    bool good = in(byte(1), low, high) && in(byte(2), 0x80, 0xBF) && in(byte(3), 0x80, 0xBF);
    return good ? 4 : 0;
  }
  return 0;
}

Status CheckText(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == '\0') {
      return Error{ErrorKind::kMalformedRequest, "The request target holds a NUL character"};
    }
    size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      return Error{ErrorKind::kMalformedRequest, "The request target is not UTF-8"};
    }
    text.remove_prefix(length);
  }
  return {};
}

Status CheckName(std::string_view name, std::string_view what) {
  if (name.empty()) {
    return Error{ErrorKind::kInvalidArgument, "Invalid " + std::string(what) + ": it is empty"};
  }
  if (name.size() > kNameBytesMax) {
    return Error{ErrorKind::kInvalidArgument,
                 "Invalid " + std::string(what) + ": " + std::to_string(name.size()) +
                     " bytes are past the limit of " + std::to_string(kNameBytesMax)};
  }
  return {};
}

}  // namespace

std::string PercentDecode(std::string_view raw, PlusSign plus) {
  std::string decoded;
  decoded.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (int byte = EscapedByte(raw, i); byte >= 0) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += raw[i] == '+' && plus == PlusSign::kSpace ? ' ' : raw[i];
    }
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHex[byte / 16];
    encoded += kHex[byte % 16];
  }
  return encoded;
}

bool HoldsPercentEscape(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (EscapedByte(text, i) >= 0) return true;
  }
  return false;
}

Result<std::string> DecodeName(std::string_view raw, PlusSign plus) {
  std::string name = PercentDecode(raw, plus);
  BERGLITE_RETURN_IF_ERROR(CheckText(name));
  BERGLITE_RETURN_IF_ERROR(CheckName(name, "name"));
  return name;
}

Result<Namespace> DecodeNamespace(std::string_view raw, PlusSign plus) {
  return SplitNamespace(PercentDecode(raw, plus));
}

Result<Namespace> SplitNamespace(std::string_view text) {
  BERGLITE_RETURN_IF_ERROR(CheckText(text));
  auto levels = static_cast<size_t>(std::count(text.begin(), text.end(), kLevelSeparator)) + 1;
  if (levels > kNamespaceLevelsMax) {
    return Error{ErrorKind::kInvalidArgument, "Invalid namespace: " + std::to_string(levels) +
                                                  " levels are past the limit of " +
                                                  std::to_string(kNamespaceLevelsMax)};
  }
  Namespace name_space;
  name_space.reserve(levels);
  for (size_t i = 0; i < levels; ++i) {
    size_t end = std::min(text.find(kLevelSeparator), text.size());
    BERGLITE_RETURN_IF_ERROR(CheckName(text.substr(0, end), "level of a namespace"));
    name_space.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return name_space;
}

Result<Parameters> Parameters::Parse(std::string_view raw) {
  Parameters parameters;
  while (!raw.empty()) {
    size_t end = std::min(raw.find('&'), raw.size());
    std::string_view pair = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (pair.empty()) continue;
    size_t equals = std::min(pair.find('='), pair.size());
    std::string name = PercentDecode(pair.substr(0, equals), PlusSign::kSpace);
    pair.remove_prefix(std::min(equals + 1, pair.size()));
    std::string value = PercentDecode(pair, PlusSign::kSpace);
    BERGLITE_RETURN_IF_ERROR(CheckText(name));
    BERGLITE_RETURN_IF_ERROR(CheckText(value));
    parameters.values_.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

const std::string* Parameters::Find(std::string_view name) const {
  auto found = std::find_if(values_.begin(), values_.end(),
                            [name](const auto& candidate) { return candidate.first == name; });
  return found == values_.end() ? nullptr : &found->second;
}

}  // namespace berglite::rest
