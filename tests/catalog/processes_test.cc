// Several processes on one file.
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

// A process of its own, begun before any thread: opens the file, commits, and says how often it
// failed.
[[noreturn]] void RunWriter(const std::string& file, int number, int commits) {
  auto catalog = Catalog::Open(file);
  if (!catalog) _exit(100);
  int failures = 0;
  for (int i = 0; i < commits; ++i) {
    std::string key = std::to_string(number) + "." + std::to_string(i);
    if (!(*catalog)->UpdateTable({{"ns"}, "t"}, Doc(SetProperty(key, "v")))) ++failures;
  }
  catalog->reset();
  _exit(failures);
}

TEST(Processes, OnOneFileLoseNoCommit) {
  constexpr int kProcesses = 4;
  constexpr int kCommits = 15;
  TempDir directory;
  std::string file = directory / "lake.db";
  {
    auto catalog = Catalog::Open(file);
    ASSERT_THAT(catalog, IsOk());
    ASSERT_THAT((*catalog)->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
    ASSERT_THAT((*catalog)->CreateTable({"ns"}, Doc(TableRequest("t"))), IsOk());
  }
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) RunWriter(file, i, kCommits);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  auto catalog = Catalog::Open(file);
  ASSERT_THAT(catalog, IsOk());
  auto table = (*catalog)->LoadTable({{"ns"}, "t"}, {});
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(Dom(*table)["metadata"]["properties"].size(), kProcesses * kCommits + 1u);
}

TEST(Processes, SeeEachOthersCommitsAtOnce) {
  TempDir directory;
  auto one = Catalog::Open(directory / "lake.db");
  auto two = Catalog::Open(directory / "lake.db");
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(two, IsOk());
  ASSERT_THAT((*one)->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
  EXPECT_THAT((*two)->NamespaceExists({"ns"}), IsOkAndHolds(true));
  ASSERT_THAT((*two)->CreateTable({"ns"}, Doc(TableRequest("t"))), IsOk());
  ASSERT_THAT((*one)->LoadTable({{"ns"}, "t"}, {}), IsOk());
  ASSERT_THAT((*two)->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  auto loaded = (*one)->LoadTable({{"ns"}, "t"}, {});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(Dom(*loaded)["metadata"]["properties"]["k"], "v");
}

}  // namespace
}  // namespace berglite::testing
