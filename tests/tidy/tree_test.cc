// The rules of the house over the whole tree.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tidy/rules.h"
#include "tests/tidy/source.h"

namespace berglite::tidy {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;

struct TextFile {
  std::string path;  // from the root of the project
  std::string text;
};

std::string Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the build, the program and tools leave in a tree.
bool IsLeftover(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::array<std::string_view, 7> kNames = {
      ".git", ".venv", "__pycache__", ".pytest_cache", "node_modules", "target", "warehouse"};
  return name.starts_with("build") || name.starts_with("berglite.db") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<TextFile> ReadTree() {
  const fs::path root = BERGLITE_SOURCE_DIR;
  std::vector<TextFile> files;
  for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
    if (IsLeftover(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    std::string text = Slurp(entry->path());
    if (text.find('\0') != std::string::npos) continue;
    files.push_back({entry->path().lexically_relative(root).generic_string(), std::move(text)});
  }
  std::sort(files.begin(), files.end(),
            [](const TextFile& a, const TextFile& b) { return a.path < b.path; });
  return files;
}

class Tree : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = ReadTree();
    for (const TextFile& file : files_) {
      if (!file.path.ends_with(".cc") && !file.path.ends_with(".h")) continue;
      sources_.push_back(ReadSource(file.path, file.text));
    }
  }
  static void TearDownTestSuite() {
    files_.clear();
    sources_.clear();
  }

  // What `rule` finds in all C++ files.
  template <typename Rule>
  static Findings FindInSources(Rule rule) {
    Findings all;
    for (const Source& source : sources_) {
      const Findings found = rule(source);
      all.insert(all.end(), found.begin(), found.end());
    }
    return all;
  }

  static bool Exists(const std::string& path) {
    return fs::exists(fs::path(BERGLITE_SOURCE_DIR) / path);
  }

  static inline std::vector<TextFile> files_;
  static inline std::vector<Source> sources_;
};

TEST_F(Tree, IsRead) {
  std::vector<std::string> paths;
  for (const Source& source : sources_) paths.push_back(source.path);
  EXPECT_THAT(paths, Contains("lib/base/json.cc"));
  EXPECT_THAT(paths, Contains("include/berglite/catalog.h"));
  EXPECT_THAT(paths, Contains("shim/cli/main.cc"));
  EXPECT_THAT(paths, Contains("tests/tidy/tree_test.cc"));
}

TEST_F(Tree, KeepsTheLayersOfTheDesign) { EXPECT_THAT(FindInSources(CheckLayering), IsEmpty()); }

TEST_F(Tree, KeepsThirdPartyHeadersAtHome) {
  EXPECT_THAT(FindInSources(CheckThirdPartyHomes), IsEmpty());
}

TEST_F(Tree, HasALibraryWithManners) { EXPECT_THAT(FindInSources(CheckLibraryManners), IsEmpty()); }

TEST_F(Tree, KeepsSqlInTheStore) { EXPECT_THAT(FindInSources(CheckSqlHome), IsEmpty()); }

TEST_F(Tree, KeepsMetadataKeysInMetadata) {
  EXPECT_THAT(FindInSources(CheckMetadataKeyHome), IsEmpty());
}

TEST_F(Tree, HasShortFunctions) { EXPECT_THAT(FindInSources(CheckFunctionLength), IsEmpty()); }

TEST_F(Tree, ClassifiesItsTodos) { EXPECT_THAT(FindInSources(CheckTodo), IsEmpty()); }

TEST_F(Tree, HasHeadersThatSayWhatTheyAreFor) {
  EXPECT_THAT(FindInSources(CheckHeaderOpening), IsEmpty());
}

TEST_F(Tree, HasHeadersThatCompileAlone) {
  EXPECT_THAT(
      FindInSources([](const Source& source) -> Findings {
        if (!source.path.ends_with(".cc")) return {};
        const std::string header =
            source.path.substr(0, source.path.size() - std::string_view(".cc").size()) + ".h";
        return CheckOwnHeaderFirst(source, Exists(header) ? OwnHeader::kExists : OwnHeader::kNone);
      }),
      IsEmpty());
}

TEST_F(Tree, UsesItsHeaders) { EXPECT_THAT(CheckHeadersAreUsed(sources_), IsEmpty()); }

TEST_F(Tree, BuildsItsSources) {
  EXPECT_THAT(FindInSources([](const Source& source) -> Findings {
                if (!source.path.ends_with(".cc")) return {};
                const std::string directory = source.path.substr(0, source.path.rfind('/') + 1);
                return CheckIsBuilt(source.path, Slurp(fs::path(BERGLITE_SOURCE_DIR) /
                                                       (directory + "CMakeLists.txt")));
              }),
              IsEmpty());
}

// Sources of any language; prose may have long lines and any letters.
bool IsCode(std::string_view path) {
  constexpr std::array<std::string_view, 7> kEndings = {".cc", ".h",  ".cmake", ".txt",
                                                        ".py", ".in", ".java"};
  return path.starts_with("script/") || path.starts_with(".ci/") ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

TEST_F(Tree, HasCleanLines) {
  Findings all;
  for (const TextFile& file : files_) {
    if (!IsCode(file.path)) continue;
    const Findings found = CheckLines(file.path, file.text);
    all.insert(all.end(), found.begin(), found.end());
  }
  EXPECT_THAT(all, IsEmpty());
}

TEST_F(Tree, NamesNoWorkplace) {
  Findings all;
  for (const TextFile& file : files_) {
    const Findings found = CheckWorkplaceWords(file.path, file.text);
    all.insert(all.end(), found.begin(), found.end());
  }
  EXPECT_THAT(all, IsEmpty());
}

}  // namespace
}  // namespace berglite::tidy
