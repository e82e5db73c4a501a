// A catalog file and its warehouse in a directory of their own, which can be put back to how they
// were.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tests/fault/scenarios.h"

namespace berglite::testing {

class Files {
 public:
  const std::string& root() const { return root_; }
  std::string catalog_file() const { return root_ + "/lake.db"; }
  std::string warehouse() const { return root_ + "/warehouse"; }

  void Keep() { std::filesystem::copy(root_, kept_, std::filesystem::copy_options::recursive); }
  void Restore() {
    for (const auto& entry : std::filesystem::directory_iterator(root_))
      std::filesystem::remove_all(entry.path());
    std::filesystem::copy(kept_, root_, std::filesystem::copy_options::recursive);
  }

  // Each opening has random bytes of its own.
  Result<std::unique_ptr<Catalog>> Open() {
    return Catalog::Open(catalog_file(), {.environment = &environment_});
  }
  std::unique_ptr<Catalog> OpenWell() {
    Result<std::unique_ptr<Catalog>> catalog = Open();
    EXPECT_THAT(catalog, IsOk());
    return catalog ? *std::move(catalog) : nullptr;
  }
  // As much later as a failed purge waits.
  void MakeRetriesDue() { environment_.SetNowMs(environment_.NowMs() + 3'600'000); }
  std::string DescribeAfresh() {
    std::unique_ptr<Catalog> catalog = OpenWell();
    return catalog == nullptr ? "" : Describe(*catalog);
  }

 private:
  TempDir directory_;
  const std::string root_ = [this] {
    std::filesystem::create_directory(directory_ / "live");
    return directory_ / "live";
  }();
  const std::string kept_ = directory_ / "kept";
  FakeEnvironment environment_;
};

}  // namespace berglite::testing
