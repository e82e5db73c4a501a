// A disk slower than the machine's: to be loaded before the C library (LD_PRELOAD), so that every
// sync takes BERGLITE_SYNC_US microseconds longer, and no more than three get on at a time.
//
// What commits cost in units of a disk's own syncs says little where the disk is so fast that the
// processor is what they wait for. Both the yardstick and the program are to run on this.
//
// A common disk carries out the syncs of many threads about three times as fast as those of one.
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <semaphore>
#include <time.h>

namespace {

constexpr int kSyncsAtOnce = 3;

using Sync = int (*)(int);

int64_t DelayUs() {
  static const int64_t delay_us = [] {
    const char* text = std::getenv("BERGLITE_SYNC_US");
    return text == nullptr ? 0 : std::atoll(text);
  }();
  return delay_us;
}

int SyncSlowly(const char* name, int fd) {
  static std::counting_semaphore<kSyncsAtOnce> places(kSyncsAtOnce);
  const auto sync = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, name));
  places.acquire();
  const timespec delay{DelayUs() / 1'000'000, DelayUs() % 1'000'000 * 1000};
  nanosleep(&delay, nullptr);
  const int result = sync(fd);
  places.release();
  return result;
}

}  // namespace

extern "C" int fsync(int fd) { return SyncSlowly("fsync", fd); }
extern "C" int fdatasync(int fd) { return SyncSlowly("fdatasync", fd); }
