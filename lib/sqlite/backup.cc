#include "lib/sqlite/backup.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/sqlite/statement.h"
#include "lib/sqlite/transaction.h"

namespace berglite::sqlite {
namespace {

// Some milliseconds of work, so that progress can be told.
constexpr int kPagesAtOnce = 1024;
// The source is read in a transaction of its own and nobody else knows the copy: any lock is a
// matter of a moment.
constexpr int kBusyTimeoutMs = 10'000;

Error CopyError(ErrorKind kind, const std::string& path, const std::string& what) {
  return Error{kind, "Cannot write the backup " + path + ": " + what};
}

Error CopyError(const std::string& path, int error_number) {
  if (error_number == EEXIST) return CopyError(ErrorKind::kAlreadyExists, path, "it exists");
  const bool has_no_folder = error_number == ENOENT || error_number == ENOTDIR;
  return CopyError(
      has_no_folder ? ErrorKind::kInvalidArgument : ErrorKind::kUnavailable, path,
      has_no_folder ? "its folder does not exist" : std::generic_category().message(error_number));
}

// 0, or an errno.
int SyncPath(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error_number = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error_number;
}

// A file beside the one that is wanted, under a name of its own until it is whole. Removed, unless
// it got its name.
class UnnamedFile {
 public:
  explicit UnnamedFile(std::string path) : path_(std::move(path)) {}
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile() {
    if (temporary_.empty()) return;
    unlink(temporary_.c_str());
    unlink((temporary_ + "-journal").c_str());
  }

  // `mode`: who may read it.
  Status Create(mode_t mode) {
    if (IsTaken()) return CopyError(path_, EEXIST);
    std::string name = path_ + ".XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd < 0) return CopyError(path_, errno);
    temporary_ = std::move(name);
    const int error_number = fchmod(fd, mode) == 0 ? 0 : errno;
    close(fd);
    return error_number == 0 ? Status() : CopyError(path_, error_number);
  }

  const std::string& temporary() const { return temporary_; }

  Status GiveName() {
    if (const int error_number = SyncPath(temporary_, O_RDONLY); error_number != 0) {
      return CopyError(path_, error_number);
    }
    if (const int error_number = TakeName(); error_number != 0) {
      return CopyError(path_, error_number);
    }
    temporary_.clear();
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    const int error_number = SyncPath(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
    if (error_number == 0 || error_number == EINVAL) return {};
    unlink(path_.c_str());
    return CopyError(path_, error_number);
  }

 private:
  bool IsTaken() const {
    struct stat ignored {};
    return lstat(path_.c_str(), &ignored) == 0;
  }

  // A link, unlike a rename, never takes the place of another file. File systems without links
  // (FAT) get a rename; a file that appears there at this very moment is lost. 0, or an errno.
  int TakeName() const {
    if (link(temporary_.c_str(), path_.c_str()) == 0) {
      unlink(temporary_.c_str());
      return 0;
    }
    if (errno != EPERM && errno != EOPNOTSUPP) return errno;
    if (IsTaken()) return EEXIST;
    return rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno;
  }

  const std::string path_;
  std::string temporary_;
};

// Copies the state that the transaction of `source` sees.
Status CopyPages(Connection& source, Connection& target, const std::string& path,
                 const CopyProgress& on_progress) {
  sqlite3_backup* const backup =
      sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  int code = backup == nullptr ? sqlite3_errcode(target.handle()) : SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, kPagesAtOnce);
    const auto total = static_cast<size_t>(sqlite3_backup_pagecount(backup));
    if (on_progress) {
      on_progress(total - static_cast<size_t>(sqlite3_backup_remaining(backup)), total);
    }
  }
  const int finished = sqlite3_backup_finish(backup);
  if (code == SQLITE_DONE) code = finished;
  if (code == SQLITE_OK) return {};
  const Error error = target.MakeError(code);
  return CopyError(error.kind, path, error.message);
}

mode_t ModeOf(Connection& source) {
  constexpr mode_t kForTheOwner = 0600;
  const char* const file = sqlite3_db_filename(source.handle(), "main");
  struct stat status {};
  if (file == nullptr || *file == '\0' || stat(file, &status) != 0) return kForTheOwner;
  return status.st_mode & 0666;
}

}  // namespace

Status CopyDatabase(Connection& source, const std::string& path, const CopyProgress& on_progress) {
  UnnamedFile file(path);
  BERGLITE_RETURN_IF_ERROR(file.Create(ModeOf(source)));
  {
    BERGLITE_ASSIGN_OR_RETURN(Transaction transaction,
                              Transaction::Begin(source, TransactionKind::kRead));
    // The first read chooses the state; without it each step would see another.
    Statement first_read(source, "SELECT count(*) FROM sqlite_schema");
    {
      Rows rows = first_read.Query();
      BERGLITE_RETURN_IF_ERROR(rows.Next());
    }
    BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> target,
                              Connection::Open(std::filesystem::absolute(file.temporary()).string(),
                                               kBusyTimeoutMs, IfMissing::kFail));
    BERGLITE_RETURN_IF_ERROR(CopyPages(source, *target, path, on_progress));
  }
  return file.GiveName();
}

}  // namespace berglite::sqlite
