#include "lib/manifest/rewrite.h"

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/manifest/avro_container.h"
#include "tests/manifest/avro_files.h"
#include "tests/manifest/avro_text.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::manifest {
namespace {

using ::berglite::testing::AvroBlock;
using ::berglite::testing::AvroBytes;
using ::berglite::testing::AvroHeader;
using ::berglite::testing::AvroLong;
using ::berglite::testing::AvroSync;
using ::berglite::testing::FileEntry;
using ::berglite::testing::FileText;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::PackZstandard;
using ::berglite::testing::PartsOf;
using ::berglite::testing::TempDir;
using ::berglite::testing::WriteManifest;
using ::berglite::testing::WriteManifestList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// All records of a file, unpacked.
std::string RecordsOf(const std::string& text) {
  Result<AvroContainer> container = AvroContainer::Open(PartsOf(text));
  EXPECT_TRUE(container.has_value());
  std::string records;
  for (;;) {
    auto block = container->Next();
    EXPECT_TRUE(block.has_value());
    if (!block || !*block) return records;
    records += (*block)->bytes;
  }
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  if (text.starts_with(from)) text.replace(0, from.size(), to);
  return text;
}

Result<std::optional<std::string>> MoveEntries(const std::string& text, const std::string& from,
                                               const std::string& to, int64_t growth = 0) {
  return RewriteManifest("m.avro", PartsOf(text), [&](const EditedEntry& entry) {
    EntryLocations after = entry.locations;
    after.file_path = Replaced(after.file_path, from, to);
    if (after.referenced_data_file) {
      after.referenced_data_file = Replaced(*after.referenced_data_file, from, to);
    }
    after.file_size_in_bytes += growth;
    return Result<EntryLocations>(after);
  });
}

// The locations of a manifest, such as `added /a.parquet for - of 3`.
std::vector<std::string> LocationsIn(const std::string& text) {
  std::vector<std::string> found;
  auto unchanged = RewriteManifest("m.avro", PartsOf(text), [&](const EditedEntry& entry) {
    constexpr const char* kStatuses[] = {"existing ", "added ", "deleted "};
    const EntryLocations& at = entry.locations;
    found.push_back(kStatuses[static_cast<int>(entry.status)] + entry.file_format + " " +
                    at.file_path + " for " + at.referenced_data_file.value_or("-") + " of " +
                    std::to_string(at.file_size_in_bytes));
    return Result<EntryLocations>(at);
  });
  EXPECT_TRUE(unchanged.has_value());
  EXPECT_FALSE(unchanged && unchanged->has_value());
  return found;
}

// As avro-c, which shares no code with what is tested, finds it.
size_t CountRecordsWithAvroC(const std::string& path) {
  avro_file_reader_t reader = nullptr;
  EXPECT_EQ(avro_file_reader(path.c_str(), &reader), 0) << avro_strerror();
  avro_schema_t schema = avro_file_reader_get_writer_schema(reader);
  avro_value_iface_t* type = avro_generic_class_from_schema(schema);
  size_t count = 0;
  {
    testing::AvroRecord record(type);
    while (avro_file_reader_read_value(reader, record.get()) == 0) {
      ++count;
      avro_value_reset(record.get());
    }
  }
  avro_value_iface_decref(type);
  avro_schema_decref(schema);
  avro_file_reader_close(reader);
  return count;
}

class EveryVersion : public ::testing::TestWithParam<int> {};

TEST_P(EveryVersion, OfManifestsGetsOtherLocations) {
  TempDir directory;
  WriteManifest(directory / "m.avro", GetParam(),
                {{.path = "/old/a.parquet", .status = 0},
                 {.path = "/elsewhere/b.parquet", .status = 2},
                 {.path = "/old/v.puffin",
                  .content = 1,
                  .is_deletion_vector = true,
                  .referenced_data_file = "/old/a.parquet"}});
  const std::string text = FileText(directory / "m.avro");
  auto moved = MoveEntries(text, "/old", "/a/longer/name", 1000);
  ASSERT_THAT(moved, IsOk());
  ASSERT_TRUE(moved->has_value());
  const std::string none = GetParam() >= 3 ? "of no interest" : "-";
  const std::string one = GetParam() >= 3 ? "/a/longer/name/a.parquet" : "-";
  EXPECT_THAT(LocationsIn(**moved),
              ElementsAre("existing PARQUET /a/longer/name/a.parquet for " + none + " of 1000",
                          "deleted PARQUET /elsewhere/b.parquet for " + none + " of 1000",
                          "added PUFFIN /a/longer/name/v.puffin for " + one + " of 1000"));
  std::ofstream(directory / "moved.avro", std::ios::binary) << **moved;
  EXPECT_EQ(CountRecordsWithAvroC(directory / "moved.avro"), 3U);
}

// There and back again: nothing but the locations has changed.
TEST_P(EveryVersion, OfManifestsKeepsAllElseByteForByte) {
  TempDir directory;
  std::vector<FileEntry> entries;
  entries.reserve(1000);
  for (int i = 0; i < 1000; ++i) entries.push_back({"/old/" + std::to_string(i) + ".parquet"});
  WriteManifest(directory / "m.avro", GetParam(), entries);
  const std::string text = FileText(directory / "m.avro");
  auto there = MoveEntries(text, "/old", "/somewhere/else", 77);
  ASSERT_THAT(there, IsOk());
  ASSERT_TRUE(there->has_value());
  EXPECT_NE(RecordsOf(**there), RecordsOf(text));
  auto back = MoveEntries(**there, "/somewhere/else", "/old", -77);
  ASSERT_THAT(back, IsOk());
  ASSERT_TRUE(back->has_value());
  EXPECT_EQ(RecordsOf(**back), RecordsOf(text));
}

TEST_P(EveryVersion, OfListsGetsOtherLocationsAndLengths) {
  TempDir directory;
  WriteManifestList(directory / "l.avro", GetParam(), {{"/old/m1", 0}, {"/old/m2", 1}});
  const std::string text = FileText(directory / "l.avro");
  auto edit = [&](const std::string& list, const std::string& from, const std::string& to,
                  int64_t length) {
    return RewriteManifestList("l.avro", PartsOf(list), [&](const ManifestFile& file) {
      return Result<ManifestFileEdit>({Replaced(file.path, from, to), length});
    });
  };
  auto moved = edit(text, "/old", "/new", 4711);
  ASSERT_THAT(moved, IsOk());
  ASSERT_TRUE(moved->has_value());
  std::vector<std::string> paths;
  EXPECT_THAT(ReadManifestList("l.avro", PartsOf(**moved),
                               [&](const ManifestFile& file) -> Status {
                                 paths.push_back(file.path);
                                 return {};
                               }),
              IsOk());
  EXPECT_THAT(paths, ElementsAre("/new/m1", "/new/m2"));
  auto back = edit(**moved, "/new", "/old", 0);
  ASSERT_THAT(back, IsOk());
  ASSERT_TRUE(back->has_value());
  EXPECT_EQ(RecordsOf(**back), RecordsOf(text));
}

INSTANTIATE_TEST_SUITE_P(Format, EveryVersion, ::testing::Values(1, 2, 3));

TEST(RewriteManifest, IsNothingWhereNothingChanges) {
  TempDir directory;
  WriteManifest(directory / "m.avro", 2, {{"/data/a.parquet"}});
  WriteManifestList(directory / "l.avro", 2, {{"/data/m1"}});
  auto manifest = MoveEntries(FileText(directory / "m.avro"), "/old", "/new");
  ASSERT_THAT(manifest, IsOk());
  EXPECT_FALSE(manifest->has_value());
  const std::string list = FileText(directory / "l.avro");
  auto same = RewriteManifestList("l.avro", PartsOf(list), [](const ManifestFile& file) {
    return Result<ManifestFileEdit>({file.path, std::nullopt});
  });
  ASSERT_THAT(same, IsOk());
  EXPECT_FALSE(same->has_value());
}

constexpr char kSmallSchema[] =
    R"({"type":"record","name":"e","fields":[{"name":"status","type":"int"},{"name":"data_file",
    "type":{"type":"record","name":"f","fields":[{"name":"file_path","type":"string"}]}}]})";

std::string SmallRecord(const std::string& path) { return AvroLong(1) + AvroBytes(path); }

// Iceberg keeps the schema of the table and the partition spec in there.
TEST(RewriteManifest, KeepsTheHeaderAndStoresWithDeflate) {
  const std::string header = std::string("Obj\x01") + AvroLong(1) + AvroBytes("format-version") +
                             AvroBytes("2") + AvroLong(3) + AvroBytes("avro.codec") +
                             AvroBytes("zstandard") + AvroBytes("avro.schema") +
                             AvroBytes(kSmallSchema) + AvroBytes("partition-spec") +
                             AvroBytes("[]") + AvroLong(0) + AvroSync();
  auto moved =
      MoveEntries(header + AvroBlock(1, PackZstandard(SmallRecord("/old/a"))), "/old", "/new");
  ASSERT_THAT(moved, IsOk());
  ASSERT_TRUE(moved->has_value());
  EXPECT_EQ(RecordsOf(**moved), SmallRecord("/new/a"));
  const std::string text = **moved;
  Result<AvroContainer> container = AvroContainer::Open(PartsOf(text));
  ASSERT_TRUE(container.has_value());
  EXPECT_THAT(container->header(),
              ElementsAre(Pair("format-version", "2"), Pair("avro.schema", kSmallSchema),
                          Pair("partition-spec", "[]"), Pair("avro.codec", "deflate")));
}

TEST(RewriteManifest, TellsErrorsOfTheFileFromThoseOfTheEdit) {
  const std::string text = AvroHeader(kSmallSchema, "null") + AvroBlock(1, SmallRecord("/old/a"));
  auto refused = RewriteManifest("m.avro", PartsOf(text), [](const EditedEntry&) {
    return Result<EntryLocations>(Error{ErrorKind::kValidation, "not that one"});
  });
  EXPECT_THAT(refused, IsError(ErrorKind::kValidation, "not that one"));
  EXPECT_THAT(MoveEntries(text.substr(0, text.size() - 1), "/old", "/new"),
              IsError(ErrorKind::kValidation, HasSubstr("Cannot read manifest m.avro: ")));
}

}  // namespace
}  // namespace berglite::manifest
