// MovedDirectory: what becomes of locations when a directory is somewhere else.
//
// Threads: immutable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berglite/result.h"

namespace berglite::storage {

class MovedDirectory {
 public:
  // Both are directories or `file:` URIs; a relative path is taken from the current directory.
  // Neither need exist. Errors: kInvalidArgument where one of them is no such thing, or they are
  // the same.
  static Result<MovedDirectory> Make(std::string_view from, std::string_view to);

  // Absolute paths.
  const std::string& from() const { return from_; }
  const std::string& to() const { return to_; }

  // Whether a location is of the directory where it was, or of something below it. What is in the
  // place where it is now is not, even where that lies below: it has been moved already.
  bool Contains(std::string_view location) const;
  // Where what was at `location` is now: in the same form, path or URI. Other locations, and texts
  // that are none, stay as they are.
  std::string Map(std::string_view location) const;

 private:
  MovedDirectory(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}

  // What follows from_ in the path of a location that it contains.
  std::optional<std::string> FindBelow(std::string_view location) const;

  std::string from_;
  std::string to_;
};

}  // namespace berglite::storage
