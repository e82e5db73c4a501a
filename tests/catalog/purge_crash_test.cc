// A process that is killed while it drops a table with a purge.
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/purge_fixture.h"

namespace berglite::testing {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

class PurgeCrash : public PurgeTest {
 protected:
  // Drops `ns.t` in a process that is killed before its `removals`-th removal. Returns whether it
  // came to that. No thread may run here.
  bool DropAndDie(int removals) {
    const pid_t child = fork();
    EXPECT_NE(child, -1);
    if (child == 0) {
      catalog_ = OpenGuarded([&](const std::string&) -> Status {
        if (removals-- == 0) raise(SIGKILL);
        return {};
      });
      const Status dropped = catalog_->DropTable({{"ns"}, "t"}, {.purge_requested = true});
      catalog_->FinishPurges();
      _exit(dropped ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) return true;
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return false;
  }
};

// Goal: a kill at any moment loses neither the drop nor a file to be removed. Method: it comes
// before the n-th removal, n = 0, 1, ..., until there is none so late; then the file is opened.
TEST_F(PurgeCrash, LosesNothingThatIsOwed) {
  int kills = 0;
  bool was_killed = true;
  for (int n = 0; was_killed; ++n) {
    catalog_ = Open();
    const std::string location = MakeTable("t");
    AddSmallSnapshot("t", location, "a");
    AddSmallSnapshot("t", location, "b");
    catalog_ = nullptr;
    was_killed = DropAndDie(n);
    kills += was_killed ? 1 : 0;
    EXPECT_EQ(Owed().empty(), !was_killed);
    catalog_ = Open();
    EXPECT_THAT(catalog_->TableExists({{"ns"}, "t"}), IsOkAndHolds(false));
    catalog_->FinishPurges();
    EXPECT_THAT(Owed(), IsEmpty()) << n;
    EXPECT_FALSE(fs::exists(location)) << n << ::testing::PrintToString(Tree(location));
    catalog_ = nullptr;
    ASSERT_LT(n, 1000);
  }
  EXPECT_GT(kills, 20);
}

}  // namespace
}  // namespace berglite::testing
