// Confinement: keeps every change of the file system under the roots that the operator allows.
//
// Text cannot say where a path leads, links can. So a path is judged by where it really is: its
// deepest existing directory is opened, the kernel is asked for the real path of that very
// descriptor, and what does not exist yet is made relative to it without following links. No link
// that is swapped in after the check is followed. What remains: someone may move the opened
// directory itself out of the root between the check and the write. Whoever can do that may write
// in both places already, so it gains them nothing.
//
// Threads: immutable once made; use it from any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/result.h"
#include "lib/storage/posix.h"

namespace berglite::storage {

// A directory on the way to a path, and what is missing from there on.
struct Place {
  UniqueFd directory;                // the deepest that exists; open for reading
  std::vector<std::string> missing;  // names below it, outermost first; none where all exists
};

class Confinement {
 public:
  // `roots` are absolute local paths. Links in them are followed here, once, so that a root may be
  // a link; a root need not exist yet. Errors: kInvalidArgument for a root that cannot be.
  static Result<Confinement> Make(const std::vector<std::string>& roots);

  // Opens the place of the directory `path` (absolute, normalised) for a change. `location` names
  // it in messages. Errors: kInvalidArgument where it is or leads outside of every root, or cannot
  // be a directory; kUnavailable where it cannot be opened.
  Result<Place> Find(const std::string& path, const std::string& location) const;

  // Whether `name` in the open directory of `place`, which was found for `path`, is a root itself.
  bool IsRoot(const Place& place, const std::string& path, const std::string& name) const;

 private:
  struct Root {
    std::string named;  // as the operator gave it
    std::string real;
  };
  explicit Confinement(std::vector<Root> roots) : roots_(std::move(roots)) {}

  bool HoldsReal(std::string_view path) const;
  bool HoldsNamed(std::string_view path) const;
  Error OutsideError(const std::string& location) const;

  std::vector<Root> roots_;
};

// The real path of an open directory that was opened as `path`. One system call where
// `descriptor_links` (Linux: /proc/self/fd) is there. Empty with errno set where it cannot be told.
std::string RealPathOf(const UniqueFd& directory, const std::string& path,
                       const std::string& descriptor_links = "/proc/self/fd");

}  // namespace berglite::storage
