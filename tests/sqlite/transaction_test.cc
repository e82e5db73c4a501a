#include "lib/sqlite/transaction.h"

#include <optional>

#include "tests/sqlite/fixtures.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::sqlite {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::HasSubstr;

class TransactionTest : public ::testing::Test {
 protected:
  TransactionTest() {
    EXPECT_THAT(connection_->Execute("PRAGMA journal_mode = DELETE; CREATE TABLE t (v)"), IsOk());
  }

  Result<Transaction> BeginWrite() {
    return Transaction::Begin(*connection_, TransactionKind::kWrite);
  }
  Status Insert() { return connection_->Execute("INSERT INTO t VALUES (1)"); }
  int64_t Count() { return Ask(*connection_, "SELECT count(*) FROM t"); }

  TempDir dir_;
  std::unique_ptr<Connection> connection_ = ConnectOrDie(dir_ / "data.db");
};

TEST_F(TransactionTest, KeepsWhatIsCommitted) {
  {
    Result<Transaction> transaction = BeginWrite();
    ASSERT_THAT(transaction, IsOk());
    EXPECT_TRUE(connection_->in_transaction());
    ASSERT_THAT(Insert(), IsOk());
    EXPECT_THAT(transaction->Commit(), IsOk());
    EXPECT_FALSE(connection_->in_transaction());
    transaction->Rollback();  // too late to do anything
  }
  EXPECT_EQ(Count(), 1);
}

TEST_F(TransactionTest, UndoesWhatIsNotCommitted) {
  {
    Result<Transaction> transaction = BeginWrite();
    ASSERT_THAT(transaction, IsOk());
    ASSERT_THAT(Insert(), IsOk());
  }
  EXPECT_FALSE(connection_->in_transaction());
  EXPECT_EQ(Count(), 0);
}

TEST_F(TransactionTest, EndsOnceThoughItIsMoved) {
  Result<Transaction> transaction = BeginWrite();
  ASSERT_THAT(transaction, IsOk());
  ASSERT_THAT(Insert(), IsOk());
  {
    Transaction moved = *std::move(transaction);
    ASSERT_THAT(moved.Commit(), IsOk());
  }
  transaction->Rollback();  // NOLINT(bugprone-use-after-move): nothing is left to roll back
  EXPECT_EQ(Count(), 1);
}

// A reader of another connection keeps a commit of a rollback-journal database waiting.
TEST_F(TransactionTest, IsOverWhereItCannotBeCommitted) {
  auto other = ConnectOrDie(dir_ / "data.db");
  Result<Transaction> read = Transaction::Begin(*other, TransactionKind::kRead);
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(Ask(*other, "SELECT count(*) FROM t"), 0);

  Result<Transaction> transaction = BeginWrite();
  ASSERT_THAT(transaction, IsOk());
  ASSERT_THAT(Insert(), IsOk());
  EXPECT_THAT(transaction->Commit(),
              IsError(ErrorKind::kUnavailable, HasSubstr("database is locked")));
  EXPECT_EQ(connection_->last_failure(), Failure::kBusy);
  EXPECT_FALSE(connection_->in_transaction());
  read->Rollback();
  EXPECT_EQ(Count(), 0);
}

TEST_F(TransactionTest, OfReadingSeesOneState) {
  ASSERT_THAT(connection_->Execute("PRAGMA journal_mode = WAL"), IsOk());
  auto other = ConnectOrDie(dir_ / "data.db");
  Result<Transaction> read = Transaction::Begin(*other, TransactionKind::kRead);
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(Ask(*other, "SELECT count(*) FROM t"), 0);
  ASSERT_THAT(Insert(), IsOk());
  EXPECT_EQ(Ask(*other, "SELECT count(*) FROM t"), 0);
  read->Rollback();
  EXPECT_EQ(Ask(*other, "SELECT count(*) FROM t"), 1);
}

TEST_F(TransactionTest, HasPartsThatAreUndoneAlone) {
  Result<Transaction> transaction = BeginWrite();
  ASSERT_THAT(transaction, IsOk());
  {
    Result<Savepoint> kept = Savepoint::Begin(*connection_);
    ASSERT_THAT(kept, IsOk());
    ASSERT_THAT(Insert(), IsOk());
    ASSERT_THAT(kept->Release(), IsOk());
  }
  {
    Result<Savepoint> undone = Savepoint::Begin(*connection_);
    ASSERT_THAT(undone, IsOk());
    ASSERT_THAT(Insert(), IsOk());
    ASSERT_THAT(undone->Undo(), IsOk());
  }
  {
    Result<Savepoint> dropped = Savepoint::Begin(*connection_);
    ASSERT_THAT(dropped, IsOk());
    ASSERT_THAT(Insert(), IsOk());
  }
  ASSERT_THAT(transaction->Commit(), IsOk());
  EXPECT_EQ(Count(), 1);
}

}  // namespace
}  // namespace berglite::sqlite
