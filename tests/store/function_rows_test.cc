#include "lib/store/function_rows.h"

#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;

using Names = std::vector<std::string>;

class FunctionRowsTest : public ::testing::Test {
 protected:
  void Put(const EntryKey& key, const std::string& location) {
    ASSERT_THAT(store_->Write([&](Writer& w) { return w.PutFunction(key, location); }, NeverAsked),
                IsOk());
  }
  Result<std::optional<std::string>> Find(const EntryKey& key) {
    return ReadOne(*store_, [&](Reader& r) { return r.FindFunction(key); });
  }
  Result<Names> List(const Namespace& name_space, std::optional<std::string> after = std::nullopt,
                     size_t limit = 0) {
    return ReadOne(*store_, [&](Reader& r) { return r.ListFunctions(name_space, after, limit); });
  }
  Result<bool> Delete(const EntryKey& key) {
    return WriteOne(*store_, [&](Writer& w) { return w.DeleteFunction(key); });
  }

  testing::TempDir dir_;
  std::unique_ptr<Store> store_ = OpenOrDie(dir_ / "lake.db");
};

TEST_F(FunctionRowsTest, AreFoundChangedAndDeleted) {
  EXPECT_THAT(Find({{"ns"}, "f"}), IsOkAndHolds(Eq(std::nullopt)));
  Put({{"ns"}, "f"}, "m/1");
  EXPECT_THAT(Find({{"ns"}, "f"}), IsOkAndHolds(Optional(Eq("m/1"))));
  Put({{"ns"}, "f"}, "m/2");
  EXPECT_THAT(Find({{"ns"}, "f"}), IsOkAndHolds(Optional(Eq("m/2"))));
  EXPECT_THAT(Find({{"ns"}, "F"}), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(Delete({{"ns"}, "f"}), IsOkAndHolds(true));
  EXPECT_THAT(Delete({{"ns"}, "f"}), IsOkAndHolds(false));
  EXPECT_THAT(Find({{"ns"}, "f"}), IsOkAndHolds(Eq(std::nullopt)));
}

TEST_F(FunctionRowsTest, AreListedInPages) {
  for (const char* name : {"c", "a", "b"}) Put({{"ns"}, name}, "m");
  Put({{"ns", "below"}, "x"}, "m");
  EXPECT_THAT(List({"ns"}), IsOkAndHolds(ElementsAre("a", "b", "c")));
  EXPECT_THAT(List({"ns"}, std::nullopt, 2), IsOkAndHolds(ElementsAre("a", "b")));
  EXPECT_THAT(List({"ns"}, "b", 2), IsOkAndHolds(ElementsAre("c")));
  EXPECT_THAT(List({"n"}), IsOkAndHolds(IsEmpty()));
}

TEST_F(FunctionRowsTest, KeepTheirNamespace) {
  Put({{"ns"}, "f"}, "m");
  EXPECT_THAT(ReadOne(*store_, [](Reader& r) { return r.NamespaceExists({"ns"}); }),
              IsOkAndHolds(true));
  auto contents = ReadOne(*store_, [](Reader& r) { return r.CountContents({"ns"}); });
  ASSERT_THAT(contents, IsOk());
  EXPECT_EQ(contents->functions, 1);
  EXPECT_EQ(contents->tables, 0);
}

}  // namespace
}  // namespace berglite::store
