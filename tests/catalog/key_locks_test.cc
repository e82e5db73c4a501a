#include "lib/catalog/key_locks.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berglite::catalog {
namespace {

// Many threads raise counters that only their lock protects: a lost increment is a lock that let
// two in.
TEST(KeyLocks, LetOneHolderOfAKeyInAtATime) {
  KeyLocks locks;
  int a = 0;
  int b = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        // Orders differ, so that taking the keys one by one would deadlock.
        auto keys =
            t % 2 == 0 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"b", "a"};
        if (t < 2) keys = {"a"};
        KeyLocks::Guard guard = locks.Lock(keys);
        ++a;
        if (t >= 2) ++b;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a, 8 * 500);
  EXPECT_EQ(b, 6 * 500);
}

TEST(KeyLocks, AreFreeAgainAfterTheGuard) {
  KeyLocks locks;
  { KeyLocks::Guard guard = locks.Lock({"a", "b"}); }
  KeyLocks::Guard other = locks.Lock({"c"});
  KeyLocks::Guard again = locks.Lock({"b", "a"});
  SUCCEED() << "no call waited for ever";
}

}  // namespace
}  // namespace berglite::catalog
