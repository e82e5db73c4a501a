#include "tests/store/fault_vfs.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <sqlite3.h>

namespace berglite::store {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// What fails; see FaultVfs. SQLite knows VFSes by address, so there is one of everything.
struct Faults {
  std::atomic<int64_t> calls_left = kNever;
  std::atomic<int64_t> syncs_left = kNever;
  std::atomic<int64_t> log_size_max = kNever;
  std::atomic<bool> reads_fail = false;
  std::atomic<int> code = SQLITE_IOERR;
  std::atomic<bool> goes_on = false;
  std::atomic<bool> has_failed = false;
};
Faults g_faults;
sqlite3_vfs* g_real = nullptr;
sqlite3_vfs g_vfs;

// Counts one call down; whether it is to fail.
bool IsHit(std::atomic<int64_t>& left) {
  if (left == kNever) return false;
  bool hit = --left == 0 || (left < 0 && g_faults.goes_on);
  if (hit) g_faults.has_failed = true;
  return hit;
}

struct File {
  sqlite3_file base;
  bool is_log;
  int last_errno;
  // The real file follows, in the same allocation.
};

File* Mine(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(Mine(file) + 1); }
const sqlite3_io_methods& Methods(sqlite3_file* file) { return *Real(file)->pMethods; }

int Close(sqlite3_file* f) { return Methods(f).xClose(Real(f)); }
int Read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  if (g_faults.reads_fail) {
    g_faults.has_failed = true;
    Mine(f)->last_errno = EIO;
    return SQLITE_IOERR_CORRUPTFS;
  }
  return Methods(f).xRead(Real(f), to, size, at);
}
int Write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  if (Mine(f)->is_log && at + size > g_faults.log_size_max) {
    g_faults.has_failed = true;
    return SQLITE_FULL;
  }
  if (IsHit(g_faults.calls_left)) return g_faults.code;
  return Methods(f).xWrite(Real(f), from, size, at);
}
int Truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (IsHit(g_faults.calls_left)) return SQLITE_IOERR_TRUNCATE;
  return Methods(f).xTruncate(Real(f), size);
}
int Sync(sqlite3_file* f, int flags) {
  if (IsHit(g_faults.syncs_left) || IsHit(g_faults.calls_left)) return SQLITE_IOERR_FSYNC;
  return Methods(f).xSync(Real(f), flags);
}
int FileSize(sqlite3_file* f, sqlite3_int64* size) { return Methods(f).xFileSize(Real(f), size); }
int Lock(sqlite3_file* f, int lock) { return Methods(f).xLock(Real(f), lock); }
int Unlock(sqlite3_file* f, int lock) { return Methods(f).xUnlock(Real(f), lock); }
int CheckReservedLock(sqlite3_file* f, int* out) {
  return Methods(f).xCheckReservedLock(Real(f), out);
}
int FileControl(sqlite3_file* f, int what, void* arg) {
  if (what == SQLITE_FCNTL_LAST_ERRNO && Mine(f)->last_errno != 0) {
    *static_cast<int*>(arg) = Mine(f)->last_errno;
    return SQLITE_OK;
  }
  return Methods(f).xFileControl(Real(f), what, arg);
}
int SectorSize(sqlite3_file* f) { return Methods(f).xSectorSize(Real(f)); }
int DeviceCharacteristics(sqlite3_file* f) { return Methods(f).xDeviceCharacteristics(Real(f)); }
int ShmMap(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return Methods(f).xShmMap(Real(f), page, size, extend, out);
}
int ShmLock(sqlite3_file* f, int offset, int n, int flags) {
  return Methods(f).xShmLock(Real(f), offset, n, flags);
}
void ShmBarrier(sqlite3_file* f) { Methods(f).xShmBarrier(Real(f)); }
int ShmUnmap(sqlite3_file* f, int remove) { return Methods(f).xShmUnmap(Real(f), remove); }

constexpr sqlite3_io_methods kMethods = {2,
                                         Close,
                                         Read,
                                         Write,
                                         Truncate,
                                         Sync,
                                         FileSize,
                                         Lock,
                                         Unlock,
                                         CheckReservedLock,
                                         FileControl,
                                         SectorSize,
                                         DeviceCharacteristics,
                                         ShmMap,
                                         ShmLock,
                                         ShmBarrier,
                                         ShmUnmap,
                                         nullptr,
                                         nullptr};

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (IsHit(g_faults.calls_left)) return SQLITE_CANTOPEN;
  Mine(file)->last_errno = 0;
  Mine(file)->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  int code = g_real->xOpen(g_real, name, Real(file), flags, out_flags);
  // A real file that failed to open may have methods all the same, and wants to be closed.
  if (Real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

}  // namespace

FaultVfs::FaultVfs() {
  g_real = sqlite3_vfs_find(nullptr);
  g_vfs = *g_real;
  g_vfs.zName = "fault";
  g_vfs.szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
  g_vfs.xOpen = Open;
  Heal();
  if (sqlite3_vfs_register(&g_vfs, 1) != SQLITE_OK) std::abort();
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&g_vfs);
  sqlite3_vfs_register(g_real, 1);
}

void FaultVfs::FailCall(int64_t number, int code, FaultDuration duration) {
  g_faults.code = code;
  g_faults.goes_on = duration == FaultDuration::kFromThenOn;
  g_faults.calls_left = number;
}

void FaultVfs::FailSync(int64_t number) {
  g_faults.goes_on = false;
  g_faults.syncs_left = number;
}

void FaultVfs::LimitLog(int64_t size) { g_faults.log_size_max = size; }

void FaultVfs::FailReads() { g_faults.reads_fail = true; }

bool FaultVfs::Heal() {
  g_faults.reads_fail = false;
  g_faults.calls_left = kNever;
  g_faults.syncs_left = kNever;
  g_faults.log_size_max = kNever;
  return g_faults.has_failed.exchange(false);
}

}  // namespace berglite::store
