#include "lib/catalog/metadata_cache.h"

#include <string>

#include <gtest/gtest.h>

#include "lib/metadata/table_metadata.h"
#include "tests/catalog/fixture.h"

namespace berglite::catalog {
namespace {

using Cache = MetadataCache<metadata::TableMetadata>;

metadata::TableMetadata Table(const std::string& location) {
  testing::FakeEnvironment environment;
  return *metadata::NewTableMetadata(testing::TableRequest("t"), location, environment);
}

size_t CostOf(const metadata::TableMetadata& table) { return table.document().text().size() * 6; }

TEST(MetadataCache, FindsWhatWasInserted) {
  Cache cache(1 << 20);
  EXPECT_FALSE(cache.Find("file:///a"));
  cache.Insert("file:///a", Table("file:///t"));
  ASSERT_TRUE(cache.Find("file:///a"));
  EXPECT_EQ(cache.Find("file:///a")->location(), "file:///t");
  cache.Erase("file:///a");
  EXPECT_FALSE(cache.Find("file:///a"));
}

TEST(MetadataCache, DropsTheLeastRecentlyUsedFirst) {
  metadata::TableMetadata table = Table("file:///t");
  Cache cache(CostOf(table) * 2);
  cache.Insert("a", table);
  cache.Insert("b", table);
  EXPECT_TRUE(cache.Find("a"));
  cache.Insert("c", table);
  EXPECT_TRUE(cache.Find("a"));
  EXPECT_FALSE(cache.Find("b"));
  EXPECT_TRUE(cache.Find("c"));
}

TEST(MetadataCache, KeepsTheNewestEvenWhereItIsTooLarge) {
  Cache cache(1);
  cache.Insert("a", Table("file:///t"));
  EXPECT_TRUE(cache.Find("a"));
  cache.Insert("b", Table("file:///t"));
  EXPECT_FALSE(cache.Find("a"));
  EXPECT_TRUE(cache.Find("b"));
}

TEST(MetadataCache, CountsAReplacedEntryOnce) {
  metadata::TableMetadata table = Table("file:///t");
  Cache cache(CostOf(table) * 2);
  cache.Insert("a", table);
  for (int i = 0; i < 5; ++i) cache.Insert("b", table);
  EXPECT_TRUE(cache.Find("a"));
}

}  // namespace
}  // namespace berglite::catalog
