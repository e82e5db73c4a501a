// Every fault of an import from the file of a SQL catalog: of copying and opening it, of making the
// catalog file that it goes to, and of moving the pointers. What is reported as moved is there,
// also after all processes were killed; the source stays as it was; and the same import once more
// is whole.
#include <filesystem>

#include "shim/transfer/local_catalog.h"
#include "shim/transfer/transfer.h"
#include "tests/fault/faults.h"
#include "tests/fault/files.h"
#include "tests/fault/machine.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using store::RawDatabase;
using transfer::Verdict;
namespace fs = std::filesystem;
using Outcomes = std::vector<transfer::Outcome>;

// As Java's JdbcCatalog lays them out.
constexpr char kMakeTables[] =
    "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,"
    " metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),"
    " iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key));"
    "INSERT INTO iceberg_tables SELECT * FROM lake.iceberg_tables;"
    "INSERT INTO iceberg_namespace_properties SELECT * FROM lake.iceberg_namespace_properties";

class EveryFaultOfAnImport : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    {
      std::unique_ptr<Catalog> catalog = files_.OpenWell();
      for (const Scenario& step : Furnishing()) ASSERT_THAT(step.run(*catalog), IsOk());
    }
    RawDatabase(source()).Run("ATTACH '" + files_.catalog_file() + "' AS lake; " + kMakeTables);
    fs::remove(files_.catalog_file());
    ClearCopies();
    files_.Keep();
    source_ = FileText(source());
    ASSERT_THAT(Import(), IsOk());
    after_ = files_.DescribeAfresh();
  }

  std::string copies() const { return files_.root() + "/copies"; }
  void ClearCopies() {
    fs::remove_all(copies());
    fs::create_directory(copies());
  }
  std::string source() const { return files_.root() + "/source.db"; }

  // As `berglite import` does it.
  Result<Outcomes> Import() {
    const std::string copy = copies() + "/catalog.db";
    BERGLITE_RETURN_IF_ERROR(CopyCatalogFile(source(), copy));
    BERGLITE_ASSIGN_OR_RETURN(
        const std::unique_ptr<Catalog> from,
        Catalog::Open(copy, {.allowed_locations = {"/"}, .owed_purges = OwedPurges::kLeave}));
    BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> to, files_.Open());
    const auto source = transfer::MakeLocalEndpoint(*from, "source.db");
    const auto target = transfer::MakeLocalEndpoint(*to, "lake.db");
    return transfer::Transfer(*source, *target, {});
  }

  // Whether the `number`-th call was there to fail.
  bool Try(int64_t number) {
    files_.Restore();
    const Disk disk(files_.root());
    std::vector<DiskCall> calls;
    bool was_hit = false;
    Result<Outcomes> outcomes = Outcomes();
    {
      Machine machine(files_.root());
      machine.FailCall(number, GetParam());
      outcomes = Import();
      was_hit = machine.Heal();
      calls = machine.Calls();
    }
    if (!outcomes) {
      EXPECT_THAT(outcomes, IsError(ErrorKind::kUnavailable, ::testing::_));
      outcomes = Outcomes();
    }
    CheckMoved(*outcomes);
    ClearCopies();
    const Result<Outcomes> again = Import();
    EXPECT_THAT(again, IsOk());
    CheckWhole(again ? *again : Outcomes());
    EXPECT_EQ(files_.DescribeAfresh(), after_);
    EXPECT_EQ(FileText(source()), source_);
    WriteKilled(disk, calls);
    CheckMoved(*outcomes);
    return was_hit;
  }

  void CheckMoved(const Outcomes& outcomes) {
    const std::unique_ptr<Catalog> catalog = files_.OpenWell();
    for (const transfer::Outcome& outcome : outcomes) {
      if (outcome.verdict == Verdict::kFailed) continue;
      EXPECT_EQ(outcome.verdict, Verdict::kMoved);
      const TableIdentifier name{{outcome.name.front()}, outcome.name.back()};
      if (outcome.kind == transfer::Outcome::Kind::kNamespace) {
        EXPECT_THAT(catalog->NamespaceExists(outcome.name), IsOkAndHolds(true));
      } else if (outcome.kind == transfer::Outcome::Kind::kTable) {
        EXPECT_THAT(catalog->LoadTable(name, {}), IsOk());
      } else {
        EXPECT_THAT(catalog->LoadView(name), IsOk());
      }
    }
  }

  static void CheckWhole(const Outcomes& outcomes) {
    EXPECT_EQ(outcomes.size(), 5u) << "a namespace, three tables and a view";
    for (const transfer::Outcome& outcome : outcomes) {
      EXPECT_TRUE(outcome.verdict == Verdict::kMoved || outcome.verdict == Verdict::kPresent)
          << ::testing::PrintToString(outcome.name) << ": " << outcome.reason;
    }
  }

  Files files_;
  std::string source_;
  std::string after_;
};

INSTANTIATE_TEST_SUITE_P(All, EveryFaultOfAnImport, ::testing::ValuesIn(AllFaults()),
                         [](const auto& test) { return NameOf(test.param); });

TEST_P(EveryFaultOfAnImport, IsReportedTruly) {
  constexpr int64_t kFaultsMin = 20;
  constexpr int64_t kPerStep = 11;
  ForEachFault(
      GetParam(), kFaultsMin, [this](int64_t number) { return Try(number); }, kPerStep);
}

}  // namespace
}  // namespace berglite::testing
