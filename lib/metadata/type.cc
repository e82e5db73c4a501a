#include "lib/metadata/type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "lib/base/uuid.h"

namespace berglite::metadata {
namespace {

constexpr int32_t kDecimalPrecisionMax = 38;
constexpr std::string_view kDefaultCrs = "OGC:CRS84";
constexpr std::string_view kDefaultEdgeAlgorithm = "spherical";

struct NamedType {
  std::string_view name;
  int32_t format_version;
};
constexpr std::array kTypesWithoutParameters = {
    NamedType{"long", 1},         NamedType{"string", 1},         NamedType{"int", 1},
    NamedType{"double", 1},       NamedType{"boolean", 1},        NamedType{"float", 1},
    NamedType{"date", 1},         NamedType{"timestamp", 1},      NamedType{"timestamptz", 1},
    NamedType{"time", 1},         NamedType{"uuid", 1},           NamedType{"binary", 1},
    NamedType{"timestamp_ns", 3}, NamedType{"timestamptz_ns", 3}, NamedType{"variant", 3},
    NamedType{"unknown", 3},      NamedType{"geometry", 3},       NamedType{"geography", 3},
};
constexpr std::array<std::string_view, 5> kEdgeAlgorithms = {kDefaultEdgeAlgorithm, "vincenty",
                                                             "thomas", "andoyer", "karney"};

const NamedType* FindType(std::string_view name) {
  const auto* found = std::find_if(kTypesWithoutParameters.begin(), kTypesWithoutParameters.end(),
                                   [&](const NamedType& type) { return type.name == name; });
  return found == kTypesWithoutParameters.end() ? nullptr : found;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<int32_t> ParseCount(std::string_view digits) {
  int32_t count = 0;
  const char* end = digits.data() + digits.size();
  auto [rest, error] = std::from_chars(digits.data(), end, count);
  if (error != std::errc() || rest != end || digits.front() == '-') return std::nullopt;
  return count;
}

// What stands between the brackets of `<name>(...)`; nullopt for a text of another form.
std::optional<std::string_view> Parameters(std::string_view text, std::string_view name,
                                           std::string_view brackets) {
  if (!text.starts_with(name)) return std::nullopt;
  text = Trim(text.substr(name.size()));
  if (text.size() < 2 || text.front() != brackets[0] || text.back() != brackets[1]) {
    return std::nullopt;
  }
  text = Trim(text.substr(1, text.size() - 2));
  if (text.find_first_of(brackets) != std::string_view::npos) return std::nullopt;
  return text;
}

// The two halves around the first comma; the second is empty where there is no comma.
std::pair<std::string_view, std::string_view> SplitAtComma(std::string_view text) {
  size_t comma = text.find(',');
  if (comma == std::string_view::npos) return {text, {}};
  return {Trim(text.substr(0, comma)), Trim(text.substr(comma + 1))};
}

std::optional<std::string> CanonicalDecimal(std::string_view parameters) {
  auto [precision_text, scale_text] = SplitAtComma(parameters);
  std::optional<int32_t> precision = ParseCount(precision_text);
  std::optional<int32_t> scale = ParseCount(scale_text);
  if (!precision || !scale) return std::nullopt;
  if (*precision < 1 || *precision > kDecimalPrecisionMax || *scale > *precision) {
    return std::nullopt;
  }
  return "decimal(" + std::to_string(*precision) + ", " + std::to_string(*scale) + ")";
}

std::optional<std::string> CanonicalGeometry(std::string_view crs) {
  if (crs.empty()) return std::nullopt;
  if (crs == kDefaultCrs) return "geometry";
  return "geometry(" + std::string(crs) + ")";
}

std::optional<std::string> CanonicalGeography(std::string_view parameters) {
  auto [crs, algorithm] = SplitAtComma(parameters);
  bool comma = parameters.find(',') != std::string_view::npos;
  if (!comma) algorithm = kDefaultEdgeAlgorithm;
  if (crs.empty() || std::find(kEdgeAlgorithms.begin(), kEdgeAlgorithms.end(), algorithm) ==
                         kEdgeAlgorithms.end()) {
    return std::nullopt;
  }
  if (algorithm != kDefaultEdgeAlgorithm) {
    return "geography(" + std::string(crs) + ", " + std::string(algorithm) + ")";
  }
  if (crs == kDefaultCrs) return "geography";
  return "geography(" + std::string(crs) + ")";
}

std::optional<std::string> CanonicalParameterized(std::string_view text) {
  if (auto decimal = Parameters(text, "decimal", "()")) return CanonicalDecimal(*decimal);
  if (auto fixed = Parameters(text, "fixed", "[]")) {
    std::optional<int32_t> length = ParseCount(*fixed);
    return length ? std::optional("fixed[" + std::to_string(*length) + "]") : std::nullopt;
  }
  if (auto geometry = Parameters(text, "geometry", "()")) return CanonicalGeometry(*geometry);
  if (auto geography = Parameters(text, "geography", "()")) return CanonicalGeography(*geography);
  return std::nullopt;
}

// Takes the parts of a text from its front. A part that is not there is left and answers false.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  bool Take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  // The digits at the front, all of them.
  std::string_view TakeDigits() {
    std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    rest_.remove_prefix(digits.size());
    return digits;
  }
  // A number of exactly two digits and at most `max`.
  bool TakeTwoDigits(int32_t max, int32_t& number) {
    std::optional<int32_t> parsed =
        rest_.size() < 2 ? std::nullopt : ParseCount(rest_.substr(0, 2));
    if (!parsed || *parsed > max) return false;
    number = *parsed;
    rest_.remove_prefix(2);
    return true;
  }

 private:
  std::string_view rest_;
};

// `2024-02-29`; years beyond four digits need a sign (ISO 8601).
bool TakeDate(Scanner& text) {
  bool is_signed = text.Take("-") || text.Take("+");
  std::string_view digits = text.TakeDigits();
  std::optional<int32_t> year = digits.empty() ? std::nullopt : ParseCount(digits);
  if (!year || digits.size() < 4 || (digits.size() > 4 && !is_signed)) return false;
  int32_t month = 0;
  int32_t day = 0;
  if (!text.Take("-") || !text.TakeTwoDigits(12, month)) return false;
  if (!text.Take("-") || !text.TakeTwoDigits(31, day)) return false;
  // The calendar repeats every 400 years, and in both directions from year 0.
  return std::chrono::year_month_day(std::chrono::year(2000 + *year % 400),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

// `22:31:08.123456`, with up to `fraction_digits_max` digits after the dot or without a dot.
bool TakeTime(Scanner& text, size_t fraction_digits_max) {
  int32_t ignored = 0;
  if (!text.TakeTwoDigits(23, ignored) || !text.Take(":")) return false;
  if (!text.TakeTwoDigits(59, ignored) || !text.Take(":")) return false;
  if (!text.TakeTwoDigits(59, ignored)) return false;
  if (!text.Take(".")) return true;
  size_t digits = text.TakeDigits().size();
  return digits >= 1 && digits <= fraction_digits_max;
}

bool IsDateTime(std::string_view text, size_t fraction_digits_max, std::string_view offset) {
  Scanner scanner(text);
  return TakeDate(scanner) && scanner.Take("T") && TakeTime(scanner, fraction_digits_max) &&
         scanner.Take(offset) && scanner.AtEnd();
}

// A decimal in plain digits with exactly the scale of its type.
bool IsDecimal(std::string_view text, std::string_view canonical) {
  auto [precision, scale] = SplitAtComma(*Parameters(canonical, "decimal", "()"));
  Scanner scanner(text);
  if (!scanner.Take("-")) scanner.Take("+");
  std::string_view whole = scanner.TakeDigits();
  std::string_view fraction = scanner.Take(".") ? scanner.TakeDigits() : std::string_view();
  bool dangling_dot = fraction.empty() && text.ends_with('.');
  if (whole.empty() || dangling_dot || !scanner.AtEnd()) return false;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  return fraction.size() == static_cast<size_t>(*ParseCount(scale)) &&
         whole.size() + fraction.size() <= static_cast<size_t>(*ParseCount(precision));
}

bool IsHex(std::string_view text) {
  return text.size() % 2 == 0 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool IsTextOfType(std::string_view text, std::string_view canonical) {
  std::string_view name = TypeName(canonical);
  Scanner scanner(text);
  if (name == "string") return true;
  if (name == "uuid") return IsUuid(text);
  if (name == "binary") return IsHex(text);
  if (name == "fixed") {
    auto length = static_cast<size_t>(*ParseCount(*Parameters(canonical, "fixed", "[]")));
    return IsHex(text) && text.size() / 2 == length;
  }
  if (name == "decimal") return IsDecimal(text, canonical);
  if (name == "date") return TakeDate(scanner) && scanner.AtEnd();
  if (name == "time") return TakeTime(scanner, 6) && scanner.AtEnd();
  if (name == "timestamp") return IsDateTime(text, 6, "");
  if (name == "timestamptz") return IsDateTime(text, 6, "+00:00");
  if (name == "timestamp_ns") return IsDateTime(text, 9, "");
  if (name == "timestamptz_ns") return IsDateTime(text, 9, "+00:00");
  return false;
}

bool FitsPrimitive(const Json& value, std::string_view canonical) {
  if (canonical == "boolean") return value.is_boolean();
  if (canonical == "int") return AsInt32(value, canonical).has_value();
  if (canonical == "long") return AsInt64(value, canonical).has_value();
  if (canonical == "float" || canonical == "double") return value.is_number();
  return value.is_string() && IsTextOfType(value.get_ref<const std::string&>(), canonical);
}

bool Fits(const Json& value, const Json& type);

// Whether `values` is an array of values of `type`, of which a null is one where `required` is not
// true.
bool AllFit(const Json* values, const Json& type, const Json& required) {
  if (values == nullptr || !values->is_array()) return false;
  return std::all_of(values->begin(), values->end(), [&](const Json& value) {
    return value.is_null() ? required == false : Fits(value, type);
  });
}

bool Fits(const Json& value, const Json& type) {
  if (type.is_string()) {
    Result<std::string> canonical = CanonicalType(type.get_ref<const std::string&>());
    return canonical.has_value() && FitsPrimitive(value, *canonical);
  }
  const Json& kind = type.at("type");
  if (kind == "list") return AllFit(&value, type.at("element"), type.at("element-required"));
  // The defaults of a struct's fields are kept with these fields.
  if (kind == "struct") return value.is_object() && value.empty();
  const Json* keys = FindMember(value, "keys");
  const Json* values = FindMember(value, "values");
  return AllFit(keys, type.at("key"), true) &&
         AllFit(values, type.at("value"), type.at("value-required")) &&
         keys->size() == values->size();
}

bool MustDefaultToNull(std::string_view type_name) {
  return type_name == "variant" || type_name == "unknown" || type_name == "geometry" ||
         type_name == "geography";
}

}  // namespace

Result<std::string> CanonicalType(std::string_view text) {
  if (FindType(text) != nullptr) return std::string(text);
  std::optional<std::string> canonical = CanonicalParameterized(text);
  if (canonical) return *std::move(canonical);
  return Error{ErrorKind::kInvalidArgument,
               "Cannot parse type string to primitive: " + std::string(text)};
}

std::string_view TypeName(std::string_view canonical) {
  return canonical.substr(0, canonical.find_first_of("(["));
}

int32_t FormatVersionOfType(std::string_view canonical) {
  const NamedType* type = FindType(TypeName(canonical));
  return type == nullptr ? 1 : type->format_version;
}

Status CheckDefault(const Json& type, const Json& value, std::string_view key,
                    std::string_view name) {
  if (Fits(value, type)) return {};
  std::string problem = "Invalid " + std::string(key) + " for " + std::string(name) + ": ";
  const auto& kind = (type.is_string() ? type : type.at("type")).get_ref<const std::string&>();
  if (MustDefaultToNull(TypeName(kind))) {
    problem += "a field of type " + kind + " must default to null, found " + value.dump();
  } else {
    problem += "expected a value of type " + kind + ", found " + value.dump();
  }
  return Error{ErrorKind::kValidation, std::move(problem)};
}

}  // namespace berglite::metadata
