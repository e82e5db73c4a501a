#include "lib/base/environment.h"

#include <chrono>
#include <cstdlib>
#include <sys/random.h>

namespace berglite {
namespace {

class MachineEnvironment final : public Environment {
 public:
  int64_t NowMs() override {
    using std::chrono::milliseconds;
    auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(since_epoch).count();
  }

  std::array<uint8_t, 16> RandomBytes() override {
    std::array<uint8_t, 16> bytes{};
    // 16 bytes are never returned in part (getrandom(2): up to 256 bytes are not interrupted).
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return bytes;
  }
};

}  // namespace

Environment& SystemEnvironment() {
  static MachineEnvironment environment;
  return environment;
}

}  // namespace berglite
