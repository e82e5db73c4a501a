// `berglite serve --ephemeral`: a fresh catalog that is gone at the end.
#pragma once

#include <filesystem>
#include <memory>

#include <berglite/result.h>

#include "shim/cli/options.h"

namespace berglite::cli {

// A fresh directory among the temporary files, which only this user can enter. It is removed with
// its owner; a process that is killed leaves it behind.
class TemporaryDirectory {
 public:
  // Errors: kUnavailable.
  static Result<std::unique_ptr<TemporaryDirectory>> Make();
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

// Points the options at a catalog in memory and a warehouse in the directory returned, which must
// outlive the server. Does nothing, and returns null, unless options.ephemeral.
Result<std::unique_ptr<TemporaryDirectory>> PrepareEphemeral(ServeOptions& options);

}  // namespace berglite::cli
