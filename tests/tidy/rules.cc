#include "tests/tidy/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>

namespace berglite::tidy {

namespace {

constexpr size_t kFunctionLinesMax = 70;
constexpr size_t kColumnsMax = 100;

using Prefixes = std::vector<std::string_view>;

bool StartsWithAny(std::string_view text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Module {
  std::string_view path;
  Prefixes may_include;
};

// The picture of the design, bottom up. What is not here is no module.
const std::vector<Module>& Modules() {
  static const std::vector<Module> modules = {
      {"include/berglite/", {"berglite/"}},
      {"lib/base/", {"berglite/", "lib/base/"}},
      {"lib/sqlite/", {"berglite/", "lib/base/", "lib/sqlite/"}},
      {"lib/store/", {"berglite/", "lib/base/", "lib/sqlite/", "lib/store/"}},
      {"lib/auth/", {"berglite/", "lib/base/", "lib/store/", "lib/auth/"}},
      {"lib/metadata/", {"berglite/", "lib/base/", "lib/metadata/"}},
      {"lib/manifest/", {"berglite/", "lib/base/", "lib/manifest/"}},
      {"lib/storage/", {"berglite/", "lib/base/", "lib/storage/"}},
      {"lib/catalog/",
       {"berglite/", "lib/base/", "lib/store/", "lib/metadata/", "lib/manifest/", "lib/storage/",
        "lib/catalog/"}},
      {"shim/rest/", {"berglite/", "shim/rest/"}},
      {"shim/server/", {"berglite/", "shim/rest/", "shim/server/"}},
      {"shim/transfer/", {"berglite/", "shim/rest/", "shim/transfer/"}},
      {"shim/cli/", {"berglite/", "shim/cli/", "shim/transfer/"}},
      {"examples/", {"berglite/"}},
      {"tests/", {"berglite/", "lib/", "shim/", "tests/"}},
  };
  return modules;
}

struct Home {
  std::string_view header;
  Prefixes paths;
};

// Tests may look from outside at what the library wrote, with the same third-party code.
const std::vector<Home>& Homes() {
  static const std::vector<Home> homes = {
      {"sqlite3.h", {"lib/sqlite/", "tests/"}},
      {"nlohmann/", {"lib/", "shim/rest/", "shim/transfer/", "shim/cli/", "tests/"}},
      {"boost/", {"lib/base/"}},
      {"avro.h", {"lib/manifest/", "tests/"}},
      {"snappy-c.h", {"lib/manifest/", "tests/"}},
      {"zstd.h", {"lib/manifest/", "tests/"}},
      {"zlib.h", {"lib/manifest/", "lib/metadata/", "shim/rest/", "shim/server/", "tests/"}},
      {"openssl/", {"lib/auth/"}},
      {"httplib.h", {"shim/server/", "shim/transfer/", "tests/server/"}},
      {"spdlog/", {"shim/cli/"}},
      {"CLI/", {"shim/cli/", "tests/bench/"}},
      {"gtest/", {"tests/"}},
      {"gmock/", {"tests/"}},
  };
  return homes;
}

// Headers of the system: those of C++ have neither `/` nor `.`.
bool IsSystemHeader(std::string_view name) {
  static const std::set<std::string_view> posix = {
      "dirent.h",  "dlfcn.h",  "fcntl.h", "ifaddrs.h", "limits.h", "netdb.h",  "poll.h",
      "pthread.h", "signal.h", "spawn.h", "stdlib.h",  "time.h",   "unistd.h",
  };
  if (StartsWithAny(name, {"sys/", "netinet/", "arpa/", "linux/", "net/"})) return true;
  return name.find_first_of("/.") == std::string_view::npos || posix.contains(name);
}

std::string_view NameOf(const Piece& include) {
  return std::string_view(include.text).substr(1, include.text.size() - 2);
}

bool IsOurs(std::string_view header) {
  return StartsWithAny(header, {"berglite/", "lib/", "shim/", "tests/"});
}

// Whether `word` stands alone at `at`, and not behind `.` or `->`, which make it a member.
bool IsFreeWord(std::string_view code, size_t at, std::string_view word) {
  const size_t end = at + word.size();
  if (end < code.size() && IsWordCharacter(code[end])) return false;
  if (at == 0) return true;
  const char before = code[at - 1];
  const bool is_arrow = before == '>' && at >= 2 && code[at - 2] == '-';
  return !IsWordCharacter(before) && before != '.' && !is_arrow;
}

// The offsets of `word` in `code`.
std::vector<size_t> FindWord(std::string_view code, std::string_view word) {
  std::vector<size_t> found;
  for (size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    if (IsFreeWord(code, at, word)) found.push_back(at);
  }
  return found;
}

enum class Ban { kWord, kCall };
struct BannedWord {
  std::string_view word;
  Ban ban;
  std::string_view instead;
  bool allowed_in_base;
};

constexpr std::string_view kReturnIt = "return what there is to say";
constexpr std::string_view kUseEnvironment = "use Environment of lib/base/environment.h";
constexpr std::string_view kUseOptions = "take it as an option";

constexpr std::array kBannedWords = {
    BannedWord{"printf", Ban::kCall, kReturnIt, false},
    BannedWord{"fprintf", Ban::kCall, kReturnIt, false},
    BannedWord{"vfprintf", Ban::kCall, kReturnIt, false},
    BannedWord{"puts", Ban::kCall, kReturnIt, false},
    BannedWord{"fputs", Ban::kCall, kReturnIt, false},
    BannedWord{"perror", Ban::kCall, kReturnIt, false},
    BannedWord{"syslog", Ban::kCall, kReturnIt, false},
    BannedWord{"cout", Ban::kWord, kReturnIt, false},
    BannedWord{"cerr", Ban::kWord, kReturnIt, false},
    BannedWord{"clog", Ban::kWord, kReturnIt, false},
    BannedWord{"getenv", Ban::kCall, kUseOptions, false},
    BannedWord{"secure_getenv", Ban::kCall, kUseOptions, false},
    BannedWord{"setenv", Ban::kCall, kUseOptions, false},
    BannedWord{"environ", Ban::kWord, kUseOptions, false},
    BannedWord{"system_clock", Ban::kWord, kUseEnvironment, true},
    BannedWord{"utc_clock", Ban::kWord, kUseEnvironment, true},
    BannedWord{"high_resolution_clock", Ban::kWord, kUseEnvironment, true},
    BannedWord{"time", Ban::kCall, kUseEnvironment, true},
    BannedWord{"gettimeofday", Ban::kCall, kUseEnvironment, true},
    BannedWord{"clock_gettime", Ban::kCall, kUseEnvironment, true},
    BannedWord{"random_device", Ban::kWord, kUseEnvironment, true},
    BannedWord{"mt19937", Ban::kWord, kUseEnvironment, true},
    BannedWord{"mt19937_64", Ban::kWord, kUseEnvironment, true},
    BannedWord{"rand", Ban::kCall, kUseEnvironment, true},
    BannedWord{"random", Ban::kCall, kUseEnvironment, true},
    BannedWord{"random_generator", Ban::kWord, kUseEnvironment, true},
    BannedWord{"getrandom", Ban::kCall, kUseEnvironment, true},
    BannedWord{"getentropy", Ban::kCall, kUseEnvironment, true},
    BannedWord{"arc4random", Ban::kCall, kUseEnvironment, true},
};

// Words that only SQL has; DELETE and COMMIT alone are also something else.
const std::regex& SqlPattern() {
  static const std::regex pattern(
      R"(\b(SELECT\s+\S|INSERT\s+(OR|INTO)\b|REPLACE\s+INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b)"
      R"(|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|UNIQUE|VIEW|TRIGGER|TEMP|VIRTUAL)\b)"
      R"(|BEGIN\s+(IMMEDIATE|EXCLUSIVE|DEFERRED|TRANSACTION)\b|ROLLBACK\s+TO\b|SAVEPOINT\s+\w)"
      R"(|PRAGMA\s+\w|ATTACH\s+DATABASE\b|WHERE\s+\w+\s*(=|<|>|IN\b|IS\b)|ORDER\s+BY\b))"
      R"(|^\s*(BEGIN|COMMIT|ROLLBACK|VACUUM|ANALYZE)\s*;?\s*$)",
      std::regex::optimize);
  return pattern;
}

// Keys that mean something in table and view metadata and nowhere else.
constexpr std::array<std::string_view, 22> kMetadataKeys = {
    "format-version",
    "table-uuid",
    "view-uuid",
    "last-updated-ms",
    "last-column-id",
    "current-schema-id",
    "partition-specs",
    "default-spec-id",
    "last-partition-id",
    "current-snapshot-id",
    "snapshot-log",
    "metadata-log",
    "sort-orders",
    "default-sort-order-id",
    "last-sequence-number",
    "next-row-id",
    "partition-statistics",
    "encryption-keys",
    "version-log",
    "current-version-id",
    "parent-snapshot-id",
    "manifest-list",
};

// Whether `literal` is the key, or holds it as JSON text or in a JSON Pointer.
bool HoldsKey(std::string_view literal, std::string_view key) {
  constexpr std::string_view kDelimiters = "\"/\\";
  const auto is_delimiter = [&](size_t at) {
    return kDelimiters.find(literal[at]) != std::string_view::npos;
  };
  for (size_t at = literal.find(key); at != std::string_view::npos;
       at = literal.find(key, at + 1)) {
    const size_t end = at + key.size();
    if ((at == 0 || is_delimiter(at - 1)) && (end == literal.size() || is_delimiter(end)))
      return true;
  }
  return false;
}

bool IsInLibOrShim(std::string_view path) { return StartsWithAny(path, {"lib/", "shim/"}); }
bool IsHeader(std::string_view path) { return path.ends_with(".h"); }

// The name under which files include the header of `path` (x.cc or x.h).
std::string HeaderNameOf(std::string_view path) {
  const std::string name = std::string(path.substr(0, path.rfind('.'))) + ".h";
  constexpr std::string_view kIncludeDirectory = "include/";
  return name.starts_with(kIncludeDirectory) ? name.substr(kIncludeDirectory.size()) : name;
}

}  // namespace

Findings CheckLayering(const Source& source) {
  const auto module = std::find_if(
      Modules().begin(), Modules().end(),
      [&](const Module& candidate) { return source.path.starts_with(candidate.path); });
  if (module == Modules().end()) return {{source.path, 1, "is in no module of the design"}};
  Findings findings;
  for (const Piece& include : source.includes) {
    const std::string_view name = NameOf(include);
    if (include.text.front() == '<' && !IsOurs(name)) continue;
    if (StartsWithAny(name, module->may_include)) continue;
    findings.push_back({source.path, include.line,
                        std::string(module->path) + " may not include " + include.text});
  }
  return findings;
}

Findings CheckThirdPartyHomes(const Source& source) {
  Findings findings;
  for (const Piece& include : source.includes) {
    const std::string_view name = NameOf(include);
    if (IsOurs(name) || IsSystemHeader(name)) continue;
    const auto home = std::find_if(Homes().begin(), Homes().end(), [&](const Home& candidate) {
      return name.starts_with(candidate.header);
    });
    if (home == Homes().end()) {
      findings.push_back({source.path, include.line, include.text + " has no home in the design"});
    } else if (!StartsWithAny(source.path, home->paths)) {
      findings.push_back({source.path, include.line,
                          include.text + " is at home in " + std::string(home->paths.front())});
    }
  }
  return findings;
}

Findings CheckLibraryManners(const Source& source) {
  if (!source.path.starts_with("lib/")) return {};
  Findings findings;
  for (const BannedWord& banned : kBannedWords) {
    if (banned.allowed_in_base && source.path.starts_with("lib/base/")) continue;
    for (const size_t at : FindWord(source.code, banned.word)) {
      const size_t next = source.code.find_first_not_of(' ', at + banned.word.size());
      const bool is_call = next != std::string::npos && source.code[next] == '(';
      if (banned.ban == Ban::kCall && !is_call) continue;
      findings.push_back(
          {source.path, LineAt(source.code, at),
           "lib does not use " + std::string(banned.word) + ": " + std::string(banned.instead)});
    }
  }
  return findings;
}

Findings CheckSqlHome(const Source& source) {
  if (!IsInLibOrShim(source.path)) return {};
  if (StartsWithAny(source.path, {"lib/store/", "lib/sqlite/"})) return {};
  Findings findings;
  for (const Piece& literal : source.strings) {
    if (!std::regex_search(literal.text, SqlPattern())) continue;
    findings.push_back({source.path, literal.line, "SQL is written in lib/store: " + literal.text});
  }
  return findings;
}

Findings CheckMetadataKeyHome(const Source& source) {
  if (!IsInLibOrShim(source.path)) return {};
  if (StartsWithAny(source.path, {"lib/metadata/", "shim/cli/describe.", "shim/transfer/state."}))
    return {};
  Findings findings;
  for (const Piece& literal : source.strings) {
    for (const std::string_view key : kMetadataKeys) {
      if (!HoldsKey(literal.text, key)) continue;
      findings.push_back({source.path, literal.line,
                          "keys of metadata are at home in lib/metadata: " + std::string(key)});
    }
  }
  return findings;
}

Findings CheckFunctionLength(const Source& source) {
  Findings findings;
  for (const Function& function : FunctionsOf(source)) {
    const size_t lines = function.last_line - function.first_line + 1;
    if (lines <= kFunctionLinesMax) continue;
    findings.push_back({source.path, function.first_line,
                        function.signature + " has " + std::to_string(lines) + " lines, at most " +
                            std::to_string(kFunctionLinesMax) + " are wanted"});
  }
  return findings;
}

Findings CheckTodo(const Source& source) {
  static const std::regex todo(R"(\b(TODO|FIXME|XXX|HACK)\b(\([a-z]+\))?)");
  Findings findings;
  for (const Piece& comment : source.comments) {
    for (std::sregex_iterator match(comment.text.begin(), comment.text.end(), todo), end;
         match != end; ++match) {
      if ((*match)[1] == "TODO" && (*match)[2].matched) continue;
      const size_t line =
          comment.line + LineAt(comment.text, static_cast<size_t>(match->position())) - 1;
      findings.push_back({source.path, line, "expected TODO(class), found " + match->str()});
    }
  }
  return findings;
}

Findings CheckHeaderOpening(const Source& source) {
  if (!IsHeader(source.path)) return {};
  Findings findings;
  if (source.comments.empty() || source.comments.front().line != 1)
    findings.push_back({source.path, 1, "a header opens with a comment on what it is for"});
  const std::vector<std::string_view> lines = LinesOf(source.code);
  const auto first = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find_first_not_of(' ') != std::string_view::npos;
  });
  if (first == lines.end() || *first != "#pragma once")
    findings.push_back({source.path, 1, "expected #pragma once before any code"});
  return findings;
}

Findings CheckOwnHeaderFirst(const Source& source, OwnHeader own_header) {
  if (own_header == OwnHeader::kNone) return {};
  const std::string expected = "\"" + HeaderNameOf(source.path) + "\"";
  if (!source.includes.empty() && source.includes.front().text == expected) return {};
  return {{source.path, source.includes.empty() ? 1 : source.includes.front().line,
           "expected " + expected + " to be included first"}};
}

Findings CheckHeadersAreUsed(const std::vector<Source>& sources) {
  std::set<std::string, std::less<>> included;
  for (const Source& source : sources) {
    for (const Piece& include : source.includes) included.emplace(NameOf(include));
  }
  Findings findings;
  for (const Source& source : sources) {
    if (!IsHeader(source.path) || source.path.starts_with("include/")) continue;
    if (!included.contains(HeaderNameOf(source.path)))
      findings.push_back({source.path, 1, "no file includes this header"});
  }
  return findings;
}

Findings CheckLines(std::string_view path, std::string_view text) {
  Findings findings;
  size_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    const auto report = [&](std::string message) {
      findings.push_back({std::string(path), number, std::move(message)});
    };
    if (line.size() > kColumnsMax) report(std::to_string(line.size()) + " columns");
    if (line.ends_with(' ') || line.ends_with('\t') || line.ends_with('\r'))
      report("white space at the end of the line");
    if (line.find('\t') != std::string_view::npos) report("a tab");
    if (std::any_of(line.begin(), line.end(), [](char c) { return (c & 0x80) != 0; }))
      report("a character that is not ASCII");
  }
  if (!text.empty() && !text.ends_with('\n'))
    findings.push_back({std::string(path), number, "no line break at the end"});
  if (text.ends_with("\n\n"))
    findings.push_back({std::string(path), number, "an empty line at the end"});
  return findings;
}

Findings CheckWorkplaceWords(std::string_view path, std::string_view text) {
  // In two pieces each, so that this file passes.
  constexpr std::array<std::array<std::string_view, 2>, 15> kWords = {{{"/wo", "rk/"},
                                                                       {"/ro", "ot/"},
                                                                       {"/fa", "rm/"},
                                                                       {"/tm", "p/wt"},
                                                                       {".libr", "ary"},
                                                                       {"pyp", "i.org"},
                                                                       {"pythonh", "osted"},
                                                                       {"registry.", "npmjs"},
                                                                       {"npm", "js.org"},
                                                                       {"repo1.", "maven"},
                                                                       {"repo.", "maven"},
                                                                       {"proxy.", "golang"},
                                                                       {"crates", ".io/api"},
                                                                       {"arti", "factory"},
                                                                       {"deb.", "debian"}}};
  Findings findings;
  size_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    for (const auto& [first, second] : kWords) {
      const std::string word = std::string(first).append(second);
      if (line.find(word) == std::string_view::npos) continue;
      findings.push_back({std::string(path), number, "a word of a workplace: " + word});
    }
  }
  return findings;
}

Findings CheckIsBuilt(std::string_view path, std::string_view cmake) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::string_view line : LinesOf(cmake)) {
    line = line.substr(0, line.find('#'));
    for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
      constexpr std::string_view kSeparators = " ()\";/";
      const size_t end = at + name.size();
      const bool begins = at == 0 || kSeparators.find(line[at - 1]) != std::string_view::npos;
      const bool ends = end == line.size() || kSeparators.find(line[end]) != std::string_view::npos;
      if (begins && ends) return {};
    }
  }
  return {{std::string(path), 1, "its CMakeLists.txt does not name it"}};
}

}  // namespace berglite::tidy
