#include "lib/manifest/puffin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::manifest {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::HasSubstr;

std::string Word(size_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::string Puffin(const std::string& blobs, const std::string& payload, size_t flags = 0) {
  return "PFA1" + blobs + "PFA1" + payload + Word(payload.size()) + Word(flags) + "PFA1";
}

std::string Payload(const std::string& data_file) {
  return R"({"blobs":[{"fields":[],"length":6,"offset":4,"properties":{"cardinality":"1",)"
         R"("referenced-data-file":")" +
         data_file + R"("},"type":"deletion-vector-v1"},{"type":"other"}]})";
}

Result<std::optional<std::string>> Move(const std::string& bytes) {
  return RewritePuffin("d.puffin", bytes, [](const std::string& location) {
    return location == "/old/a" ? "/new/place/a" : location;
  });
}

TEST(RewritePuffin, LeavesTheBlobsWhereTheyAre) {
  auto moved = Move(Puffin("vector", Payload("/old/a")));
  ASSERT_THAT(moved, IsOk());
  ASSERT_TRUE(moved->has_value());
  EXPECT_EQ(**moved, Puffin("vector", Payload("/new/place/a")));
}

TEST(RewritePuffin, IsNothingWhereNothingChanges) {
  for (const std::string& bytes : {Puffin("vector", Payload("/other/a")), Puffin("", "{}")}) {
    auto moved = Move(bytes);
    ASSERT_THAT(moved, IsOk());
    EXPECT_FALSE(moved->has_value());
  }
}

TEST(RewritePuffin, RefusesWhatIsDamaged) {
  const std::string good = Puffin("vector", Payload("/old/a"));
  auto why = [](const char* text) {
    return IsError(ErrorKind::kValidation,
                   "Cannot read Puffin file d.puffin: " + std::string(text));
  };
  EXPECT_THAT(Move(""), why("it is none"));
  EXPECT_THAT(Move(good.substr(0, good.size() - 1)), why("it is none"));
  EXPECT_THAT(Move("PFA1"), why("it is cut short"));
  EXPECT_THAT(Move("PFA1" + std::string(11, 'x') + "PFA1"), why("it is cut short"));
  EXPECT_THAT(Move("PFA1PFA1{}" + Word(3) + Word(0) + "PFA1"),
              why("its footer is longer than the file"));
  EXPECT_THAT(Move("PFA1PFA2{}" + Word(2) + Word(0) + "PFA1"), why("its footer has no beginning"));
  EXPECT_THAT(Move(Puffin("vector", "{}", 1)),
              why("its footer is compressed, which is not supported"));
  EXPECT_THAT(Move(Puffin("vector", "{")),
              IsError(ErrorKind::kValidation, HasSubstr("its footer is no good JSON")));
}

}  // namespace
}  // namespace berglite::manifest
