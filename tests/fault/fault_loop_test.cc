// The N-th call of the file layer fails, N = 1, 2, ..., until a run meets no fault: with an I/O
// error, a full disk, a write cut short, a file that cannot be opened; once, or from then on. Each
// run starts from the same files. Whatever the answer, it is true, also for whoever opens the file
// after all processes were killed the moment after it was given; nothing is half done; and the same
// call succeeds once the machine works again.
#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "tests/fault/faults.h"
#include "tests/fault/files.h"
#include "tests/fault/machine.h"
#include "tests/fault/scenarios.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using store::RawDatabase;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class EveryFaultOf : public ::testing::TestWithParam<std::tuple<Scenario, Fault>> {
 protected:
  void SetUp() override {
    {
      std::unique_ptr<Catalog> catalog = files_.OpenWell();
      for (const Scenario& step : Furnishing()) ASSERT_THAT(step.run(*catalog), IsOk());
    }
    files_.Keep();
    before_ = files_.DescribeAfresh();
    {
      std::unique_ptr<Catalog> catalog = files_.OpenWell();
      ASSERT_THAT(scenario_.run(*catalog), IsOk());
    }
    after_ = files_.DescribeAfresh();
  }

  int64_t FaultsMin() const {
    switch (fault_.kind) {
      case Fault::Kind::kNoMemory:
        return 30;
      case Fault::Kind::kIo:
        return 4;
      case Fault::Kind::kFull:
      case Fault::Kind::kShortWrite:
        // It answers from what is there.
        return scenario_.name == "RepeatedUpdateTable" ? 0 : 3;
      case Fault::Kind::kCannotOpen:
        return 1;
    }
    return 1;
  }

  // Whether the `number`-th call was there to fail.
  bool Try(int64_t number) {
    files_.Restore();
    const Disk disk(files_.root());
    const std::vector<std::string> files_before = FilesBelow(files_.warehouse());
    Status outcome;
    std::vector<DiskCall> calls;
    bool was_hit = false;
    {
      Machine machine(files_.root());
      std::unique_ptr<Catalog> catalog = files_.OpenWell();
      machine.FailCall(number, fault_);
      outcome = scenario_.run(*catalog);
      was_hit = machine.Heal();
      calls = machine.Calls();
      const std::string state = files_.DescribeAfresh();
      CheckOutcome(outcome, state);
      const bool is_plain = !outcome && outcome.error().kind != ErrorKind::kCommitStateUnknown;
      if (is_plain && fault_.duration == Fault::Duration::kOnce) {
        EXPECT_EQ(FilesBelow(files_.warehouse()), files_before) << "something was left";
      }
      CheckRepetition(*catalog, state == after_);
      CheckGone(*catalog);
    }
    WriteKilled(disk, calls);
    const std::string state = files_.DescribeAfresh();
    CheckOutcome(outcome, state);
    if (state == after_) CheckGone(*files_.OpenWell());
    return was_hit;
  }

  // What a drop has to remove is removed in the end, whatever became of the drop at first.
  void CheckGone(Catalog& catalog) {
    if (scenario_.gone.empty()) return;
    files_.MakeRetriesDue();
    catalog.FinishPurges();
    EXPECT_THAT(FilesBelow(files_.warehouse() + "/" + scenario_.gone), IsEmpty());
    EXPECT_FALSE(fs::exists(files_.warehouse() + "/" + scenario_.gone));
  }

  void CheckOutcome(const Status& outcome, const std::string& state) {
    EXPECT_TRUE(state == before_ || state == after_) << "half done: " << state;
    if (outcome) {
      EXPECT_EQ(state, after_) << "the success is not there";
      return;
    }
    EXPECT_THAT(outcome.error().kind, AnyOf(ErrorKind::kUnavailable, ErrorKind::kInternal,
                                            ErrorKind::kCommitStateUnknown))
        << outcome.error().message;
    if (outcome.error().kind == ErrorKind::kCommitStateUnknown) return;
    EXPECT_EQ(state, before_) << "done all the same: " << outcome.error().message;
  }

  void CheckRepetition(Catalog& catalog, bool was_done) {
    const Status again = scenario_.run(catalog);
    const std::vector<ErrorKind>& allowed = scenario_.when_done;
    const bool is_known =
        !again && was_done &&
        std::find(allowed.begin(), allowed.end(), again.error().kind) != allowed.end();
    EXPECT_TRUE(is_known || again) << (again ? "" : again.error().message);
    EXPECT_EQ(Describe(catalog), after_);
  }

  const Scenario scenario_ = std::get<0>(GetParam());
  const Fault fault_ = std::get<1>(GetParam());
  Files files_;
  std::string before_;
  std::string after_;
};

INSTANTIATE_TEST_SUITE_P(All, EveryFaultOf,
                         ::testing::Combine(::testing::ValuesIn(Scenarios()),
                                            ::testing::ValuesIn(AllFaults())),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + NameOf(std::get<1>(test.param));
                         });

TEST_P(EveryFaultOf, IsAnsweredTruly) {
  ForEachFault(fault_, FaultsMin(), [this](int64_t number) { return Try(number); });
}

constexpr char kTablesOfOthers[] =
    "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,"
    " metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key));"
    "INSERT INTO iceberg_namespace_properties VALUES ('default', 'ns', 'p', 'q')";
constexpr char kBackToTheThirdVersion[] =
    "DELETE FROM berglite_schema_version WHERE version > 3;"
    "DROP TABLE berglite_metrics; DROP TABLE berglite_functions; DROP TABLE berglite_warehouses;"
    "DROP TABLE berglite_deletions";

enum class Age { kNew, kOfOthers, kOlder };

class EveryFaultOfOpening : public ::testing::TestWithParam<std::tuple<Age, Fault>> {
 protected:
  void SetUp() override {
    if (age_ == Age::kOfOthers) RawDatabase(files_.catalog_file()).Run(kTablesOfOthers);
    if (age_ == Age::kOlder) {
      std::unique_ptr<Catalog> catalog = files_.OpenWell();
      for (const Scenario& step : Furnishing()) ASSERT_THAT(step.run(*catalog), IsOk());
      catalog = nullptr;
      RawDatabase(files_.catalog_file()).Run(kBackToTheThirdVersion);
    }
    files_.Keep();
    content_ = files_.DescribeAfresh();
  }

  // Whether the `number`-th call was there to fail.
  bool Try(int64_t number) {
    files_.Restore();
    const Disk disk(files_.root());
    std::vector<DiskCall> calls;
    bool was_hit = false;
    {
      Machine machine(files_.root());
      machine.FailCall(number, std::get<1>(GetParam()));
      const Result<std::unique_ptr<Catalog>> catalog = files_.Open();
      was_hit = machine.Heal();
      calls = machine.Calls();
      if (!catalog) {
        EXPECT_THAT(catalog, IsError(ErrorKind::kUnavailable,
                                     AnyOf(HasSubstr("lake.db"), HasSubstr(files_.root()))));
      }
      EXPECT_EQ(files_.DescribeAfresh(), content_);
    }
    WriteKilled(disk, calls);
    EXPECT_EQ(files_.DescribeAfresh(), content_);
    return was_hit;
  }

  const Age age_ = std::get<0>(GetParam());
  Files files_;
  std::string content_;
};

constexpr std::array kAges = {"New", "OfOthers", "Older"};

INSTANTIATE_TEST_SUITE_P(All, EveryFaultOfOpening,
                         ::testing::Combine(::testing::Values(Age::kNew, Age::kOfOthers,
                                                              Age::kOlder),
                                            ::testing::ValuesIn(AllFaults())),
                         [](const auto& test) {
                           return kAges[static_cast<size_t>(std::get<0>(test.param))] +
                                  NameOf(std::get<1>(test.param));
                         });

TEST_P(EveryFaultOfOpening, LeavesAFileThatCanBeOpened) {
  // It is opened, read, written and synced, and so is the log beside it.
  const Fault& fault = std::get<1>(GetParam());
  ForEachFault(fault, fault.kind == Fault::Kind::kCannotOpen ? 4 : 20,
               [this](int64_t number) { return Try(number); });
}

}  // namespace
}  // namespace berglite::testing
