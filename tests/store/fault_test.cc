// Writes whose file layer fails. Whatever the answer is, it must be true, and stay true where every
// process dies the moment after it was given: a copy of the files made then is what the next
// process would find.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/store/commit_queue.h"
#include "tests/store/fault_vfs.h"
#include "tests/store/fixtures.h"
#include "tests/store/group_fixture.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::function<Status(Writer&)> Insert(const std::string& name) {
  return [name](Writer& writer) { return writer.InsertNamespace({name}, {}); };
}

std::function<Result<bool>(Reader&)> IsThere(const std::string& name) {
  return [name](Reader& reader) { return reader.NamespaceExists({name}); };
}

std::vector<std::string> Namespaces(Store& store) {
  auto names = ReadOne(store, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
  EXPECT_THAT(names, IsOk());
  return names ? *names : std::vector<std::string>{"?"};
}

// What the next process finds where all die now. Another process makes the copy: to close a file
// here would give up the locks of this one.
std::vector<std::string> NamespacesAfterCrash(const TempDir& dir) {
  std::string copy = dir / "copy.db";
  std::string command = "cp '" + (dir / "lake.db") + "' '" + copy + "' && cp '" +
                        (dir / "lake.db-wal") + "' '" + copy + "-wal'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<std::string> names = Namespaces(*OpenOrDie(copy));
  std::filesystem::remove(copy);
  return names;
}

class Fault : public ::testing::Test {
 protected:
  void Open() { store_ = OpenOrDie(path_); }

  FaultVfs vfs_;
  TempDir dir_;
  const std::string path_ = dir_ / "lake.db";
  std::unique_ptr<Store> store_;
};

TEST_F(Fault, InASyncOfACommitIsSettledAsNotMade) {
  Open();
  ASSERT_THAT(store_->Write(Insert("before"), IsThere("before")), IsOk());
  vfs_.FailSync(1);
  EXPECT_THAT(store_->Write(Insert("lost"), IsThere("lost")), IsError(ErrorKind::kUnavailable, _));
  ASSERT_TRUE(vfs_.Heal());
  EXPECT_THAT(NamespacesAfterCrash(dir_), ElementsAre("before"));
  EXPECT_THAT(Namespaces(*store_), ElementsAre("before"));
  EXPECT_THAT(store_->Write(Insert("next"), IsThere("next")), IsOk());
  EXPECT_THAT(NamespacesAfterCrash(dir_), ElementsAre("before", "next"));
}

// The danger that the barrier is for is real: with the same failure and without a barrier, the
// change comes to life after a crash.
TEST_F(Fault, InASyncLeavesFramesThatACrashWouldBringToLife) {
  Open();
  RawDatabase raw(path_);
  vfs_.FailSync(1);
  int code = sqlite3_exec(raw.handle(),
                          "PRAGMA synchronous = FULL; INSERT INTO iceberg_namespace_properties"
                          " VALUES ('default', 'undead', 'exists', 'true')",
                          nullptr, nullptr, nullptr);
  EXPECT_EQ(code, SQLITE_IOERR);
  ASSERT_TRUE(vfs_.Heal());
  EXPECT_THAT(Namespaces(*store_), IsEmpty());
  EXPECT_THAT(NamespacesAfterCrash(dir_), ElementsAre("undead"));
}

TEST_F(Fault, InACommitIsASuccessWhereTheChangeIsThereAllTheSame) {
  Open();
  vfs_.FailSync(1);
  EXPECT_THAT(store_->Write(Insert("a"), [](Reader&) -> Result<bool> { return true; }), IsOk());
}

TEST_F(Fault, InACommitIsUnknownWhereTheChangeCannotBeLookedFor) {
  Open();
  vfs_.FailSync(1);
  EXPECT_THAT(store_->Write(Insert("a"),
                            [](Reader&) -> Result<bool> {
                              return Error{ErrorKind::kInternal, "cannot look"};
                            }),
              IsError(ErrorKind::kCommitStateUnknown, "cannot look"));
}

TEST_F(Fault, InACommitAndTheBarrierIsUnknown) {
  Open();
  vfs_.FailCall(1, SQLITE_IOERR_WRITE, FaultDuration::kFromThenOn);
  EXPECT_THAT(store_->Write(Insert("a"), NeverAsked), IsError(ErrorKind::kCommitStateUnknown, _));
  ASSERT_TRUE(vfs_.Heal());
  EXPECT_THAT(store_->Write(Insert("b"), IsThere("b")), IsOk());
}

TEST_F(Fault, OfAFullDiskIsAPlainFailure) {
  Open();
  ASSERT_THAT(store_->Write(Insert("before"), IsThere("before")), IsOk());
  vfs_.FailCall(1, SQLITE_FULL, FaultDuration::kFromThenOn);
  EXPECT_THAT(store_->Write(Insert("lost"), NeverAsked),
              IsError(ErrorKind::kUnavailable, HasSubstr("full")));
  vfs_.Heal();
  EXPECT_THAT(NamespacesAfterCrash(dir_), ElementsAre("before"));
  EXPECT_THAT(store_->Write(Insert("next"), IsThere("next")), IsOk());
  EXPECT_THAT(Namespaces(*store_), ElementsAre("before", "next"));
}

// All but the first page, which is all that opening needs, becomes what no database has.
void Damage(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  constexpr std::streamoff kPage = 4096;
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path));
  file.seekp(kPage);
  file << std::string(static_cast<size_t>(size - kPage), '\xFF');
}

TEST_F(Fault, OfTheDiskIsNotRememberedAsThatOfDamage) {
  Open();
  ASSERT_THAT(store_->Write(Insert("a"), IsThere("a")), IsOk());
  store_.reset();
  Open();
  const auto list = [this] {
    return ReadOne(*store_, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
  };
  const auto write = [this] { return store_->Write(Insert("b"), IsThere("b")); };
  vfs_.FailReads();
  EXPECT_THAT(list(), IsError(ErrorKind::kUnavailable, HasSubstr("disk I/O error")));
  ASSERT_TRUE(vfs_.Heal());
  Damage(path_);
  EXPECT_THAT(list(), IsError(ErrorKind::kInternal, HasSubstr("malformed")));
  EXPECT_THAT(write(), IsError(ErrorKind::kInternal, HasSubstr("malformed")));
}

class GroupFault : public GroupFixture {
 protected:
  FaultVfs vfs_;
};

// A body too large for SQLite's cache meets the full disk by itself, which ends the transaction of
// the whole group.
TEST_F(GroupFault, InOneBodyHitsNoOther) {
  OpenQueue();
  auto insert_much = [](Writer& writer) -> Status {
    const std::string value(4000, 'x');
    for (int i = 0; i < 2000; ++i) {
      BERGLITE_RETURN_IF_ERROR(writer.InsertNamespace({"big"}, {{std::to_string(i), value}}));
    }
    return {};
  };
  auto claim = [](Writer& writer) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists({"big"}));
    if (exists) return Error{ErrorKind::kAlreadyExists, "it was never there"};
    return writer.InsertNamespace({"claimed"}, {});
  };
  vfs_.LimitLog(1 << 20);
  std::vector<Status> outcomes =
      RunTogether({{Insert("a")}, {insert_much}, {claim}, {Insert("b")}});
  EXPECT_TRUE(vfs_.Heal());
  EXPECT_THAT(outcomes[0], IsOk());
  EXPECT_THAT(outcomes[1], IsError(ErrorKind::kUnavailable, HasSubstr("full")));
  EXPECT_THAT(outcomes[2], IsOk());
  EXPECT_THAT(outcomes[3], IsOk());
  EXPECT_THAT(Namespaces(), ElementsAre("a", "b", "claimed"));
}

// The same, where the body pays no heed to the errors it gets.
TEST_F(GroupFault, IsNotOverlookedWhereTheBodyOverlooksIt) {
  OpenQueue();
  auto insert_much = [](Writer& writer) -> Status {
    const std::string value(4000, 'x');
    for (int i = 0; i < 2000; ++i) {
      if (!writer.InsertNamespace({"big"}, {{std::to_string(i), value}})) return {};
    }
    return {};
  };
  vfs_.LimitLog(1 << 20);
  std::vector<Status> outcomes = RunTogether({{insert_much}, {Insert("a")}});
  vfs_.Heal();
  EXPECT_THAT(outcomes[0], IsError(ErrorKind::kUnavailable, "The transaction was rolled back"));
  EXPECT_THAT(outcomes[1], IsOk());
  EXPECT_THAT(Namespaces(), ElementsAre("a"));
}

// What a body was refused for may be a change that is gone with the commit.
TEST_F(GroupFault, InTheCommitIsAnsweredToEachBody) {
  OpenQueue();
  auto insert_and_fail_sync = [this](Writer& writer) -> Status {
    vfs_.FailSync(1);
    return writer.InsertNamespace({"a"}, {});
  };
  auto refuse = [](Writer&) -> Status { return Error{ErrorKind::kAlreadyExists, "a"}; };
  auto found = [](Reader&) -> Result<bool> { return true; };
  auto unseen = [](Reader&) -> Result<bool> { return Error{ErrorKind::kInternal, "unseen"}; };
  std::vector<Status> outcomes = RunTogether({{insert_and_fail_sync, IsThere("a")},
                                              {refuse},
                                              {Insert("b"), IsThere("b")},
                                              {Insert("c"), found},
                                              {Insert("d"), unseen}});
  ASSERT_TRUE(vfs_.Heal());
  EXPECT_THAT(outcomes[0], IsError(ErrorKind::kUnavailable, HasSubstr("disk I/O error")));
  EXPECT_THAT(outcomes[1], IsError(ErrorKind::kUnavailable, HasSubstr("disk I/O error")));
  EXPECT_THAT(outcomes[2], IsError(ErrorKind::kUnavailable, HasSubstr("disk I/O error")));
  EXPECT_THAT(outcomes[3], IsOk());
  EXPECT_THAT(outcomes[4], IsError(ErrorKind::kCommitStateUnknown, "unseen"));
  EXPECT_THAT(Namespaces(), IsEmpty());
}

struct FaultKind {
  int code;
  FaultDuration duration;
};
class EveryFault : public Fault, public ::testing::WithParamInterface<FaultKind> {};
INSTANTIATE_TEST_SUITE_P(Of, EveryFault,
                         ::testing::Values(FaultKind{SQLITE_IOERR_WRITE, FaultDuration::kOnce},
                                           FaultKind{SQLITE_IOERR_WRITE,
                                                     FaultDuration::kFromThenOn},
                                           FaultKind{SQLITE_FULL, FaultDuration::kOnce},
                                           FaultKind{SQLITE_FULL, FaultDuration::kFromThenOn}),
                         [](const auto& test) {
                           return std::string(test.param.code == SQLITE_FULL ? "Full" : "Io") +
                                  (test.param.duration == FaultDuration::kOnce ? "Once"
                                                                               : "FromThenOn");
                         });

// The N-th call of the file layer fails, N = 1, 2, ... until a write meets no fault any more.
TEST_P(EveryFault, OfAWriteIsAnsweredTruly) {
  Open();
  for (int64_t number = 1; number < 1000; ++number) {
    const std::string name = "n" + std::to_string(number);
    vfs_.FailCall(number, GetParam().code, GetParam().duration);
    Status status = store_->Write(Insert(name), IsThere(name));
    bool has_failed = vfs_.Heal();
    auto is_there = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    bool is_there_now = is_there(Namespaces(*store_));
    bool is_there_after_crash = is_there(NamespacesAfterCrash(dir_));
    if (status) {
      EXPECT_TRUE(is_there_now && is_there_after_crash) << number;
    } else if (status.error().kind == ErrorKind::kUnavailable) {
      EXPECT_FALSE(is_there_now || is_there_after_crash) << number << status.error().message;
    } else {
      EXPECT_EQ(status.error().kind, ErrorKind::kCommitStateUnknown) << status.error().message;
    }
    EXPECT_THAT(store_->Write(Insert("ok" + name), IsThere("ok" + name)), IsOk()) << number;
    if (!has_failed) {
      EXPECT_GE(number, 3) << "no fault was met";
      return;
    }
  }
  ADD_FAILURE() << "faults without end";
}

// Opening a new or old file under every fault: an error in words, and the next try succeeds.
TEST_P(EveryFault, OfOpeningLeavesAFileThatCanBeOpened) {
  for (int64_t number = 1; number < 1000; ++number) {
    const std::string path = dir_ / ("new" + std::to_string(number) + ".db");
    vfs_.FailCall(number, GetParam().code, GetParam().duration);
    Result<std::unique_ptr<Store>> store = Store::Open(path, {});
    bool has_failed = vfs_.Heal();
    if (!store) {
      EXPECT_EQ(store.error().kind, ErrorKind::kUnavailable) << store.error().message;
      store = Store::Open(path, {});
    }
    ASSERT_THAT(store, IsOk()) << number;
    EXPECT_THAT((*store)->Write(Insert("a"), IsThere("a")), IsOk()) << number;
    EXPECT_THAT(Namespaces(**store), ElementsAre("a"));
    if (!has_failed) {
      EXPECT_GE(number, 10) << "no fault was met";
      return;
    }
  }
  ADD_FAILURE() << "faults without end";
}

}  // namespace
}  // namespace berglite::store
