// The power fails after the K-th call of the file layer, K = 0, 1, ..., in the life of a catalog
// from its making to its last drop. What was acknowledged before is there; what was under way is
// done or not, and never half; every pointer leads to a whole file.
#include <array>
#include <iostream>

#include "tests/fault/files.h"
#include "tests/fault/machine.h"

namespace berglite::testing {
namespace {

namespace fs = std::filesystem;

// The calls of one life, and how many had been made when each step was acknowledged.
struct History {
  std::vector<DiskCall> calls;
  std::vector<size_t> acknowledged;
  std::vector<std::string> states;  // one more than steps: before each, and at the end
  size_t purged = 0;                // the first state without the table that is purged
};

std::vector<Scenario> Steps() {
  std::vector<Scenario> steps = Furnishing();
  for (Scenario& step : Scenarios()) {
    // These would make or drop what another step does.
    if (step.name == "KeyedCreateTable" || step.name == "DropTable") continue;
    steps.push_back(std::move(step));
  }
  return steps;
}

class PowerLoss : public ::testing::TestWithParam<Survives> {
 protected:
  void Live() {
    Machine machine(files_.root());
    std::unique_ptr<Catalog> catalog = files_.OpenWell();
    history_.acknowledged.push_back(machine.Calls().size());
    history_.states = {"null", Describe(*catalog)};
    for (const Scenario& step : Steps()) {
      ASSERT_THAT(step.run(*catalog), IsOk()) << step.name;
      history_.acknowledged.push_back(machine.Calls().size());
      history_.states.push_back(Describe(*catalog));
      if (step.name == "DropTableWithPurge") history_.purged = history_.states.size() - 1;
    }
    catalog->FinishPurges();
    history_.calls = machine.Calls();
  }

  // What is found where the power failed after `count` calls.
  void CheckAfter(size_t count) {
    std::unique_ptr<Catalog> catalog = files_.OpenWell();
    ASSERT_NE(catalog, nullptr);
    const std::string state = Describe(*catalog);
    size_t steps = 0;
    while (steps < history_.acknowledged.size() && history_.acknowledged[steps] <= count) ++steps;
    const bool is_next = state != history_.states[steps];
    ASSERT_LT(steps + (is_next ? 1 : 0), history_.states.size()) << "forged: " << state;
    if (is_next) ++steps;
    ASSERT_EQ(state, history_.states[steps]) << "lost, forged or half done";
    if (steps < history_.purged) return;
    catalog->FinishPurges();
    EXPECT_FALSE(fs::exists(files_.warehouse() + "/ns/old"))
        << ::testing::PrintToString(FilesBelow(files_.warehouse() + "/ns/old"));
  }

  Files files_;
  History history_;
};

constexpr std::array kNames = {"Everything", "WhatWasSynced", "Prefixes", "Subsets"};

INSTANTIATE_TEST_SUITE_P(OfWhichSurvives, PowerLoss,
                         ::testing::Values(Survives::kEverything, Survives::kSynced,
                                           Survives::kPrefixes, Survives::kSubsets),
                         [](const auto& test) { return kNames[static_cast<size_t>(test.param)]; });

TEST_P(PowerLoss, LosesNothingThatWasAcknowledged) {
  Disk disk(files_.root());
  Live();
  const size_t count = history_.calls.size();
  for (size_t made = 0; made <= count && !HasFailure(); ++made) {
    if (made > 0) disk.Apply(history_.calls[made - 1]);
    // The number of the point is its seed.
    std::mt19937 random(static_cast<uint32_t>(made));
    disk.Write(GetParam(), random);
    CheckAfter(made);
    EXPECT_FALSE(HasFailure()) << "power failed after call " << made;
  }
  RecordProperty("points", std::to_string(count + 1));
  std::cout << "points at which the power failed: " << count + 1 << "\n";
  EXPECT_GT(count, 200u);
}

}  // namespace
}  // namespace berglite::testing
