#include "lib/metadata/transform.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/metadata/type.h"

namespace berglite::metadata {
namespace {

constexpr const char* kSourceIdKey = "source-id";
constexpr const char* kSourceIdsKey = "source-ids";
constexpr const char* kTransformKey = "transform";

// Whether a transform is written with a width in brackets.
enum class Width { kNone, kRequired };

struct KnownTransform {
  std::string_view name;
  Width width;
  bool (*applies_to)(std::string_view type_name);
};

bool IsTimestamp(std::string_view type) {
  return type == "timestamp" || type == "timestamptz" || type == "timestamp_ns" ||
         type == "timestamptz_ns";
}
bool HasDate(std::string_view type) { return type == "date" || IsTimestamp(type); }
bool IsAny(std::string_view /*type*/) { return true; }
bool IsComparable(std::string_view type) {
  return type != "geometry" && type != "geography" && type != "variant";
}
bool IsTruncatable(std::string_view type) {
  return type == "int" || type == "long" || type == "decimal" || type == "string" ||
         type == "binary";
}
bool IsHashable(std::string_view type) {
  return IsTruncatable(type) || HasDate(type) || type == "time" || type == "uuid" ||
         type == "fixed";
}

constexpr std::array kTransforms = {
    KnownTransform{"identity", Width::kNone, IsComparable},
    KnownTransform{"void", Width::kNone, IsAny},
    KnownTransform{"year", Width::kNone, HasDate},
    KnownTransform{"month", Width::kNone, HasDate},
    KnownTransform{"day", Width::kNone, HasDate},
    KnownTransform{"hour", Width::kNone, IsTimestamp},
    KnownTransform{"bucket", Width::kRequired, IsHashable},
    KnownTransform{"truncate", Width::kRequired, IsTruncatable},
};

// A text taken apart: the known transform it names (null: none) and its width (0: none or bad).
struct ParsedTransform {
  const KnownTransform* known = nullptr;
  int32_t width = 0;
};

int32_t ParseWidth(std::string_view brackets) {
  if (brackets.size() < 3 || brackets.back() != ']') return 0;
  const char* end = brackets.data() + brackets.size() - 1;
  int32_t width = 0;
  auto [rest, error] = std::from_chars(brackets.data() + 1, end, width);
  return error == std::errc() && rest == end ? std::max(width, 0) : 0;
}

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

ParsedTransform ParseTransform(std::string_view text) {
  size_t bracket = std::min(text.find('['), text.size());
  std::string name(text.substr(0, bracket));
  std::transform(name.begin(), name.end(), name.begin(), LowerCase);
  const auto* known = std::find_if(kTransforms.begin(), kTransforms.end(),
                                   [&](const KnownTransform& t) { return t.name == name; });
  if (known == kTransforms.end()) return {};
  // `identity[3]` is no transform of the specification but may be somebody's.
  if (known->width == Width::kNone && bracket != text.size()) return {};
  return {known, ParseWidth(text.substr(bracket))};
}

}  // namespace

std::string CanonicalTransform(std::string_view transform) {
  ParsedTransform parsed = ParseTransform(transform);
  if (parsed.known == nullptr) return std::string(transform);
  std::string name(parsed.known->name);
  if (parsed.known->width == Width::kNone) return name;
  if (parsed.width == 0) return std::string(transform);
  return name + "[" + std::to_string(parsed.width) + "]";
}

Status CheckTransform(const std::string& transform, const Field& source) {
  if (transform.empty()) return Error{ErrorKind::kValidation, "Invalid transform: (empty)"};
  ParsedTransform parsed = ParseTransform(transform);
  if (parsed.known == nullptr) return {};
  std::string name(parsed.known->name);
  if (parsed.known->width == Width::kRequired && parsed.width == 0) {
    return Error{ErrorKind::kValidation, "Invalid transform: expected " + name +
                                             "[N] with an integer N > 0, found " + transform};
  }
  if (parsed.known->applies_to(TypeName(source.type))) return {};
  return Error{ErrorKind::kValidation, "Invalid source type " + source.type + " for transform: " +
                                           transform + " (source column " + source.full_name + ")"};
}

Result<int32_t> SourceIdOf(const Json& field) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* source_ids, FindArray(field, kSourceIdsKey));
  if (source_ids == nullptr) return GetInt32(field, kSourceIdKey);
  BERGLITE_ASSIGN_OR_RETURN(std::optional<int32_t> source_id, FindInt32(field, kSourceIdKey));
  if (source_ids->size() != 1 || (source_id && source_ids->front() != *source_id)) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot parse source-ids: expected one source column, the same as source-id, "
                 "found " +
                     source_ids->dump()};
  }
  return AsInt32(source_ids->front(), kSourceIdsKey);
}

Result<Term> ReadTerm(const Json& field) {
  Term term;
  BERGLITE_ASSIGN_OR_RETURN(term.source_id, SourceIdOf(field));
  BERGLITE_ASSIGN_OR_RETURN(std::string transform, GetString(field, kTransformKey));
  term.transform = CanonicalTransform(transform);
  return term;
}

void WriteTerm(const Term& term, Json& field) {
  field.erase(kSourceIdsKey);
  field[kSourceIdKey] = term.source_id;
  field[kTransformKey] = term.transform;
}

std::optional<Term> CarryOver(const Term& term, const Schema& from, const Schema& to) {
  const Field* source = from.FindField(term.source_id);
  const Field* target = source == nullptr ? nullptr : to.FindField(source->full_name);
  if (target == nullptr) return std::nullopt;
  return Term{target->id, term.transform};
}

std::string TermText(const Term& term) {
  return term.transform + "(" + std::to_string(term.source_id) + ")";
}

}  // namespace berglite::metadata
