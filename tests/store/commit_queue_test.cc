// Writes that meet each other: order, isolation, other connections and other processes.

#include "lib/store/commit_queue.h"

#include <atomic>
#include <barrier>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "lib/base/limits.h"
#include "lib/sqlite/connection.h"
#include "tests/store/fixtures.h"
#include "tests/store/group_fixture.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::berglite::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const EntryKey kCounter{{"ns"}, "counter"};

Status InsertCounter(Writer& writer) {
  BERGLITE_ASSIGN_OR_RETURN(bool inserted, writer.InsertEntry(kCounter, {EntryKind::kTable, "0"}));
  EXPECT_TRUE(inserted);
  return {};
}

// A read and a compare-and-swap, which lose nothing only where bodies are serialized.
Status CountUp(Writer& writer) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<Entry> entry, writer.FindEntry(kCounter));
  if (!entry) return Error{ErrorKind::kNoSuchTable, "no counter"};
  std::string next = std::to_string(std::stoi(entry->metadata_location) + 1);
  BERGLITE_ASSIGN_OR_RETURN(
      bool moved, writer.MovePointer(kCounter, EntryKind::kTable, entry->metadata_location, next));
  return moved ? Status() : Status(Error{ErrorKind::kCommitFailed, "lost a count"});
}

std::string ReadCounter(Store& store) {
  auto entry = ReadOne(store, [](Reader& r) { return r.FindEntry(kCounter); });
  return entry && *entry ? (*entry)->metadata_location : "none";
}

void CountUpInThreads(const std::vector<Store*>& stores, int times) {
  std::vector<std::thread> threads;
  threads.reserve(stores.size());
  for (Store* store : stores) {
    threads.emplace_back([store, times] {
      for (int i = 0; i < times; ++i) EXPECT_THAT(store->Write(CountUp, NeverAsked), IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Write, OfManyThreadsLosesNothing) {
  TempDir dir;
  for (const std::string& path : {dir / "lake.db", std::string(":memory:")}) {
    std::unique_ptr<Store> store = OpenOrDie(path);
    ASSERT_THAT(store->Write(InsertCounter, NeverAsked), IsOk());
    CountUpInThreads(std::vector<Store*>(16, store.get()), 25);
    EXPECT_EQ(ReadCounter(*store), "400");
  }
}

TEST(Write, OfTwoStoresOnOneFileLosesNothing) {
  TempDir dir;
  std::unique_ptr<Store> one = OpenOrDie(dir / "lake.db");
  std::unique_ptr<Store> two = OpenOrDie(dir / "lake.db");
  ASSERT_THAT(one->Write(InsertCounter, NeverAsked), IsOk());
  CountUpInThreads({one.get(), two.get(), one.get(), two.get(), one.get(), two.get()}, 25);
  EXPECT_EQ(ReadCounter(*one), "150");
  EXPECT_EQ(ReadCounter(*two), "150");
}

// The child is made before this process opens the file: SQLite does not stand a fork in between.
TEST(Write, OfTwoProcessesLosesNothing) {
  TempDir dir;
  { ASSERT_THAT(OpenOrDie(dir / "lake.db")->Write(InsertCounter, NeverAsked), IsOk()); }
  pid_t child = fork();
  if (child == 0) {
    std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db");
    for (int i = 0; i < 100; ++i) {
      if (!store->Write(CountUp, NeverAsked)) _exit(1);
    }
    store.reset();
    _exit(0);
  }
  std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db");
  CountUpInThreads({store.get(), store.get()}, 50);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ReadCounter(*store), "200");
}

TEST(Write, OfSeveralProcessesMakesANewFileTogether) {
  TempDir dir;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0) {
      Result<std::unique_ptr<Store>> store = Store::Open(dir / "new.db", {});
      bool is_written =
          store && (*store)->Write(
                       [&](Writer& w) { return w.InsertNamespace({"p" + std::to_string(i)}, {}); },
                       NeverAsked);
      if (store) store->reset();
      _exit(is_written ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::unique_ptr<Store> store = OpenOrDie(dir / "new.db");
  auto names = ReadOne(*store, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
  EXPECT_THAT(names, IsOkAndHolds(ElementsAre("p0", "p1", "p2", "p3")));
}

TEST(Write, FailsWhereAnotherProgramKeepsTheLockAndReadsGoOn) {
  TempDir dir;
  std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db", {.busy_timeout_ms = 20});
  ASSERT_THAT(store->Write(InsertCounter, NeverAsked), IsOk());
  RawDatabase raw(dir / "lake.db");
  raw.Run("BEGIN IMMEDIATE");
  bool has_run = false;
  EXPECT_THAT(store->Write(
                  [&](Writer&) -> Status {
                    has_run = true;
                    return {};
                  },
                  NeverAsked),
              IsError(ErrorKind::kUnavailable, HasSubstr("lake.db: database is locked")));
  EXPECT_FALSE(has_run);
  EXPECT_EQ(store->ReadCounters().busy_waits, 1);
  EXPECT_EQ(ReadCounter(*store), "0");
  raw.Run("COMMIT");
  EXPECT_THAT(store->Write(CountUp, NeverAsked), IsOk());
  EXPECT_EQ(ReadCounter(*store), "1");
}

TEST_F(GroupFixture, CountsItsGroupsAndHowManyWritesWereInThem) {
  OpenQueue();
  const CommitQueue::Body nothing = [](CatalogRows&) -> Status { return {}; };
  for (const Status& outcome : RunTogether({{nothing}, {nothing}, {nothing}})) {
    EXPECT_THAT(outcome, IsOk());
  }
  const WriteCounters counters = queue_->ReadCounters();
  EXPECT_EQ(counters.groups, 2);  // one of them held the lead until the others waited
  EXPECT_EQ(counters.writes, 4);
  EXPECT_EQ(counters.waiting, 0);
  EXPECT_EQ(counters.busy_waits, 0);
}

TEST(Read, DoesNotWaitForAWriteAndSeesNothingOfIt) {
  TempDir dir;
  std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db");
  ASSERT_THAT(store->Write(InsertCounter, NeverAsked), IsOk());
  ASSERT_THAT(store->Write(
                  [&](Writer& writer) -> Status {
                    BERGLITE_RETURN_IF_ERROR(CountUp(writer));
                    EXPECT_EQ(ReadCounter(*store), "0");
                    return {};
                  },
                  NeverAsked),
              IsOk());
  EXPECT_EQ(ReadCounter(*store), "1");
}

TEST(Read, SeesOneStateThroughout) {
  TempDir dir;
  std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db");
  ASSERT_THAT(store->Write(InsertCounter, NeverAsked), IsOk());
  auto count = [](Reader& reader) {
    Result<std::optional<Entry>> entry = reader.FindEntry(kCounter);
    return entry && *entry ? (*entry)->metadata_location : "none";
  };
  ASSERT_THAT(store->Read([&](Reader& reader) -> Status {
    EXPECT_EQ(count(reader), "0");
    EXPECT_THAT(store->Write(CountUp, NeverAsked), IsOk());
    EXPECT_EQ(count(reader), "0");
    return {};
  }),
              IsOk());
  EXPECT_EQ(ReadCounter(*store), "1");
}

// Each group of kReadersMax threads goes on only when all of them are inside a read.
TEST(Read, RunsAsManyAtOnceAsThereAreConnectionsAndTheRestAfter) {
  TempDir dir;
  std::unique_ptr<Store> store = OpenOrDie(dir / "lake.db");
  std::barrier all_inside(static_cast<ptrdiff_t>(limits::kReadersMax));
  std::atomic<int> finished = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3 * limits::kReadersMax; ++i) {
    threads.emplace_back([&] {
      EXPECT_THAT(store->Read([&](Reader& reader) -> Status {
        BERGLITE_RETURN_IF_ERROR(reader.NamespaceExists({"ns"}));
        all_inside.arrive_and_wait();
        ++finished;
        return {};
      }),
                  IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(finished, 3 * static_cast<int>(limits::kReadersMax));
}

class GroupTest : public GroupFixture {
 protected:
  GroupTest() { OpenQueue(); }
};

TEST_F(GroupTest, RunsBodiesInTheOrderOfArrival) {
  std::vector<size_t> order;
  std::vector<Write> bodies;
  std::vector<size_t> expected;
  for (size_t i = 0; i < 20; ++i) {
    expected.push_back(i);
    bodies.push_back({[&order, i](Writer&) -> Status {
      order.push_back(i);
      return {};
    }});
  }
  for (const Status& outcome : RunTogether(bodies)) EXPECT_THAT(outcome, IsOk());
  EXPECT_EQ(order, expected);
}

TEST_F(GroupTest, UndoesTheBodyThatFailsAndNoOther) {
  std::vector<Write> bodies;
  for (size_t i = 0; i < 9; ++i) {
    bodies.push_back({[i](Writer& writer) -> Status {
      BERGLITE_RETURN_IF_ERROR(writer.InsertNamespace({std::to_string(i)}, {}));
      if (i == 4) return Error{ErrorKind::kAlreadyExists, "four"};
      BERGLITE_ASSIGN_OR_RETURN(bool sees_failed, writer.NamespaceExists({"4"}));
      EXPECT_FALSE(sees_failed);
      return {};
    }});
  }
  std::vector<Status> outcomes = RunTogether(bodies);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (i == 4) {
      EXPECT_THAT(outcomes[i], IsError(ErrorKind::kAlreadyExists, "four"));
    } else {
      EXPECT_THAT(outcomes[i], IsOk()) << i;
    }
  }
  EXPECT_THAT(Namespaces(), ElementsAre("0", "1", "2", "3", "5", "6", "7", "8"));
}

TEST_F(GroupTest, SeesTheChangesOfBodiesBefore) {
  auto claim = [](Writer& writer) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists({"one"}));
    if (exists) return Error{ErrorKind::kAlreadyExists, "taken"};
    return writer.InsertNamespace({"one"}, {});
  };
  std::vector<Status> outcomes = RunTogether({{claim}, {claim}, {claim}});
  EXPECT_THAT(outcomes[0], IsOk());
  EXPECT_THAT(outcomes[1], IsError(ErrorKind::kAlreadyExists, "taken"));
  EXPECT_THAT(outcomes[2], IsError(ErrorKind::kAlreadyExists, "taken"));
}

TEST_F(GroupTest, OfMoreBodiesThanATransactionTakesIsSplit) {
  std::atomic<int> runs = 0;
  auto body = [&](Writer&) -> Status {
    ++runs;
    return {};
  };
  std::vector<Write> bodies(200, Write{body});
  for (const Status& outcome : RunTogether(bodies)) EXPECT_THAT(outcome, IsOk());
  EXPECT_EQ(runs, 200);
}

TEST_F(GroupTest, LeavesTheFileAloneWhereEveryBodyFails) {
  auto fail = [](Writer& writer) -> Status {
    BERGLITE_RETURN_IF_ERROR(writer.InsertNamespace({"x"}, {}));
    return Error{ErrorKind::kValidation, "no"};
  };
  for (const Status& outcome : RunTogether({{fail}, {fail}})) {
    EXPECT_THAT(outcome, IsError(ErrorKind::kValidation, "no"));
  }
  EXPECT_THAT(Namespaces(), ::testing::IsEmpty());
}

// What one looks at alone is committed, and stays so until it has looked.
TEST_F(GroupTest, IsHeldOffByOneWhoReadsAlone) {
  std::latch leads(1);
  std::latch release(1);
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    EXPECT_THAT(queue_->Write(
                    [&](Writer&) -> Status {
                      leads.count_down();
                      release.wait();
                      return {};
                    },
                    NeverAsked),
                IsOk());
  });
  leads.wait();
  auto insert = [&](const char* name) {
    EXPECT_THAT(queue_->Write([=](Writer& writer) { return writer.InsertNamespace({name}, {}); },
                              NeverAsked),
                IsOk());
  };
  auto read = [&] {
    EXPECT_THAT(queue_->ReadAlone([&](Reader& reader) -> Status {
      EXPECT_THAT(reader.NamespaceExists({"before"}), testing::IsOkAndHolds(true));
      EXPECT_THAT(reader.NamespaceExists({"after"}), testing::IsOkAndHolds(false));
      // Nothing of this connection is open: others see the same.
      EXPECT_THAT(Namespaces(), ElementsAre("before"));
      return {};
    }),
                IsOk());
  };
  threads.emplace_back([&] { insert("before"); });
  while (queue_->WaitingForTest() < 1) std::this_thread::yield();
  threads.emplace_back(read);
  while (queue_->WaitingForTest() < 2) std::this_thread::yield();
  threads.emplace_back([&] { insert("after"); });
  while (queue_->WaitingForTest() < 3) std::this_thread::yield();
  release.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Namespaces(), ElementsAre("after", "before"));
}

}  // namespace
}  // namespace berglite::store
