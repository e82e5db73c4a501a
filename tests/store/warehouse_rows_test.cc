// Several catalogs in one file: their order, and Stores that share connections.
#include "lib/store/warehouse_rows.h"

#include <thread>

#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;

class WarehouseRowsTest : public ::testing::TestWithParam<const char*> {
 protected:
  WarehouseRowsTest()
      : path_(GetParam() == std::string(":memory:") ? GetParam() : dir_ / GetParam()),
        store_(OpenOrDie(path_)) {}

  void Record(const std::string& name, const std::string& location) {
    ASSERT_THAT(store_->Write(
                    [&](Writer& w) {
                      return w.RecordCatalog({name, location});
                    },
                    NeverAsked),
                IsOk());
  }
  // Each as `name=location`.
  std::vector<std::string> List() {
    auto records = ReadOne(*store_, [](Reader& reader) { return reader.ListCatalogs(); });
    EXPECT_THAT(records, IsOk());
    std::vector<std::string> texts;
    if (!records) return texts;
    for (const CatalogRecord& record : *records)
      texts.push_back(record.name + "=" + record.location);
    return texts;
  }
  static Status Insert(Store& store, const std::string& name) {
    return store.Write([&](Writer& w) { return w.InsertNamespace({name}, {}); }, NeverAsked);
  }
  static Result<std::vector<std::string>> Namespaces(Store& store) {
    return ReadOne(store, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
  }

  testing::TempDir dir_;
  const std::string path_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(On, WarehouseRowsTest, ::testing::Values("lake.db", ":memory:"),
                         [](const auto& test) { return test.index == 0 ? "File" : "Memory"; });

TEST_P(WarehouseRowsTest, AreTheRecordedOnesAndThenThoseOfOtherPrograms) {
  ASSERT_THAT(Insert(*store_->Sibling("z"), "n"), IsOk());
  ASSERT_THAT(Insert(*store_->Sibling("b"), "n"), IsOk());
  EXPECT_THAT(List(), ElementsAre("b=", "z="));
  Record("m", "file:///m");
  Record("b", "");
  Record("m", "file:///elsewhere");
  EXPECT_THAT(List(), ElementsAre("m=file:///m", "b=", "z="));
}

TEST_P(WarehouseRowsTest, OfSiblingsAreApart) {
  std::unique_ptr<Store> sibling = store_->Sibling("other");
  EXPECT_EQ(sibling->catalog_name(), "other");
  ASSERT_THAT(Insert(*store_, "a"), IsOk());
  ASSERT_THAT(Insert(*sibling, "b"), IsOk());
  EXPECT_THAT(Namespaces(*store_), IsOkAndHolds(ElementsAre("a")));
  EXPECT_THAT(Namespaces(*sibling), IsOkAndHolds(ElementsAre("b")));
  store_.reset();
  EXPECT_THAT(Namespaces(*sibling), IsOkAndHolds(ElementsAre("b")));
}

// Bodies of both that share a transaction must each see their own catalog.
TEST_P(WarehouseRowsTest, OfSiblingsAreApartWhenTheyWriteAtTheSameTime) {
  constexpr int kNamespaces = 20;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(store_->Sibling(std::to_string(i)));
  std::vector<std::thread> threads;
  for (const auto& store : stores) {
    threads.emplace_back([&store] {
      for (int n = 0; n < kNamespaces; ++n) {
        EXPECT_THAT(Insert(*store, store->catalog_name() + "-" + std::to_string(n)), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& store : stores) {
    auto names = Namespaces(*store);
    ASSERT_THAT(names, IsOk());
    EXPECT_EQ(names->size(), kNamespaces);
    for (const std::string& name : *names) {
      EXPECT_TRUE(name.starts_with(store->catalog_name() + "-")) << name;
    }
  }
}

TEST(SeveralCatalogsInAFile, AreRefusedUnlessTheFirstOneIsWanted) {
  testing::TempDir dir;
  const std::string path = dir / "lake.db";
  for (const char* name : {"b", "a"}) {
    auto store = OpenOrDie(path, {.catalog_name = name});
    ASSERT_THAT(store->Write(
                    [&](Writer& w) {
                      return w.RecordCatalog({name, ""});
                    },
                    NeverAsked),
                IsOk());
  }
  EXPECT_THAT(Store::Open(path, {}),
              testing::IsError(ErrorKind::kNoSuchWarehouse,
                               path + " holds several catalogs, and none was chosen: b, a"));
  EXPECT_EQ(OpenOrDie(path, {.several = SeveralCatalogs::kTakeFirst})->catalog_name(), "b");
}

}  // namespace
}  // namespace berglite::store
