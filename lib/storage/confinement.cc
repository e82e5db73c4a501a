#include "lib/storage/confinement.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <limits.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>

#include "lib/storage/location.h"

namespace berglite::storage {

namespace {

bool IsUnder(std::string_view path, std::string_view root) {
  if (root == "/") return true;
  if (!path.starts_with(root)) return false;
  return path.size() == root.size() || path[root.size()] == '/';
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The names of `tail`, such as `a/b` or `/a/b`.
std::vector<std::string> NamesOf(std::string_view tail) {
  std::vector<std::string> names;
  while (!tail.empty()) {
    const std::string_view name = tail.substr(0, tail.find('/'));
    tail.remove_prefix(std::min(tail.size(), name.size() + 1));
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

bool IsLink(const UniqueFd& directory, const std::string& name) {
  struct stat status = {};
  return fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode);
}

// For systems without descriptor links. The resolved path counts only while it is that very
// directory.
std::string ResolvedPathOf(const UniqueFd& directory, const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr),
                                                             &std::free);
  if (resolved == nullptr) return {};
  struct stat opened = {};
  struct stat found = {};
  if (fstat(directory.get(), &opened) != 0 || stat(resolved.get(), &found) != 0) return {};
  if (opened.st_dev != found.st_dev || opened.st_ino != found.st_ino) {
    errno = ENOENT;
    return {};
  }
  return resolved.get();
}

}  // namespace

std::string RealPathOf(const UniqueFd& directory, const std::string& path,
                       const std::string& descriptor_links) {
  const std::string link = descriptor_links + "/" + std::to_string(directory.get());
  char target[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), target, sizeof(target));
  // A target that fills the buffer may have been cut.
  if (length <= 0 || static_cast<size_t>(length) == sizeof(target)) {
    return ResolvedPathOf(directory, path);
  }
  return std::string(target, static_cast<size_t>(length));
}

Result<Confinement> Confinement::Make(const std::vector<std::string>& roots) {
  std::vector<Root> resolved;
  for (const std::string& root : roots) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(root, error);
    if (error) {
      return Error{ErrorKind::kInvalidArgument,
                   "Cannot use " + root + " as a root for tables: " + error.message()};
    }
    resolved.push_back({root, real.native()});
  }
  return Confinement(std::move(resolved));
}

bool Confinement::HoldsReal(std::string_view path) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const Root& root) { return IsUnder(path, root.real); });
}

bool Confinement::HoldsNamed(std::string_view path) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const Root& root) { return IsUnder(path, root.named); });
}

bool Confinement::IsRoot(const Place& place, const std::string& path,
                         const std::string& name) const {
  const std::string real = RealPathOf(place.directory, path);
  const std::string directory = real == "/" ? "" : real;
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const Root& root) { return root.real == directory + "/" + name; });
}

Error Confinement::OutsideError(const std::string& location) const {
  std::string message = "Location " + location + " is outside of the allowed locations:";
  for (const Root& root : roots_) message += " " + UriOf(root.named);
  if (roots_.empty()) message += " there are none";
  return Error{ErrorKind::kInvalidArgument, std::move(message)};
}

Result<Place> Confinement::Find(const std::string& path, const std::string& location) const {
  Place place;
  std::string existing = path;
  for (;;) {
    place.directory = OpenDirectoryAt(AT_FDCWD, existing.c_str(), 0);
    if (place.directory.is_open()) break;
    if (errno != ENOENT || existing == "/") {
      const int error_number = errno;
      // What lies outside is refused as such, whatever else is wrong with it.
      if (!HoldsReal(path) && !HoldsNamed(path)) return OutsideError(location);
      return WriteError(error_number, "write under", location);
    }
    existing = ParentOf(existing);
  }
  place.missing = NamesOf(std::string_view(path).substr(existing.size()));

  std::string real = RealPathOf(place.directory, existing);
  if (real.empty()) return WriteError(errno, "write under", location);
  for (const std::string& name : place.missing) real.append(real == "/" ? "" : "/").append(name);
  if (!HoldsReal(real)) return OutsideError(location);
  if (!place.missing.empty() && IsLink(place.directory, place.missing.front())) {
    return Error{ErrorKind::kInvalidArgument,
                 "Location " + location +
                     " passes through a link that leads nowhere: " + place.missing.front()};
  }
  return place;
}

}  // namespace berglite::storage
