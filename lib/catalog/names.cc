#include "lib/catalog/names.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/hash.h"
#include "lib/base/limits.h"

namespace berglite::catalog {
namespace {

// Longest segment that is taken as it is: leaves room for suffixes below the usual limit of 255.
constexpr size_t kSegmentBytesMax = 128;
constexpr size_t kSegmentReadableBytesMax = 64;

Error Invalid(std::string message) {
  return Error{ErrorKind::kInvalidArgument, std::move(message)};
}

bool IsUtf8(std::string_view text) {
  // The JSON library's writer is the judge that matters: what it refuses could never be answered.
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return Invalid("Invalid " + std::string(what) + ": it is empty");
  if (name.size() > limits::kNameBytesMax) {
    return Invalid("Invalid " + std::string(what) + ": " + std::to_string(name.size()) +
                   " bytes are more than the limit of " + std::to_string(limits::kNameBytesMax));
  }
  if (name.find('\0') != std::string_view::npos) {
    return Invalid("Invalid " + std::string(what) + ": it contains the null-byte character");
  }
  if (name.find('\x1f') != std::string_view::npos) {
    return Invalid("Invalid " + std::string(what) + ": it contains the namespace separator U+001F");
  }
  if (!IsUtf8(name)) return Invalid("Invalid " + std::string(what) + ": it is not UTF-8");
  return {};
}

}  // namespace

Status CheckNamespace(const Namespace& name_space) {
  if (name_space.empty()) return Invalid("Invalid namespace: it has no levels");
  if (name_space.size() > limits::kNamespaceLevelsMax) {
    return Invalid("Invalid namespace: " + std::to_string(name_space.size()) +
                   " levels are more than the limit of " +
                   std::to_string(limits::kNamespaceLevelsMax));
  }
  for (const std::string& level : name_space) {
    BERGLITE_RETURN_IF_ERROR(CheckName("namespace level", level));
  }
  return {};
}

Status CheckTableIdentifier(const TableIdentifier& table) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(table.name_space));
  return CheckName("table name", table.name);
}

bool IsWithin(const Namespace& name_space, const Namespace& ancestor) {
  return name_space.size() >= ancestor.size() &&
         std::equal(ancestor.begin(), ancestor.end(), name_space.begin());
}

std::string ToString(const Namespace& name_space) {
  std::string text;
  for (const std::string& level : name_space) {
    if (!text.empty()) text += '.';
    text += level;
  }
  return text;
}

std::string ToString(const TableIdentifier& table) {
  return ToString(table.name_space) + "." + table.name;
}

Result<Namespace> ParseNamespace(const Json& levels) {
  BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, AsStrings(levels, "namespace"));
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  return name_space;
}

Result<TableIdentifier> ParseTableIdentifier(const Json& identifier) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* levels, GetMember(identifier, "namespace"));
  TableIdentifier table;
  BERGLITE_ASSIGN_OR_RETURN(table.name_space, ParseNamespace(*levels));
  BERGLITE_ASSIGN_OR_RETURN(table.name, GetString(identifier, "name"));
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(table));
  return table;
}

Result<TableIdentifier> ParseNewName(const Namespace& name_space, const Json& request) {
  TableIdentifier name{name_space, {}};
  BERGLITE_ASSIGN_OR_RETURN(name.name, GetString(request, "name"));
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(name));
  return name;
}

std::string PathSegment(std::string_view name) {
  bool plain = !name.empty() && name.size() <= kSegmentBytesMax && name.front() != '.' &&
               std::all_of(name.begin(), name.end(), IsPlain);
  if (plain) return std::string(name);

  std::string segment;
  for (char c : name.substr(0, kSegmentReadableBytesMax)) segment += IsPlain(c) ? c : '_';
  if (!segment.empty() && segment.front() == '.') segment.front() = '_';
  static constexpr char kHex[] = "0123456789abcdef";
  segment += '-';
  uint64_t hash = StableHash(name);
  for (int shift = 60; shift >= 0; shift -= 4) segment += kHex[(hash >> shift) & 0xF];
  return segment;
}

}  // namespace berglite::catalog
