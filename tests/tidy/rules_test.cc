// Each rule on samples that break it and on the nearest that do not.
#include "tests/tidy/rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::tidy {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Finds one thing, on `line`, with `message` in its message.
auto FindsAt(size_t line, const std::string& message) {
  return ElementsAre(
      AllOf(Field(&Finding::line, line), Field(&Finding::message, HasSubstr(message))));
}

Findings Layering(const std::string& path, const std::string& include) {
  return CheckLayering(ReadSource(path, "\n#include " + include + "\n"));
}

TEST(CheckLayering, LetsModulesLookDown) {
  EXPECT_THAT(Layering("lib/base/a.cc", "\"berglite/result.h\""), IsEmpty());
  EXPECT_THAT(Layering("lib/store/a.cc", "\"lib/sqlite/b.h\""), IsEmpty());
  EXPECT_THAT(Layering("lib/catalog/a.cc", "\"lib/metadata/b.h\""), IsEmpty());
  EXPECT_THAT(Layering("shim/server/a.cc", "\"shim/rest/b.h\""), IsEmpty());
  EXPECT_THAT(Layering("tests/store/a.cc", "\"lib/store/b.h\""), IsEmpty());
  EXPECT_THAT(Layering("lib/base/a.cc", "<string>"), IsEmpty());
}

TEST(CheckLayering, RefusesLooksUpAndAside) {
  EXPECT_THAT(Layering("lib/base/a.cc", "\"lib/store/b.h\""),
              FindsAt(2, "lib/base/ may not include \"lib/store/b.h\""));
  for (const auto& [path, include] : std::vector<std::pair<std::string, std::string>>{
           {"include/berglite/a.h", "\"lib/base/b.h\""},
           {"lib/sqlite/a.cc", "\"lib/store/b.h\""},
           {"lib/store/a.cc", "\"lib/metadata/b.h\""},
           {"lib/metadata/a.cc", "\"lib/storage/b.h\""},
           {"lib/storage/a.cc", "\"lib/catalog/b.h\""},
           {"lib/catalog/a.cc", "\"lib/sqlite/b.h\""},
           {"lib/catalog/a.cc", "\"shim/rest/b.h\""},
           {"shim/rest/a.cc", "\"lib/base/b.h\""},
           {"shim/rest/a.cc", "<lib/base/b.h>"},
           {"shim/rest/a.cc", "\"shim/server/b.h\""},
           {"shim/server/a.cc", "\"lib/base/b.h\""},
           {"shim/cli/a.cc", "\"shim/rest/b.h\""},
           {"examples/a.cc", "\"lib/base/b.h\""},
           {"lib/base/a.cc", "\"b.h\""},
           {"lib/base/a.cc", "\"tests/support/b.h\""}}) {
    EXPECT_THAT(Layering(path, include), FindsAt(2, "may not include")) << path << " " << include;
  }
}

TEST(CheckLayering, KnowsEveryModule) {
  EXPECT_THAT(Layering("lib/other/a.cc", "<string>"), FindsAt(1, "is in no module"));
  EXPECT_THAT(Layering("lib/a.cc", "<string>"), FindsAt(1, "is in no module"));
}

Findings Homes(const std::string& path, const std::string& include) {
  return CheckThirdPartyHomes(ReadSource(path, "#include " + include + "\n"));
}

TEST(CheckThirdPartyHomes, LetsEachBeAtHome) {
  for (const auto& [path, include] : std::vector<std::pair<std::string, std::string>>{
           {"lib/sqlite/a.cc", "<sqlite3.h>"},
           {"lib/catalog/a.cc", "<nlohmann/json.hpp>"},
           {"lib/base/a.cc", "<boost/uuid/uuid.hpp>"},
           {"shim/server/a.cc", "<httplib.h>"},
           {"shim/cli/a.cc", "<spdlog/spdlog.h>"},
           {"shim/cli/a.cc", "<CLI/CLI.hpp>"},
           {"lib/metadata/a.cc", "<zlib.h>"},
           {"tests/base/a.cc", "<gtest/gtest.h>"},
           {"include/berglite/a.h", "<sys/types.h>"},
           {"include/berglite/a.h", "\"berglite/b.h\""},
           {"lib/base/a.cc", "<unistd.h>"},
           {"lib/base/a.cc", "<string_view>"}}) {
    EXPECT_THAT(Homes(path, include), IsEmpty()) << path << " " << include;
  }
}

TEST(CheckThirdPartyHomes, FindsStrangersAndGuests) {
  EXPECT_THAT(Homes("lib/store/a.cc", "<sqlite3.h>"), FindsAt(1, "is at home in lib/sqlite/"));
  EXPECT_THAT(Homes("lib/base/a.cc", "<fmt/format.h>"), FindsAt(1, "has no home"));
  for (const auto& [path, include] : std::vector<std::pair<std::string, std::string>>{
           {"include/berglite/a.h", "<nlohmann/json.hpp>"},
           {"include/berglite/a.h", "<sqlite3.h>"},
           {"lib/store/a.cc", "\"sqlite3.h\""},
           {"lib/metadata/a.cc", "<boost/uuid/uuid.hpp>"},
           {"shim/server/a.cc", "<nlohmann/json.hpp>"},
           {"shim/rest/a.cc", "<httplib.h>"},
           {"shim/server/a.cc", "<spdlog/spdlog.h>"},
           {"lib/base/a.cc", "<CLI/CLI.hpp>"},
           {"lib/storage/a.cc", "<zlib.h>"},
           {"lib/base/a.cc", "<gtest/gtest.h>"}}) {
    EXPECT_THAT(Homes(path, include), FindsAt(1, "is at home in")) << path << " " << include;
  }
}

Findings Manners(const std::string& path, const std::string& text) {
  return CheckLibraryManners(ReadSource(path, text));
}

TEST(CheckLibraryManners, FindsWhatALibraryDoesNotDo) {
  for (const std::string text :
       {"printf(\"\");", "std::fprintf (f);", "puts(x);", "std::cout << 1;", "a(std::cerr);",
        "std::getenv(\"A\");", "x = environ;", "std::chrono::system_clock::now();",
        "std::random_device d;", "::time(nullptr);", "rand();", "getrandom(p, n, 0);",
        "std::mt19937 g;", "perror(\"\");"}) {
    EXPECT_THAT(Manners("lib/store/a.cc", "\n" + text + "\n"), FindsAt(2, "lib does not use"))
        << text;
  }
}

TEST(CheckLibraryManners, LeavesLikeSoundingNamesAlone) {
  for (const std::string text :
       {"snprintf(b, n, \"\");", "// printf(x)", "\"std::cout\"", "inputs(x);", "a.time();",
        "a->rand();", "int time = 0;", "std::chrono::steady_clock::now();", "Environment& e;"}) {
    EXPECT_THAT(Manners("lib/store/a.cc", text), IsEmpty()) << text;
  }
  EXPECT_THAT(Manners("shim/cli/a.cc", "std::cout << getenv(\"A\");"), IsEmpty());
}

TEST(CheckLibraryManners, LetsBaseSeeTheClockButNotPrint) {
  EXPECT_THAT(Manners("lib/base/a.cc", "system_clock::now(); getrandom(p, n, 0);"), IsEmpty());
  EXPECT_THAT(Manners("lib/base/a.cc", "printf(\"\");"), FindsAt(1, "printf"));
  EXPECT_THAT(Manners("lib/base/a.cc", "getenv(\"\");"), FindsAt(1, "getenv"));
}

Findings Sql(const std::string& path, const std::string& literal) {
  return CheckSqlHome(ReadSource(path, "\nf(R\"(" + literal + ")\");\n"));
}

TEST(CheckSqlHome, FindsSqlOutsideOfTheStore) {
  for (const char* sql :
       {"SELECT 1", "  INSERT INTO t VALUES (1)", "INSERT OR IGNORE INTO t", "UPDATE t SET a = 1",
        "DELETE FROM t", "CREATE TABLE t (a)", "DROP INDEX i", "BEGIN IMMEDIATE", "BEGIN",
        "COMMIT;", "PRAGMA user_version", "SAVEPOINT s", " WHERE a = ?1", "x ORDER BY a"}) {
    EXPECT_THAT(Sql("lib/catalog/a.cc", sql), FindsAt(2, "SQL is written in lib/store")) << sql;
    EXPECT_THAT(Sql("shim/rest/a.cc", sql), SizeIs(1)) << sql;
    EXPECT_THAT(Sql("lib/store/a.cc", sql), IsEmpty()) << sql;
    EXPECT_THAT(Sql("lib/sqlite/a.cc", sql), IsEmpty()) << sql;
  }
}

TEST(CheckSqlHome, LeavesOtherTextsAlone) {
  for (const char* text : {"DELETE", "Cannot commit", "select one", "UPDATE", "COMMIT failed",
                           "DELETE /v1/{prefix}/namespaces", "Begin", "SELECTED 1"}) {
    EXPECT_THAT(Sql("lib/catalog/a.cc", text), IsEmpty()) << text;
  }
  EXPECT_THAT(CheckSqlHome(ReadSource("lib/catalog/a.cc", "// SELECT 1\n")), IsEmpty());
}

Findings Keys(const std::string& path, const std::string& literal) {
  return CheckMetadataKeyHome(ReadSource(path, "f(R\"(" + literal + ")\");\n"));
}

TEST(CheckMetadataKeyHome, FindsKeysOutsideOfMetadata) {
  for (const char* literal :
       {"current-snapshot-id", "/metadata/current-snapshot-id", "{\"current-snapshot-id\": 1}"}) {
    EXPECT_THAT(Keys("lib/catalog/a.cc", literal), FindsAt(1, "current-snapshot-id")) << literal;
    EXPECT_THAT(Keys("shim/rest/a.cc", literal), SizeIs(1)) << literal;
    EXPECT_THAT(Keys("lib/metadata/a.cc", literal), IsEmpty()) << literal;
    EXPECT_THAT(Keys("shim/cli/a.cc", literal), SizeIs(1)) << literal;
    EXPECT_THAT(Keys("shim/cli/describe.cc", literal), IsEmpty()) << literal;
    EXPECT_THAT(Keys("tests/rest/a.cc", literal), IsEmpty()) << literal;
  }
  EXPECT_THAT(
      CheckMetadataKeyHome(ReadSource("lib/catalog/a.cc", "f(\"{\\\"metadata-log\\\": []}\");")),
      SizeIs(1));
}

TEST(CheckMetadataKeyHome, LeavesOtherTextsAlone) {
  for (const char* literal : {"metadata-location", "the current-snapshot-id is", "snapshots",
                              "assert-current-snapshot-id", "last-column-ids"}) {
    EXPECT_THAT(Keys("lib/catalog/a.cc", literal), IsEmpty()) << literal;
  }
}

TEST(CheckFunctionLength, FindsAFunctionOfOneLineTooMany) {
  const auto function = [](size_t lines) {
    std::string text = "int F() {\n";
    for (size_t i = 2; i < lines; ++i) text += "  a();\n";
    return ReadSource("lib/base/a.cc", "int b;\n" + text + "}\n");
  };
  EXPECT_THAT(CheckFunctionLength(function(70)), IsEmpty());
  EXPECT_THAT(CheckFunctionLength(function(71)), FindsAt(2, "int F has 71 lines"));
}

Findings Todo(const std::string& text) { return CheckTodo(ReadSource("lib/base/a.cc", text)); }

TEST(CheckTodo, WantsAClass) {
  EXPECT_THAT(Todo("// TODO"
                   "(perf): a\n"),
              IsEmpty());
  EXPECT_THAT(Todo("f(\"TODO\"); // TODOs\n"), IsEmpty());
  EXPECT_THAT(Todo("\n// TODO a\n"), FindsAt(2, "expected TODO(class), found TODO"));
  EXPECT_THAT(Todo("/* a\n * TODO: b */"), FindsAt(2, "found TODO"));
  EXPECT_THAT(Todo("// TODO"
                   "(Ann Other)\n"),
              SizeIs(1));
  EXPECT_THAT(Todo("// FIXME\n"), FindsAt(1, "found FIXME"));
  EXPECT_THAT(Todo("// FIXME"
                   "(perf)\n"),
              SizeIs(1));
}

Findings Opening(const std::string& path, const std::string& text) {
  return CheckHeaderOpening(ReadSource(path, text));
}

TEST(CheckHeaderOpening, WantsAPurposeAndAGuard) {
  EXPECT_THAT(Opening("lib/base/a.h", "// A.\n#pragma once\nint a;\n"), IsEmpty());
  EXPECT_THAT(Opening("lib/base/a.cc", "int a;\n"), IsEmpty());
  EXPECT_THAT(Opening("lib/base/a.h", "#pragma once\n// A.\n"), FindsAt(1, "what it is for"));
  EXPECT_THAT(Opening("lib/base/a.h", "// A.\nint a;\n#pragma once\n"), FindsAt(1, "pragma once"));
  EXPECT_THAT(Opening("lib/base/a.h", "// #pragma once\n"), FindsAt(1, "pragma once"));
}

TEST(CheckOwnHeaderFirst, WantsItBeforeAllElse) {
  const auto source = [](const std::string& text) { return ReadSource("lib/base/a.cc", text); };
  const Source good = source("// A.\n#include \"lib/base/a.h\"\n#include <string>\n");
  const Source bad = source("#include <string>\n#include \"lib/base/a.h\"\n");
  EXPECT_THAT(CheckOwnHeaderFirst(good, OwnHeader::kExists), IsEmpty());
  EXPECT_THAT(CheckOwnHeaderFirst(bad, OwnHeader::kNone), IsEmpty());
  EXPECT_THAT(CheckOwnHeaderFirst(bad, OwnHeader::kExists), FindsAt(1, "\"lib/base/a.h\""));
  EXPECT_THAT(CheckOwnHeaderFirst(source(""), OwnHeader::kExists), FindsAt(1, "first"));
}

TEST(CheckHeadersAreUsed, FindsAHeaderThatNobodyIncludes) {
  const std::vector<Source> sources = {
      ReadSource("include/berglite/a.h", ""),
      ReadSource("lib/base/b.h", ""),
      ReadSource("lib/base/c.h", ""),
      ReadSource("lib/base/c.cc", "#include \"lib/base/c.h\"\n"),
  };
  EXPECT_THAT(CheckHeadersAreUsed(sources), ElementsAre(Field(&Finding::path, "lib/base/b.h")));
}

TEST(CheckLines, FindsWhatALineMustNotBe) {
  EXPECT_THAT(CheckLines("a", ""), IsEmpty());
  EXPECT_THAT(CheckLines("a", "b\n\n  " + std::string(98, 'x') + "\n"), IsEmpty());
  EXPECT_THAT(CheckLines("a", "b\n" + std::string(101, 'x') + "\n"), FindsAt(2, "101 columns"));
  EXPECT_THAT(CheckLines("a", "b \n"), FindsAt(1, "white space"));
  EXPECT_THAT(CheckLines("a", "b\r\n"), FindsAt(1, "white space"));
  EXPECT_THAT(CheckLines("a", "\tb\n"), FindsAt(1, "a tab"));
  EXPECT_THAT(CheckLines("a", "b\n\xC3\xA9\n"), FindsAt(2, "not ASCII"));
  EXPECT_THAT(CheckLines("a", "b"), FindsAt(1, "no line break"));
  EXPECT_THAT(CheckLines("a", "b\n\n"), FindsAt(2, "an empty line"));
}

TEST(CheckWorkplaceWords, FindsPathsAndRegistries) {
  EXPECT_THAT(CheckWorkplaceWords("a",
                                  "b\ncd /wo"
                                  "rk/x\n"),
              FindsAt(2, "a word of a workplace"));
  EXPECT_THAT(CheckWorkplaceWords("a",
                                  "https://py"
                                  "pi.org/simple"),
              SizeIs(1));
  EXPECT_THAT(CheckWorkplaceWords("a", "/network/x a/workers /work\npip install x\n"), IsEmpty());
}

TEST(CheckIsBuilt, FindsAFileThatTheBuildDoesNotName) {
  const std::string cmake = "add(x SOURCES a.cc ab_test.cc\n  c.cc \"${HERE}/e.cc\") # d.cc\n";
  EXPECT_THAT(CheckIsBuilt("lib/base/a.cc", cmake), IsEmpty());
  EXPECT_THAT(CheckIsBuilt("lib/base/c.cc", cmake), IsEmpty());
  EXPECT_THAT(CheckIsBuilt("lib/base/e.cc", cmake), IsEmpty());
  EXPECT_THAT(CheckIsBuilt("tests/base/b_test.cc", cmake), FindsAt(1, "does not name it"));
  EXPECT_THAT(CheckIsBuilt("lib/base/d.cc", cmake), SizeIs(1));
  EXPECT_THAT(CheckIsBuilt("lib/base/a.c", cmake), SizeIs(1));
}

}  // namespace
}  // namespace berglite::tidy
