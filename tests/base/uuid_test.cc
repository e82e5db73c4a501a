#include "lib/base/uuid.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/fake_environment.h"

namespace berglite {
namespace {

TEST(NewUuid, IsAVersion4UuidOfTheRandomBytes) {
  testing::FakeEnvironment environment;
  EXPECT_EQ(NewUuid(environment), "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(NewUuid(environment), "00000000-0000-4000-8000-000000000002");
}

TEST(NewUuid, OfTheMachineDiffersEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(NewUuid(SystemEnvironment()));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(IsUuid, TakesOnlyTheCanonicalForm) {
  EXPECT_TRUE(IsUuid("9c12d441-03fe-4693-9a96-a0705ddf69c1"));
  EXPECT_TRUE(IsUuid("9C12D441-03FE-4693-9A96-A0705DDF69C1"));
  for (const char* text :
       {"", "x", "9c12d44103fe46939a96a0705ddf69c1", "{9c12d441-03fe-4693-9a96-a0705ddf69c1}",
        "9c12d441-03fe-4693-9a96-a0705ddf69cg", "9c12d441-03fe-46939-a96-a0705ddf69c1"}) {
    EXPECT_FALSE(IsUuid(text)) << text;
  }
}

}  // namespace
}  // namespace berglite
