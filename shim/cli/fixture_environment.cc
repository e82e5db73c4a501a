#include "shim/cli/fixture_environment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace berglite::cli {
namespace {

constexpr std::string_view kPrefix = "CATALOG_";
constexpr std::string_view kMemory = ":memory:";
constexpr int kPortMax = 65535;

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// A variable and the property that it stands for.
struct Given {
  std::string variable;
  std::string property;
  std::string value;
};

Error Refused(const Given& given, const std::string& why) {
  return Error{ErrorKind::kInvalidArgument, given.variable + ": " + why};
}

void Note(ServeOptions& options, const Given& given, const std::string& what) {
  options.notes.push_back(given.variable + " " + what);
}

// `SCHEME:` or `jdbc:DRIVER:` of a URI, which after that may hold a password.
std::string HeadOf(const std::string& uri) {
  constexpr std::string_view kJdbc = "jdbc:";
  const size_t from = uri.starts_with(kJdbc) ? kJdbc.size() : 0;
  const size_t colon = uri.find(':', from);
  return colon == std::string::npos ? "something else" : uri.substr(0, colon + 1);
}

// -- CATALOG_URI --------------------------------------------------------------------------------

// One parameter of a URI: `name=value`.
struct Parameter {
  std::string name;
  std::string value;  // in lower case
};

std::vector<Parameter> ParametersOf(std::string_view query) {
  std::vector<Parameter> parameters;
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    const size_t equals = std::min(item.find('='), item.size());
    if (item.empty()) continue;
    parameters.push_back(
        {ToLower(item.substr(0, equals)), ToLower(item.substr(std::min(equals + 1, item.size())))});
  }
  return parameters;
}

// The path of a `file:` URI as SQLite reads it: no authority, percent-decoded.
std::string PathOfFileUri(std::string_view uri) {
  if (uri.starts_with("//")) uri.remove_prefix(std::min(uri.find('/', 2), uri.size()));
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

// What a parameter asks for. The file is always in WAL mode with every commit synced; waiting times
// and sizes are berglite's own.
Status TakeParameter(const Given& given, const Parameter& parameter, ServeOptions& options) {
  struct Kept {
    std::string_view name;
    std::vector<std::string_view> values;  // those that change nothing; none: all do
  };
  static const std::array kKept = {Kept{"journal_mode", {"wal"}},
                                   Kept{"synchronous", {"full", "extra", "2", "3"}},
                                   Kept{"mode", {"rw", "rwc"}},
                                   Kept{"busy_timeout", {}},
                                   Kept{"cache", {}},
                                   Kept{"journal_size_limit", {}}};
  if (parameter.name == "mode" && parameter.value == "memory") {
    options.file = kMemory;
    return {};
  }
  if (parameter.name == "mode" && parameter.value == "ro") {
    return Refused(given, "a catalog file is not served read-only; expected no mode=ro");
  }
  for (const Kept& kept : kKept) {
    if (kept.name != parameter.name) continue;
    if (kept.values.empty()) return {};
    if (std::find(kept.values.begin(), kept.values.end(), parameter.value) != kept.values.end())
      return {};
  }
  Note(options, given, "asks for " + parameter.name + ", which has no effect");
  return {};
}

Status TakeUri(const Given& given, ServeOptions& options) {
  constexpr std::string_view kSqlite = "jdbc:sqlite:";
  constexpr std::string_view kFile = "file:";
  if (!given.value.starts_with(kSqlite)) {
    return Refused(given, "expected jdbc:sqlite: and a file, found " + HeadOf(given.value) +
                              "; berglite keeps its catalog in SQLite alone");
  }
  std::string_view rest = std::string_view(given.value).substr(kSqlite.size());
  const size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view query = rest.substr(std::min(question + 1, rest.size()));
  rest = rest.substr(0, question);
  if (rest.starts_with(":resource:")) {
    return Refused(given, "expected a file, found :resource:, which is a part of a Java program");
  }
  std::string path =
      rest.starts_with(kFile) ? PathOfFileUri(rest.substr(kFile.size())) : std::string(rest);
  options.file = path.empty() ? kMemory : path;
  if (path.ends_with("mode=memory")) {
    Note(options, given,
         "is the file " + path + ", as it is to SQLite; jdbc:sqlite::memory: is in memory");
  }
  for (const Parameter& parameter : ParametersOf(query)) {
    BERGLITE_RETURN_IF_ERROR(TakeParameter(given, parameter, options));
  }
  return {};
}

// -- The other properties -----------------------------------------------------------------------

// Of a class of Java.
std::string SimpleName(const std::string& name) { return name.substr(name.rfind('.') + 1); }

Status TakeCatalogImpl(const Given& given, ServeOptions& options) {
  const std::string name = SimpleName(given.value);
  if (name == "InMemoryCatalog") options.file = kMemory;
  if (name == "InMemoryCatalog" || name == "JdbcCatalog") return {};
  return Refused(given, "expected JdbcCatalog or InMemoryCatalog, found " + given.value);
}

Status TakeFileIO(const Given& given, ServeOptions& options) {
  const std::string name = SimpleName(given.value);
  if (name == "HadoopFileIO" || name == "ResolvingFileIO") return {};
  // Whether such a warehouse can be is for the library to say.
  if (name == "S3FileIO" && options.warehouse.starts_with("s3")) return {};
  return Refused(given, name == "S3FileIO"
                            ? "S3FileIO cannot reach the warehouse, which is a local directory; "
                              "expected HadoopFileIO, ResolvingFileIO or nothing"
                            : "expected HadoopFileIO or ResolvingFileIO, found " + given.value);
}

Status TakeWarehouse(const Given& given, ServeOptions& options) {
  options.warehouse = given.value;
  return {};
}

Status TakeCatalogName(const Given& given, ServeOptions& options) {
  options.catalog_name = given.value;
  return {};
}

Status TakePort(const Given& given, ServeOptions& options) {
  const char* const end = given.value.data() + given.value.size();
  int port = -1;
  const auto [stop, code] = std::from_chars(given.value.data(), end, port);
  if (code != std::errc() || stop != end || port < 0 || port > kPortMax) {
    return Refused(given, "expected a port from 0 to 65535, found '" + given.value + "'");
  }
  options.port = port;
  return {};
}

Status TakeNothing(const Given&, ServeOptions&) { return {}; }

Status NoteUnlessTrue(const Given& given, ServeOptions& options) {
  if (ToLower(given.value) != "true") Note(options, given, "has no effect: it is always true");
  return {};
}

Status NoteUnlessV1(const Given& given, ServeOptions& options) {
  if (ToLower(given.value) != "v1") Note(options, given, "has no effect: the layout is always V1");
  return {};
}

Status NoteUnlessFalse(const Given& given, ServeOptions& options) {
  if (ToLower(given.value) != "false")
    Note(options, given, "has no effect: clients get no credentials");
  return {};
}

Status NoteName(const Given& given, ServeOptions& options) {
  Note(options, given, "has no effect; CATALOG_CATALOG_NAME chooses the catalog of the file");
  return {};
}

Status NoteNoEffect(const Given& given, ServeOptions& options) {
  Note(options, given, "has no effect");
  return {};
}

// What one property, or all with one beginning, means.
struct Row {
  std::string_view property;  // ends with `.` where it is a beginning
  std::optional<Setting> setting;
  Status (*take)(const Given&, ServeOptions&);
};

// In the order in which they are taken: a class that keeps all in memory wins over a file, and
// whether S3FileIO will do depends on the warehouse.
constexpr std::array kRows = {
    Row{"uri", Setting::kFile, TakeUri},
    Row{"catalog-impl", Setting::kFile, TakeCatalogImpl},
    Row{"warehouse", Setting::kWarehouse, TakeWarehouse},
    Row{"io-impl", Setting::kWarehouse, TakeFileIO},
    Row{"catalog.name", Setting::kCatalogName, TakeCatalogName},
    Row{"rest.port", Setting::kPort, TakePort},
    Row{"name", std::nullopt, NoteName},
    Row{"jdbc.user", std::nullopt, TakeNothing},
    Row{"jdbc.password", std::nullopt, TakeNothing},
    Row{"jdbc.strict-mode", std::nullopt, NoteUnlessTrue},
    Row{"jdbc.schema-version", std::nullopt, NoteUnlessV1},
    Row{"include-credentials", std::nullopt, NoteUnlessFalse},
};

// Properties of new tables and views: `table-default.KEY`.
bool TakeNewProperty(const Given& given, ServeOptions& options) {
  const std::array<std::pair<std::string_view, std::map<std::string, std::string>*>, 4> kKinds = {
      {{"table-default.", &options.table_properties.defaults},
       {"table-override.", &options.table_properties.overrides},
       {"view-default.", &options.view_properties.defaults},
       {"view-override.", &options.view_properties.overrides}}};
  for (const auto& [beginning, properties] : kKinds) {
    if (given.property.size() <= beginning.size() || !given.property.starts_with(beginning))
      continue;
    (*properties)[given.property.substr(beginning.size())] = given.value;
    return true;
  }
  return false;
}

bool IsRow(const Given& given) {
  return std::any_of(kRows.begin(), kRows.end(),
                     [&](const Row& row) { return row.property == given.property; });
}

// -- The environment ----------------------------------------------------------------------------

std::string PropertyOf(std::string_view variable) {
  std::string property;
  for (size_t i = kPrefix.size(); i < variable.size(); ++i) {
    const bool is_double = variable.substr(i, 2) == "__";
    property += variable[i] != '_' ? variable[i] : is_double ? '-' : '.';
    if (is_double) ++i;
  }
  return ToLower(property);
}

// By property, in the order of the properties, so that notes have one too. An empty variable is as
// one that is not set: that is how a compose file unsets one.
Result<std::map<std::string, Given>> PropertiesOf(const Variables& environment) {
  std::map<std::string, Given> properties;
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with(kPrefix) || value.empty()) continue;
    Given given{variable, PropertyOf(variable), value};
    const auto [found, is_new] = properties.emplace(given.property, given);
    if (is_new) continue;
    return Refused(given, "expected one variable for the property " + given.property + ", found " +
                              found->second.variable + " too");
  }
  return properties;
}

std::optional<Given> Find(const Variables& environment, std::string_view name) {
  for (const auto& [variable, value] : environment) {
    if (variable == name && !value.empty()) return Given{variable, "", value};
  }
  return std::nullopt;
}

Status TakeRestPort(const Variables& environment, ServeOptions& options) {
  const std::optional<Given> port = Find(environment, "REST_PORT");
  // Kubernetes sets it so for every pod beside a service with the name `rest`.
  if (!port || port->value.starts_with("tcp://")) return {};
  return TakePort(*port, options);
}

void TakeLogLevel(const Variables& environment, ServeOptions& options) {
  constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info",
                                                       "warn",  "error", "off"};
  const std::optional<Given> given = Find(environment, "LOG_LEVEL");
  if (!given) return;
  const std::string level = ToLower(given->value);
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    Note(options, *given, "has no effect; expected trace, debug, info, warn, error or off");
    return;
  }
  options.log_level = level == "trace" ? "debug" : level;
}

}  // namespace

Status TakeFixtureEnvironment(const Variables& environment, const std::set<Setting>& settled,
                              ServeOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const auto properties, PropertiesOf(environment));
  // CATALOG_REST_PORT, which the server of the fixture reads, wins over the one of the image.
  if (!settled.contains(Setting::kPort)) {
    BERGLITE_RETURN_IF_ERROR(TakeRestPort(environment, options));
  }
  if (!settled.contains(Setting::kLogLevel)) TakeLogLevel(environment, options);
  for (const Row& row : kRows) {
    const auto found = properties.find(std::string(row.property));
    if (found == properties.end() || (row.setting && settled.contains(*row.setting))) continue;
    BERGLITE_RETURN_IF_ERROR(row.take(found->second, options));
  }
  for (const auto& [property, given] : properties) {
    if (IsRow(given) || TakeNewProperty(given, options)) continue;
    BERGLITE_RETURN_IF_ERROR(NoteNoEffect(given, options));
  }
  return {};
}

}  // namespace berglite::cli
