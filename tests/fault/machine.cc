#include "tests/fault/machine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include <sqlite3.h>

namespace berglite::testing {
namespace {

enum class Sort { kOpen, kCreate, kRead, kWrite, kOther, kMemory };

// The calls know no object, so there is one of everything.
struct Watch {
  std::mutex mutex;
  // All that follows is guarded by it.
  std::string root;  // empty: nothing is watched
  Fault fault{};
  int64_t calls_left = 0;  // 0: nothing fails
  bool has_failed = false;
  bool is_next_write_refused = false;
  std::vector<DiskCall> calls;
};
Watch& TheWatch() {
  static Watch watch;
  return watch;
}

bool IsWatched(const Watch& watch, const std::string& path) {
  return !watch.root.empty() && path.starts_with(watch.root) &&
         (path.size() == watch.root.size() || path[watch.root.size()] == '/');
}

std::string PathOf(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::array<char, 4096> target{};
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), target.data(), target.size());
  return size < 0 ? "" : std::string(target.data(), static_cast<size_t>(size));
}

std::string PathAt(int directory, const char* name) {
  if (name[0] == '/' || directory == AT_FDCWD) return name;
  return PathOf(directory) + "/" + name;
}

bool IsAbout(Fault::Kind kind, Sort sort) {
  switch (kind) {
    case Fault::Kind::kIo:
      return sort != Sort::kMemory;
    case Fault::Kind::kFull:
      return sort == Sort::kCreate || sort == Sort::kWrite;
    case Fault::Kind::kShortWrite:
      return sort == Sort::kWrite;
    case Fault::Kind::kCannotOpen:
      return sort == Sort::kOpen || sort == Sort::kCreate;
    case Fault::Kind::kNoMemory:
      return sort == Sort::kMemory;
  }
  return false;
}

// Counts a call. Whether it is the one to fail.
bool IsHit(Watch& watch, Sort sort) {
  if (watch.calls_left == 0 || !IsAbout(watch.fault.kind, sort)) return false;
  if (watch.calls_left > 1) {
    --watch.calls_left;
    return false;
  }
  if (watch.fault.duration == Fault::Duration::kOnce) watch.calls_left = 0;
  watch.has_failed = true;
  return true;
}

int ErrnoOf(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kIo:
      return EIO;
    case Fault::Kind::kCannotOpen:
      return EMFILE;
    case Fault::Kind::kFull:
    case Fault::Kind::kShortWrite:
      return ENOSPC;
    case Fault::Kind::kNoMemory:
      return ENOMEM;
  }
  return EIO;
}

// Whether the call fails; errno is set then.
bool Fails(Watch& watch, Sort sort) {
  if (!IsHit(watch, sort)) return false;
  errno = ErrnoOf(watch.fault.kind);
  return true;
}

void Note(Watch& watch, DiskCall call) {
  if (!call.path.ends_with("-shm")) watch.calls.push_back(std::move(call));
}

int Open(int directory, const char* name, int flags, mode_t mode) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = PathAt(directory, name);
  const bool is_watched = IsWatched(watch, path);
  const bool creates =
      (flags & O_CREAT) != 0 && syscall(SYS_faccessat, AT_FDCWD, path.c_str(), F_OK) != 0;
  if (is_watched && Fails(watch, creates ? Sort::kCreate : Sort::kOpen)) return -1;
  const auto fd = static_cast<int>(syscall(SYS_openat, directory, name, flags, mode));
  if (fd >= 0 && is_watched && creates) Note(watch, {DiskCall::Kind::kMakeFile, path});
  return fd;
}

ssize_t Read(int fd, void* to, size_t size, off_t at) {
  Watch& watch = TheWatch();
  {
    std::lock_guard lock(watch.mutex);
    if (watch.calls_left > 0 && IsWatched(watch, PathOf(fd)) && Fails(watch, Sort::kRead)) {
      return -1;
    }
  }
  return at < 0 ? syscall(SYS_read, fd, to, size) : syscall(SYS_pread64, fd, to, size, at);
}

// How much of a write is made; nothing where it fails.
size_t SizeMade(Watch& watch, size_t size) {
  if (std::exchange(watch.is_next_write_refused, false)) {
    errno = ENOSPC;
    return 0;
  }
  if (!IsHit(watch, Sort::kWrite)) return size;
  errno = ErrnoOf(watch.fault.kind);
  if (watch.fault.kind != Fault::Kind::kShortWrite) return 0;
  watch.is_next_write_refused = watch.fault.duration == Fault::Duration::kOnce;
  return size / 2;
}

// `at` is negative for a write to where the file stands.
ssize_t Write(int fd, const void* from, size_t size, off_t at) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = watch.root.empty() ? "" : PathOf(fd);
  const bool is_watched = IsWatched(watch, path);
  if (is_watched) {
    const size_t made = SizeMade(watch, size);
    if (made == 0 && size > 0) return -1;
    size = made;
  }
  const off_t offset = at < 0 ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : at;
  const ssize_t written =
      at < 0 ? syscall(SYS_write, fd, from, size) : syscall(SYS_pwrite64, fd, from, size, at);
  if (is_watched && written > 0) {
    std::string bytes(static_cast<const char*>(from), static_cast<size_t>(written));
    Note(watch, {DiskCall::Kind::kWrite, path, offset, std::move(bytes)});
  }
  return written;
}

int Truncate(int fd, off_t size) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = PathOf(fd);
  const bool is_watched = IsWatched(watch, path);
  if (is_watched && Fails(watch, Sort::kOther)) return -1;
  const auto result = static_cast<int>(syscall(SYS_ftruncate, fd, size));
  if (is_watched && result == 0) Note(watch, {DiskCall::Kind::kTruncate, path, size});
  return result;
}

int Sync(int fd) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = PathOf(fd);
  if (!IsWatched(watch, path)) return 0;
  if (Fails(watch, Sort::kOther)) return -1;
  Note(watch, {DiskCall::Kind::kSync, path});
  return 0;
}

int MakeDirectory(int directory, const char* name, mode_t mode) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = PathAt(directory, name);
  const bool is_watched = IsWatched(watch, path);
  if (is_watched && Fails(watch, Sort::kCreate)) return -1;
  const auto result = static_cast<int>(syscall(SYS_mkdirat, directory, name, mode));
  if (is_watched && result == 0) Note(watch, {DiskCall::Kind::kMakeDirectory, path});
  return result;
}

int Remove(int directory, const char* name, int flags) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  const std::string path = PathAt(directory, name);
  const bool is_watched = IsWatched(watch, path);
  if (is_watched && Fails(watch, Sort::kOther)) return -1;
  const auto result = static_cast<int>(syscall(SYS_unlinkat, directory, name, flags));
  if (is_watched && result == 0) Note(watch, {DiskCall::Kind::kRemove, path});
  return result;
}

// SQLite's own way to memory.
sqlite3_mem_methods& Memory() {
  static sqlite3_mem_methods methods{};
  return methods;
}

bool HasNoMemory() {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  return Fails(watch, Sort::kMemory);
}

void* Allocate(int size) { return HasNoMemory() ? nullptr : Memory().xMalloc(size); }

void* Reallocate(void* block, int size) {
  return HasNoMemory() ? nullptr : Memory().xRealloc(block, size);
}

// SQLite takes this up to its first use alone.
[[maybe_unused]] const bool kStandsBeforeMemory = [] {
  bool is_well = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &Memory()) == SQLITE_OK;
  sqlite3_mem_methods methods = Memory();
  methods.xMalloc = Allocate;
  methods.xRealloc = Reallocate;
  is_well = is_well && sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
  if (!is_well) std::abort();
  return true;
}();

// Where a call creates a file its mode follows the flags.
int OpenWithMode(int directory, const char* name, int flags, va_list arguments) {
  const bool has_mode = (flags & O_CREAT) != 0;
  return Open(directory, name, flags, has_mode ? va_arg(arguments, mode_t) : 0);
}

}  // namespace

Machine::Machine(std::string root) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  if (!watch.root.empty()) std::abort();
  watch.root = std::move(root);
}

Machine::~Machine() {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  watch.root.clear();
  watch.calls.clear();
  watch.calls_left = 0;
  watch.has_failed = false;
  watch.is_next_write_refused = false;
}

void Machine::FailCall(int64_t number, const Fault& fault) {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  watch.fault = fault;
  watch.calls_left = number;
}

bool Machine::Heal() {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  watch.calls_left = 0;
  watch.is_next_write_refused = false;
  return std::exchange(watch.has_failed, false);
}

std::vector<DiskCall> Machine::Calls() const {
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  return watch.calls;
}

}  // namespace berglite::testing

// The names are given to the assembler, as the system's headers declare them in their own way.
#define BERGLITE_SYSTEM_CALL(name) __asm__(name) __attribute__((visibility("default"), used))

extern "C" {

int BergliteOpen(const char* name, int flags, ...) BERGLITE_SYSTEM_CALL("open");
int BergliteOpen64(const char* name, int flags, ...) BERGLITE_SYSTEM_CALL("open64");
int BergliteOpenAt(int directory, const char* name, int flags, ...) BERGLITE_SYSTEM_CALL("openat");
ssize_t BergliteRead(int fd, void* to, size_t size) BERGLITE_SYSTEM_CALL("read");
ssize_t BerglitePread(int fd, void* to, size_t size, off_t at) BERGLITE_SYSTEM_CALL("pread");
ssize_t BerglitePread64(int fd, void* to, size_t size, off_t at) BERGLITE_SYSTEM_CALL("pread64");
ssize_t BergliteWrite(int fd, const void* from, size_t size) BERGLITE_SYSTEM_CALL("write");
ssize_t BerglitePwrite64(int fd, const void* from, size_t size, off_t at)
    BERGLITE_SYSTEM_CALL("pwrite64");
int BergliteTruncate64(int fd, off_t size) BERGLITE_SYSTEM_CALL("ftruncate64");
int BergliteSync(int fd) BERGLITE_SYSTEM_CALL("fsync");
int BergliteDataSync(int fd) BERGLITE_SYSTEM_CALL("fdatasync");
int BergliteMakeDirectoryAt(int directory, const char* name, mode_t mode)
    BERGLITE_SYSTEM_CALL("mkdirat");
int BergliteRemove(const char* name) BERGLITE_SYSTEM_CALL("unlink");
int BergliteRemoveAt(int directory, const char* name, int flags) BERGLITE_SYSTEM_CALL("unlinkat");

int BergliteOpen(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = berglite::testing::OpenWithMode(AT_FDCWD, name, flags, arguments);
  va_end(arguments);
  return fd;
}
int BergliteOpen64(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = berglite::testing::OpenWithMode(AT_FDCWD, name, flags, arguments);
  va_end(arguments);
  return fd;
}
int BergliteOpenAt(int directory, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = berglite::testing::OpenWithMode(directory, name, flags, arguments);
  va_end(arguments);
  return fd;
}
ssize_t BergliteRead(int fd, void* to, size_t size) {
  return berglite::testing::Read(fd, to, size, -1);
}
ssize_t BerglitePread(int fd, void* to, size_t size, off_t at) {
  return berglite::testing::Read(fd, to, size, at);
}
ssize_t BerglitePread64(int fd, void* to, size_t size, off_t at) {
  return berglite::testing::Read(fd, to, size, at);
}
ssize_t BergliteWrite(int fd, const void* from, size_t size) {
  return berglite::testing::Write(fd, from, size, -1);
}
ssize_t BerglitePwrite64(int fd, const void* from, size_t size, off_t at) {
  return berglite::testing::Write(fd, from, size, at);
}
int BergliteTruncate64(int fd, off_t size) { return berglite::testing::Truncate(fd, size); }
int BergliteSync(int fd) { return berglite::testing::Sync(fd); }
int BergliteDataSync(int fd) { return berglite::testing::Sync(fd); }
int BergliteMakeDirectoryAt(int directory, const char* name, mode_t mode) {
  return berglite::testing::MakeDirectory(directory, name, mode);
}
int BergliteRemove(const char* name) { return berglite::testing::Remove(AT_FDCWD, name, 0); }
int BergliteRemoveAt(int directory, const char* name, int flags) {
  return berglite::testing::Remove(directory, name, flags);
}
}
