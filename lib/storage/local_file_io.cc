// FileIO on the local file system.
//
// A new file is created under its final name and never renamed into place: names of metadata files
// carry a fresh UUID, and nothing refers to a file before its write has returned. It is durable on
// return: the file, its directory, and the parents of directories that were made for it are synced.
// A directory that another call has made, and not yet synced, is taken as it is; file systems make
// directory operations durable in their order.
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include "berglite/file_io.h"
#include "lib/storage/confinement.h"
#include "lib/storage/location.h"
#include "lib/storage/posix.h"

namespace berglite {

namespace {

using storage::Confinement;
using storage::DescribeErrno;
using storage::LocalPathOf;
using storage::OpenAt;
using storage::OpenDirectoryAt;
using storage::Place;
using storage::RetryInterrupted;
using storage::UniqueFd;
using storage::WriteError;

// What the umask leaves of it.
constexpr mode_t kDirectoryMode = 0777;

Error NotFoundError(const std::string& location) {
  // The words of Iceberg's own FileIO, which clients look for.
  return Error{ErrorKind::kNotFound, "Failed to open input stream for file: " + location};
}

// The error of a look at `location` that failed with `error_number`.
Error ReadError(int error_number, const std::string& location) {
  const std::string message = "Cannot read " + location + ": " + DescribeErrno(error_number);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return NotFoundError(location);
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:  // a socket
      return Error{ErrorKind::kInvalidArgument, message};
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Error{ErrorKind::kUnavailable, message};
    default:
      return Error{ErrorKind::kInternal, message};
  }
}

Result<size_t> RegularFileSize(const UniqueFd& file, const std::string& location) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) return ReadError(errno, location);
  if (S_ISREG(status.st_mode)) return static_cast<size_t>(status.st_size);
  return Error{ErrorKind::kInvalidArgument,
               "Cannot read " + location + ": expected a regular file, found " +
                   (S_ISDIR(status.st_mode) ? "a directory" : "a special file")};
}

DirectoryEntry EntryOf(std::string name, const struct stat& status) {
  using Type = DirectoryEntry::Type;
  const Type not_a_file = S_ISDIR(status.st_mode) ? Type::kDirectory : Type::kOther;
  return {
      .name = std::move(name),
      .type = S_ISREG(status.st_mode) ? Type::kFile : not_a_file,
      .bytes = status.st_size,
      .modified_ms = int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000};
}

Result<UniqueFd> OpenToRead(const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
  // Without blocking: a pipe without a writer would be waited for.
  UniqueFd file = OpenAt(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.is_open()) return ReadError(errno, location);
  return file;
}

// Fewer than `size` bytes where the file ends before.
Result<std::string> ReadBytes(const UniqueFd& file, uint64_t offset, size_t size,
                              const std::string& location) {
  std::string content(size, '\0');
  size_t length = 0;
  while (length < size) {
    const ssize_t count = RetryInterrupted([&] {
      return pread(file.get(), content.data() + length, size - length,
                   static_cast<off_t>(offset + length));
    });
    if (count < 0) return ReadError(errno, location);
    if (count == 0) break;
    length += static_cast<size_t>(count);
  }
  content.resize(length);
  return content;
}

// 0, or an errno.
int WriteAll(const UniqueFd& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        RetryInterrupted([&] { return write(file.get(), bytes.data(), bytes.size()); });
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// 0, or an errno.
int Sync(const UniqueFd& file) {
  return RetryInterrupted([&] { return fsync(file.get()); }) == 0 ? 0 : errno;
}

// 0, or an errno.
int SyncDirectory(const UniqueFd& directory) {
  const int error_number = Sync(directory);
  // Some network file systems have no such call; they are durable without.
  return error_number == EINVAL ? 0 : error_number;
}

// Makes directories one below the other, each durable before the next, and removes those it made
// when it goes out of scope, unless they are kept.
class DirectoryMaker {
 public:
  explicit DirectoryMaker(UniqueFd start) : current_(std::move(start)) {}
  DirectoryMaker(const DirectoryMaker&) = delete;
  DirectoryMaker& operator=(const DirectoryMaker&) = delete;
  ~DirectoryMaker() {
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
      unlinkat(made->parent.get(), made->name.c_str(), AT_REMOVEDIR);
    }
  }

  // Goes down into `name`, making it where it is missing. 0, or an errno.
  int Enter(const std::string& name) {
    const bool made = mkdirat(current_.get(), name.c_str(), kDirectoryMode) == 0;
    if (!made && errno != EEXIST) return errno;
    UniqueFd child = OpenDirectoryAt(current_.get(), name.c_str(), O_NOFOLLOW);
    const int open_error = child.is_open() ? 0 : errno;
    // Also where another call was faster: its sync may still be to come.
    const int error_number = open_error != 0 ? open_error : SyncDirectory(current_);
    UniqueFd parent = std::exchange(current_, std::move(child));
    if (made) made_.push_back({std::move(parent), name});
    return error_number;
  }

  const UniqueFd& current() const { return current_; }
  void Keep() { made_.clear(); }

 private:
  struct Made {
    UniqueFd parent;
    std::string name;
  };

  UniqueFd current_;
  std::vector<Made> made_;
};

// A local path taken apart at its last slash.
struct FilePath {
  std::string directory;
  std::string name;
};

Result<FilePath> FilePathOf(const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string path, LocalPathOf(location));
  const size_t slash = path.rfind('/');
  if (slash + 1 == path.size()) {
    return Error{ErrorKind::kInvalidArgument, "Location " + location + " names no file"};
  }
  std::string name = path.substr(slash + 1);
  path.resize(slash == 0 ? 1 : slash);
  return FilePath{std::move(path), std::move(name)};
}

// Creates the file `name` in `directory`, whole and durable, or leaves nothing.
Status WriteNewFile(const UniqueFd& directory, const std::string& name, std::string_view bytes,
                    const std::string& location) {
  const UniqueFd file =
      OpenAt(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file.is_open()) {
    if (errno != EEXIST) return WriteError(errno, "write", location);
    return Error{ErrorKind::kAlreadyExists, "File already exists: " + location};
  }
  int error_number = WriteAll(file, bytes);
  if (error_number == 0) error_number = Sync(file);
  if (error_number == 0) error_number = SyncDirectory(directory);
  if (error_number == 0) return {};
  unlinkat(directory.get(), name.c_str(), 0);
  return WriteError(error_number, "write", location);
}

class LocalFileIO final : public FileIO {
 public:
  explicit LocalFileIO(Confinement confinement) : confinement_(std::move(confinement)) {}

  Result<std::string> Read(const std::string& location, size_t size_max) override {
    BERGLITE_ASSIGN_OR_RETURN(const UniqueFd file, OpenToRead(location));
    BERGLITE_ASSIGN_OR_RETURN(const size_t size, RegularFileSize(file, location));
    if (size > size_max) {
      return Error{ErrorKind::kInvalidArgument, "Cannot read " + location + ": expected at most " +
                                                    std::to_string(size_max) + " bytes, found " +
                                                    std::to_string(size)};
    }
    return ReadBytes(file, 0, size, location);
  }

  Result<std::string> ReadPart(const std::string& location, uint64_t offset, size_t size) override {
    BERGLITE_ASSIGN_OR_RETURN(const UniqueFd file, OpenToRead(location));
    BERGLITE_ASSIGN_OR_RETURN(const size_t file_size, RegularFileSize(file, location));
    if (offset >= file_size) return std::string();
    return ReadBytes(file, offset, std::min<uint64_t>(size, file_size - offset), location);
  }

  Result<std::vector<DirectoryEntry>> List(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
    std::error_code failure;
    std::vector<DirectoryEntry> entries;
    std::filesystem::directory_iterator entry(path, failure);
    for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
      struct stat status = {};
      const int code = lstat(entry->path().c_str(), &status);
      if (code == 0) {
        entries.push_back(EntryOf(entry->path().filename().string(), status));
      } else if (errno != ENOENT) {  // what is gone by now is not listed
        return ReadError(errno, location);
      }
    }
    if (failure) return ReadError(failure.value(), location);
    return entries;
  }

  Result<bool> Exists(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return ReadError(errno, location);
  }

  std::string RealLocation(const std::string& location) override {
    return storage::RealPathOfLocation(location);
  }

  Status WriteNew(const std::string& location, std::string_view bytes) override {
    BERGLITE_ASSIGN_OR_RETURN(const FilePath path, FilePathOf(location));
    BERGLITE_ASSIGN_OR_RETURN(Place place, confinement_.Find(path.directory, location));
    DirectoryMaker maker(std::move(place.directory));
    for (const std::string& name : place.missing) {
      const int error_number = maker.Enter(name);
      if (error_number != 0) return WriteError(error_number, "write", location);
    }
    BERGLITE_RETURN_IF_ERROR(WriteNewFile(maker.current(), path.name, bytes, location));
    maker.Keep();
    return {};
  }

  Status Delete(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const FilePath path, FilePathOf(location));
    BERGLITE_ASSIGN_OR_RETURN(const Place place, confinement_.Find(path.directory, location));
    if (!place.missing.empty()) return {};
    if (unlinkat(place.directory.get(), path.name.c_str(), 0) == 0 || errno == ENOENT) return {};
    return WriteError(errno, "delete", location);
  }

  Status CreateDirectory(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
    BERGLITE_ASSIGN_OR_RETURN(Place place, confinement_.Find(path, location));
    DirectoryMaker maker(std::move(place.directory));
    for (const std::string& name : place.missing) {
      const int error_number = maker.Enter(name);
      if (error_number != 0) return WriteError(error_number, "create directory", location);
    }
    maker.Keep();
    return {};
  }

  Result<bool> RemoveEmptyDirectory(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const FilePath path, FilePathOf(location));
    BERGLITE_ASSIGN_OR_RETURN(const Place place, confinement_.Find(path.directory, location));
    if (!place.missing.empty()) return true;
    if (confinement_.IsRoot(place, path.directory, path.name)) {
      return Error{ErrorKind::kInvalidArgument,
                   "Cannot remove " + location + ": it is one of the allowed locations"};
    }
    if (unlinkat(place.directory.get(), path.name.c_str(), AT_REMOVEDIR) == 0) return true;
    if (errno == ENOENT) return true;
    if (errno == ENOTEMPTY || errno == EEXIST) return false;
    return WriteError(errno, "remove", location);
  }

  Status SyncDirectory(const std::string& location) override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
    BERGLITE_ASSIGN_OR_RETURN(const Place place, confinement_.Find(path, location));
    if (!place.missing.empty()) return {};
    const int error_number = ::berglite::SyncDirectory(place.directory);
    return error_number == 0 ? Status() : WriteError(error_number, "sync", location);
  }

  Status CheckWritable(const std::string& location) const override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string path, LocalPathOf(location));
    BERGLITE_RETURN_IF_ERROR(confinement_.Find(path, location));
    return {};
  }

 private:
  const Confinement confinement_;
};

}  // namespace

Result<std::vector<DirectoryEntry>> FileIO::List(const std::string& location) {
  return Error{ErrorKind::kUnsupported, "Cannot list " + location};
}

Result<std::shared_ptr<FileIO>> MakeLocalFileIO(const std::vector<std::string>& roots) {
  std::vector<std::string> paths;
  for (const std::string& root : roots) {
    BERGLITE_ASSIGN_OR_RETURN(std::string path, LocalPathOf(root));
    paths.push_back(std::move(path));
  }
  BERGLITE_ASSIGN_OR_RETURN(Confinement confinement, Confinement::Make(paths));
  return std::shared_ptr<FileIO>(std::make_shared<LocalFileIO>(std::move(confinement)));
}

}  // namespace berglite
