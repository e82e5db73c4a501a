#include "tests/fault/faults.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include <gtest/gtest.h>

namespace berglite::testing {
namespace {

constexpr int64_t kFaultsMax = 20'000;

// Each how manyth fault is made.
int64_t StepOf(const Fault& fault, int64_t per_step) {
  constexpr int64_t kAllocationsPerFileCall = 29;
  if (const char* text = std::getenv("BERGLITE_FAULT_STEP")) {
    per_step = std::max<int64_t>(1, std::strtol(text, nullptr, 10));
    if (per_step == 1) return 1;
  }
  return per_step * (fault.kind == Fault::Kind::kNoMemory ? kAllocationsPerFileCall : 1);
}

const char* NameOf(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kIo:
      return "Io";
    case Fault::Kind::kFull:
      return "Full";
    case Fault::Kind::kShortWrite:
      return "ShortWrite";
    case Fault::Kind::kCannotOpen:
      return "CannotOpen";
    case Fault::Kind::kNoMemory:
      return "NoMemory";
  }
  return "";
}

}  // namespace

std::vector<Fault> AllFaults() {
  std::vector<Fault> all;
  for (const auto kind : {Fault::Kind::kIo, Fault::Kind::kFull, Fault::Kind::kShortWrite,
                          Fault::Kind::kCannotOpen, Fault::Kind::kNoMemory}) {
    all.push_back({kind, Fault::Duration::kOnce});
    all.push_back({kind, Fault::Duration::kFromThenOn});
  }
  return all;
}

std::string NameOf(const Fault& fault) {
  return std::string(NameOf(fault.kind)) +
         (fault.duration == Fault::Duration::kOnce ? "Once" : "FromThenOn");
}

void ForEachFault(const Fault& fault, int64_t faults_min,
                  const std::function<bool(int64_t number)>& try_one, int64_t per_step) {
  int64_t number = 1;
  int64_t tries = 0;
  while (number < kFaultsMax && try_one(number) && !::testing::Test::HasFailure()) {
    number += StepOf(fault, per_step);
    ++tries;
  }
  EXPECT_FALSE(::testing::Test::HasFailure()) << "at call " << number;
  ::testing::Test::RecordProperty("faults", std::to_string(tries));
  std::cout << "faults met: " << tries << "\n";
  EXPECT_GE(number, faults_min) << "hardly any fault was met";
  EXPECT_LT(number, kFaultsMax) << "faults without end";
}

void WriteKilled(Disk before, const std::vector<DiskCall>& calls) {
  for (const DiskCall& call : calls) before.Apply(call);
  std::mt19937 unused(0);
  before.Write(Survives::kEverything, unused);
}

}  // namespace berglite::testing
