// The little that this module adds to POSIX files: descriptors that close themselves, calls that
// survive signals, and what an errno means to a caller.
//
// Threads: functions without state; a UniqueFd belongs to one thread at a time.
#pragma once

#include <cerrno>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "berglite/result.h"

namespace berglite::storage {

// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() {
    if (fd_ >= 0) close(fd_);
  }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Makes a system call again for as long as a signal interrupts it.
template <typename Call>
auto RetryInterrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

// openat, not inherited by child processes. Not open: errno says why.
UniqueFd OpenAt(int directory, const char* path, int flags);
// The same for a directory; `flags` are added.
UniqueFd OpenDirectoryAt(int directory, const char* path, int flags);

// The error of a change at `location` that failed with `error_number`: kInvalidArgument where the
// location itself cannot be (a name too long, a file in place of a directory), else kUnavailable.
// `action` completes `Cannot <action> <location>`.
Error WriteError(int error_number, std::string_view action, std::string_view location);

// The text of an errno. (strerror is not for threads.)
std::string DescribeErrno(int error_number);

}  // namespace berglite::storage
