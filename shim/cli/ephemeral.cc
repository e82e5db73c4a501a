#include "shim/cli/ephemeral.h"

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>

namespace berglite::cli {

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::Make() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string path = (parent / "berglite-XXXXXX").string();
  if (!error && mkdtemp(path.data()) == nullptr) error.assign(errno, std::system_category());
  if (error) {
    return Error{
        ErrorKind::kUnavailable,
        "Cannot make a directory among the temporary files (TMPDIR or /tmp): " + error.message()};
  }
  return std::make_unique<TemporaryDirectory>(path);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error) return;
  std::cerr << "berglite: " << path_.string() << " is left behind: " << error.message() << '\n';
}

Result<std::unique_ptr<TemporaryDirectory>> PrepareEphemeral(ServeOptions& options) {
  if (!options.ephemeral) return std::unique_ptr<TemporaryDirectory>();
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<TemporaryDirectory> directory,
                            TemporaryDirectory::Make());
  options.file = ":memory:";
  options.warehouse = (directory->path() / "warehouse").string();
  return directory;
}

}  // namespace berglite::cli
