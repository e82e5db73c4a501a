#include "lib/storage/posix.h"

#include <fcntl.h>
#include <string>
#include <system_error>

namespace berglite::storage {

namespace {

// Files and directories get what the umask leaves of these.
constexpr mode_t kFileMode = 0666;

ErrorKind WriteErrorKind(int error_number) {
  switch (error_number) {
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EINVAL:
    case EILSEQ:
      return ErrorKind::kInvalidArgument;
    default:
      return ErrorKind::kUnavailable;
  }
}

}  // namespace

UniqueFd OpenAt(int directory, const char* path, int flags) {
  return UniqueFd(
      RetryInterrupted([&] { return openat(directory, path, flags | O_CLOEXEC, kFileMode); }));
}

UniqueFd OpenDirectoryAt(int directory, const char* path, int flags) {
  return OpenAt(directory, path, flags | O_RDONLY | O_DIRECTORY);
}

Error WriteError(int error_number, std::string_view action, std::string_view location) {
  std::string message = "Cannot ";
  message.append(action).append(" ").append(location).append(": ");
  return Error{WriteErrorKind(error_number), message + DescribeErrno(error_number)};
}

std::string DescribeErrno(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace berglite::storage
