#include "lib/storage/moved_directory.h"

#include "lib/storage/location.h"

namespace berglite::storage {
namespace {

// What follows `directory` in a path, beginning with a slash or empty; nullopt for a path that is
// not of it.
std::optional<std::string> Below(const std::string& path, const std::string& directory) {
  if (directory == "/") return path == "/" ? "" : path;
  if (!path.starts_with(directory)) return std::nullopt;
  std::string below = path.substr(directory.size());
  if (!below.empty() && below.front() != '/') return std::nullopt;
  return below;
}

// What stands before the path: `file://`, `file:`, `file://localhost` or nothing.
std::string_view FormOf(std::string_view location) {
  constexpr std::string_view kScheme = "file:";
  if (location.starts_with('/')) return {};
  const bool has_authority = location.substr(kScheme.size()).starts_with("//");
  return location.substr(0, location.find('/', kScheme.size() + (has_authority ? 2 : 0)));
}

}  // namespace

Result<MovedDirectory> MovedDirectory::Make(std::string_view from, std::string_view to) {
  BERGLITE_ASSIGN_OR_RETURN(std::string from_path, ResolveConfiguredPath(from));
  BERGLITE_ASSIGN_OR_RETURN(std::string to_path, ResolveConfiguredPath(to));
  if (from_path == to_path) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected two places, where the directory was and where it is now; found " +
                     from_path + " twice"};
  }
  return MovedDirectory(std::move(from_path), std::move(to_path));
}

bool MovedDirectory::Contains(std::string_view location) const {
  return FindBelow(location).has_value();
}

std::string MovedDirectory::Map(std::string_view location) const {
  const std::optional<std::string> below = FindBelow(location);
  if (!below) return std::string(location);
  std::string path = to_ == "/" && !below->empty() ? *below : to_ + *below;
  if (location.ends_with('/') && !path.ends_with('/')) path += '/';
  return std::string(FormOf(location)) + path;
}

std::optional<std::string> MovedDirectory::FindBelow(std::string_view location) const {
  const Result<std::string> path = LocalPathOf(location);
  if (!path) return std::nullopt;
  if (Below(to_, from_) && Below(*path, to_)) return std::nullopt;
  return Below(*path, from_);
}

}  // namespace berglite::storage
