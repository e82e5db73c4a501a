#include "lib/manifest/manifest.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/limits.h"
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
using ::berglite::testing::ManifestSchema;
using ::berglite::testing::PackZstandard;
using ::berglite::testing::PartsOf;
using ::berglite::testing::TempDir;
using ::berglite::testing::WriteManifest;
using ::berglite::testing::WriteManifestList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The entries as texts such as `added equality-deletes path`.
Status Read(const std::string& text, std::vector<std::string>& entries) {
  return ReadManifest("m.avro", PartsOf(text), [&](const ManifestEntry& entry) -> Status {
    constexpr const char* kStatuses[] = {"existing ", "added ", "deleted "};
    constexpr const char* kContents[] = {"data ", "position-deletes ", "equality-deletes "};
    entries.push_back(kStatuses[static_cast<int>(entry.status)] +
                      std::string(kContents[static_cast<int>(entry.content)]) + entry.file_path);
    return {};
  });
}

Status Read(const std::string& text) {
  std::vector<std::string> ignored;
  return Read(text, ignored);
}

Status ReadList(const std::string& text, std::vector<std::string>& manifests) {
  return ReadManifestList("l.avro", PartsOf(text), [&](const ManifestFile& file) -> Status {
    manifests.push_back((file.content == ManifestContent::kData ? "data " : "deletes ") +
                        file.path);
    return {};
  });
}

// A manifest with the fields that are read and nothing else.
constexpr char kSmallSchema[] =
    R"({"type":"record","name":"e","fields":[{"name":"status","type":"int"},{"name":"data_file",
    "type":{"type":"record","name":"f","fields":[{"name":"file_path","type":"string"}]}}]})";

std::string SmallRecord(const std::string& path) { return AvroLong(1) + AvroBytes(path); }

struct Format {
  int version;
  const char* codec;
};

class EveryFormat : public ::testing::TestWithParam<Format> {};

TEST_P(EveryFormat, IsReadFromManifestLists) {
  TempDir directory;
  WriteManifestList(directory / "l.avro", GetParam().version, {{"m1", 0}, {"m2", 1}},
                    GetParam().codec);
  std::vector<std::string> manifests;
  ASSERT_THAT(ReadList(FileText(directory / "l.avro"), manifests), IsOk());
  EXPECT_THAT(manifests,
              ElementsAre("data m1", GetParam().version == 1 ? "data m2" : "deletes m2"));
}

TEST_P(EveryFormat, IsReadFromManifests) {
  TempDir directory;
  WriteManifest(directory / "m.avro", GetParam().version,
                {{"a.parquet", 0, 0}, {"b.parquet", 0, 1}, {"c.parquet", 0, 2}}, GetParam().codec);
  std::vector<std::string> entries;
  ASSERT_THAT(Read(FileText(directory / "m.avro"), entries), IsOk());
  EXPECT_THAT(entries, ElementsAre("existing data a.parquet", "added data b.parquet",
                                   "deleted data c.parquet"));
}

TEST_P(EveryFormat, IsReadOverManyBlocks) {
  TempDir directory;
  std::vector<FileEntry> entries;
  entries.reserve(3000);
  for (int i = 0; i < 3000; ++i) entries.push_back({"file:///data/" + std::to_string(i)});
  WriteManifest(directory / "m.avro", GetParam().version, entries, GetParam().codec);
  std::vector<std::string> read;
  ASSERT_THAT(Read(FileText(directory / "m.avro"), read), IsOk());
  ASSERT_EQ(read.size(), 3000U);
  EXPECT_EQ(read.back(), "added data file:///data/2999");
}

INSTANTIATE_TEST_SUITE_P(
    Avro, EveryFormat,
    ::testing::Values(Format{1, "null"}, Format{1, "deflate"}, Format{1, "snappy"},
                      Format{2, "null"}, Format{2, "deflate"}, Format{2, "snappy"},
                      Format{3, "null"}, Format{3, "deflate"}, Format{3, "snappy"}),
    [](const auto& parameter) {
      return "V" + std::to_string(parameter.param.version) + parameter.param.codec;
    });

TEST(ReadManifest, TellsDeletesOfEverySort) {
  TempDir directory;
  WriteManifest(directory / "m.avro", 3,
                {{"p.parquet", 1}, {"e.parquet", 2}, {"v.puffin", 1, 1, true}});
  std::vector<std::string> entries;
  ASSERT_THAT(Read(FileText(directory / "m.avro"), entries), IsOk());
  EXPECT_THAT(entries,
              ElementsAre("added position-deletes p.parquet", "added equality-deletes e.parquet",
                          "added position-deletes v.puffin"));
}

TEST(ReadManifest, ReadsZstandard) {
  std::string records;
  for (int i = 0; i < 20'000; ++i) records += SmallRecord("file:///data/" + std::to_string(i));
  const std::string text = AvroHeader(kSmallSchema, "zstandard") +
                           AvroBlock(20'000, PackZstandard(records)) +
                           AvroBlock(1, PackZstandard(SmallRecord("last")));
  std::vector<std::string> entries;
  ASSERT_THAT(Read(text, entries), IsOk());
  ASSERT_EQ(entries.size(), 20'001U);
  EXPECT_EQ(entries.back(), "added data last");
}

TEST(ReadManifest, ReadsAFileWithoutBlocksAndOneWithoutCodec) {
  std::vector<std::string> entries;
  EXPECT_THAT(Read(AvroHeader(kSmallSchema, "null"), entries), IsOk());
  EXPECT_THAT(
      Read("Obj\x01" + AvroLong(-1) + AvroLong(99) + AvroBytes("avro.schema") +
               AvroBytes(kSmallSchema) + AvroLong(0) + AvroSync() + AvroBlock(1, SmallRecord("a")),
           entries),
      IsOk());
  EXPECT_THAT(entries, ElementsAre("added data a"));
}

// Fields in unions and types that are named again.
TEST(ReadManifest, FollowsUnionsAndNames) {
  const std::string schema =
      R"({"type":"record","name":"e","fields":[{"name":"status","type":["null","long"]},
      {"name":"first","type":{"type":"record","name":"f","fields":[
        {"name":"file_path","type":["int","string"]}]}},{"name":"data_file","type":"f"}]})";
  const std::string wrong = AvroHeader(schema, "null");
  EXPECT_THAT(Read(wrong), IsError(ErrorKind::kValidation, HasSubstr("file_path is of the wrong")));
  const std::string right = AvroHeader(
      R"({"type":"record","name":"e","fields":[{"name":"status","type":["null","long"]},
      {"name":"first","type":{"type":"record","name":"f","fields":[
        {"name":"file_path","type":["null","string"]}]}},{"name":"data_file","type":"f"}]})",
      "null");
  std::vector<std::string> entries;
  const std::string first = AvroLong(1) + AvroBytes("x");
  EXPECT_THAT(
      Read(right + AvroBlock(2, AvroLong(0) + first + AvroLong(1) + AvroBytes("y") + AvroLong(1) +
                                    AvroLong(2) + first + AvroLong(1) + AvroBytes("z")),
           entries),
      IsOk());
  EXPECT_THAT(entries, ElementsAre("existing data y", "deleted data z"));
  EXPECT_THAT(Read(right + AvroBlock(1, AvroLong(0) + first + AvroLong(0))),
              IsError(ErrorKind::kValidation, HasSubstr("a record lacks a path")));
  EXPECT_THAT(Read(right + AvroBlock(1, AvroLong(7) + first + AvroLong(0))),
              IsError(ErrorKind::kValidation, HasSubstr("no type of its union")));
}

TEST(ReadManifest, StopsWhereItsVisitorDoes) {
  const std::string text =
      AvroHeader(kSmallSchema, "null") + AvroBlock(2, SmallRecord("a") + SmallRecord("b"));
  int visits = 0;
  Status status = ReadManifest("m", PartsOf(text), [&](const ManifestEntry&) -> Status {
    ++visits;
    return Error{ErrorKind::kValidation, "enough"};
  });
  EXPECT_THAT(status, IsError(ErrorKind::kValidation, "enough"));
  EXPECT_EQ(visits, 1);
}

TEST(ReadManifest, PassesErrorsOfReadingOn) {
  auto read = [](uint64_t, size_t) -> Result<std::string> {
    return Error{ErrorKind::kNotFound, "gone"};
  };
  auto visit = [](const ManifestEntry&) -> Status { return {}; };
  EXPECT_THAT(ReadManifest("m", read, visit), IsError(ErrorKind::kNotFound, "gone"));
}

// Goal: memory is that of a block. Method: blocks are made up while they are read, far more of them
// than are ever held, and what is asked for at once is noted.
TEST(ReadManifest, HoldsOneBlockAtATime) {
  const std::string header = AvroHeader(kSmallSchema, "null");
  std::string records;
  for (int i = 0; i < 1000; ++i) records += SmallRecord(std::string(100, 'p'));
  const std::string block = AvroBlock(1000, records);
  constexpr uint64_t kBlocks = 1000;
  const uint64_t end = header.size() + kBlocks * block.size();
  size_t asked_max = 0;
  auto read = [&](uint64_t offset, size_t size) -> Result<std::string> {
    asked_max = std::max(asked_max, size);
    std::string part;
    while (part.size() < size && offset < end) {
      const bool in_header = offset < header.size();
      const std::string& source = in_header ? header : block;
      const size_t at = in_header ? offset : (offset - header.size()) % block.size();
      const std::string piece = source.substr(at, size - part.size());
      part += piece;
      offset += piece.size();
    }
    return part;
  };
  int64_t entries = 0;
  EXPECT_THAT(ReadManifest("m", read,
                           [&](const ManifestEntry&) -> Status {
                             ++entries;
                             return {};
                           }),
              IsOk());
  EXPECT_EQ(entries, 1'000'000);
  EXPECT_LE(asked_max, size_t{256} << 10);
}

TEST(ReadManifest, RefusesWhatIsNoManifest) {
  EXPECT_THAT(Read(""), IsError(ErrorKind::kValidation,
                                "Cannot read manifest m.avro: it is cut short in the header"));
  EXPECT_THAT(Read("PAR1 and more"), IsError(ErrorKind::kValidation, HasSubstr("not an Avro")));
  EXPECT_THAT(Read(AvroHeader(kSmallSchema, "bzip2")),
              IsError(ErrorKind::kValidation, HasSubstr("its codec bzip2 is not supported")));
  EXPECT_THAT(Read(AvroHeader("{", "null")),
              IsError(ErrorKind::kValidation, HasSubstr("is no good JSON")));
  EXPECT_THAT(Read(AvroHeader(R"({"type":"nothing"})", "null")),
              IsError(ErrorKind::kValidation, HasSubstr("is not one of Avro")));
  EXPECT_THAT(Read(AvroHeader(R"("string")", "null")),
              IsError(ErrorKind::kValidation, HasSubstr("is not that of a record")));
  EXPECT_THAT(Read(AvroHeader(testing::ManifestListSchema(2), "null")),
              IsError(ErrorKind::kValidation, HasSubstr("it has no field data_file")));
  EXPECT_THAT(Read("Obj\x01" + AvroLong(0) + AvroSync()),
              IsError(ErrorKind::kValidation, HasSubstr("holds no schema")));
}

TEST(ReadManifest, RefusesDamagedBlocks) {
  const std::string header = AvroHeader(kSmallSchema, "null");
  auto read = [&](const std::string& rest) { return Read(header + rest); };
  const std::string block = AvroBlock(1, SmallRecord("a"));
  EXPECT_THAT(read(block.substr(0, block.size() - 1)),
              IsError(ErrorKind::kValidation, HasSubstr("cut short in a block")));
  EXPECT_THAT(read(block.substr(0, block.size() - 1) + "x"),
              IsError(ErrorKind::kValidation, HasSubstr("does not end with the marker")));
  EXPECT_THAT(read(AvroBlock(2, SmallRecord("a"))),
              IsError(ErrorKind::kValidation, HasSubstr("a record is cut short")));
  EXPECT_THAT(read(AvroBlock(1, SmallRecord("a") + "x")),
              IsError(ErrorKind::kValidation, HasSubstr("longer than its records")));
  EXPECT_THAT(read(AvroBlock(-1, "")), IsError(ErrorKind::kValidation, HasSubstr("negative")));
  EXPECT_THAT(read(AvroLong(1) + AvroLong(-1)),
              IsError(ErrorKind::kValidation, HasSubstr("negative")));
  EXPECT_THAT(read(AvroLong(1) + std::string(11, '\xff')),
              IsError(ErrorKind::kValidation, HasSubstr("number in a block is too long")));
  EXPECT_THAT(read(AvroBlock(1, AvroLong(3) + AvroBytes("a"))),
              IsError(ErrorKind::kValidation, HasSubstr("unknown status 3")));
  EXPECT_THAT(read(AvroBlock(1, AvroLong(1) + AvroLong(-5))),
              IsError(ErrorKind::kValidation, HasSubstr("a length in a record is negative")));
}

TEST(ReadManifest, RefusesDamagedCompression) {
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    EXPECT_THAT(Read(AvroHeader(kSmallSchema, codec) + AvroBlock(1, "no such data")),
                IsError(ErrorKind::kValidation, HasSubstr(std::string("a block of ") + codec)));
    EXPECT_THAT(Read(AvroHeader(kSmallSchema, codec) + AvroBlock(1, "")),
                IsError(ErrorKind::kValidation, HasSubstr("cut short")));
  }
  const std::string packed = PackZstandard(SmallRecord(std::string(1000, 'a')));
  EXPECT_THAT(Read(AvroHeader(kSmallSchema, "zstandard") +
                   AvroBlock(1, packed.substr(0, packed.size() - 2))),
              IsError(ErrorKind::kValidation, HasSubstr("a block of zstandard data is damaged")));
}

TEST(ReadManifest, EndsAtItsLimits) {
  const std::string header = AvroHeader(kSmallSchema, "null");
  EXPECT_THAT(Read(header + AvroBlock(1, SmallRecord(std::string(limits::kFilePathBytesMax, 'p')))),
              IsOk());
  EXPECT_THAT(
      Read(header + AvroBlock(1, SmallRecord(std::string(limits::kFilePathBytesMax + 1, 'p')))),
      IsError(ErrorKind::kValidation, HasSubstr("longer than the limit of 16384")));
  EXPECT_THAT(Read(header + AvroLong(1) + AvroLong(int64_t{1} << 40)),
              IsError(ErrorKind::kValidation, HasSubstr("longer than the limit of 134217728")));
  EXPECT_THAT(Read("Obj\x01" + AvroLong(1) + AvroLong(int64_t{1} << 40)),
              IsError(ErrorKind::kValidation, HasSubstr("its header is longer than the limit")));
  // A bomb: a few KB of zeros without end.
  const std::string bomb = PackZstandard(std::string(limits::kAvroBlockBytesMax + 1, '\0'));
  EXPECT_THAT(Read(AvroHeader(kSmallSchema, "zstandard") + AvroBlock(1, bomb)),
              IsError(ErrorKind::kValidation, HasSubstr("inflates to more than the limit")));
  // Snappy names its size first.
  EXPECT_THAT(Read(AvroHeader(kSmallSchema, "snappy") + AvroBlock(1,
                                                                  "\xff\xff\xff\xff\x0f"
                                                                  "abcdefgh")),
              IsError(ErrorKind::kValidation, HasSubstr("inflates to more than the limit")));
}

std::string NestedArrays(int depth) {
  std::string schema;
  for (int i = 0; i < depth; ++i) schema += R"({"type":"array","items":)";
  return schema.append(R"("int")").append(static_cast<size_t>(depth), '}');
}

// Each record holds the one before it twice.
std::string DoublingRecords(int count) {
  std::string schema = R"({"type":"record","name":"d0","fields":[{"name":"i","type":"int"}]})";
  for (int i = 1; i < count; ++i) {
    std::string next = R"({"type":"record","name":"d)";
    next.append(std::to_string(i)).append(R"(","fields":[{"name":"a","type":)").append(schema);
    next.append(R"(},{"name":"b","type":"d)").append(std::to_string(i - 1)).append(R"("}]})");
    schema = std::move(next);
  }
  return schema;
}

// A file without entries whose schema has a field of this type besides.
std::string WithField(const std::string& type) {
  return AvroHeader(R"({"type":"record","name":"e","fields":[{"name":"x","type":)" + type +
                        R"(},{"name":"status","type":"int"},{"name":"data_file",
      "type":{"type":"record","name":"f","fields":[{"name":"file_path","type":"string"}]}}]})",
                    "null");
}

// A record with so many fields.
std::string WideRecord(size_t fields, const std::string& type = "int") {
  std::string schema = R"({"type":"record","name":"w","fields":[)";
  for (size_t i = 0; i < fields; ++i) {
    schema.append(i == 0 ? "" : ",").append(R"({"name":"f)").append(std::to_string(i));
    schema.append(R"(","type":")").append(type).append(R"("})");
  }
  return schema + "]}";
}

// A record of records, each of which but the first holds the one before it, by name: the last one
// is 2 * last + 2 levels deep with what it holds, and its text is not.
std::string LinkedRecords(int last) {
  std::string schema = R"({"type":"record","name":"l","fields":[)";
  for (int i = 0; i <= last; ++i) {
    const std::string name = "l" + std::to_string(i);
    const std::string held = i == 0 ? "int" : "l" + std::to_string(i - 1);
    schema.append(i == 0 ? "" : ",").append(R"({"name":")" + name + R"(","type":)");
    schema.append(R"({"type":"record","name":")" + name + R"(","fields":[{"name":"h","type":")");
    schema.append(held + R"("}]}})");
  }
  return schema + "]}";
}

// At each limit and one past it.
TEST(ReadManifest, BoundsSchemas) {
  // A link is a level too. The entry and its field are above.
  constexpr int kLast = (static_cast<int>(limits::kAvroDepthMax) - 4) / 2;
  EXPECT_THAT(Read(WithField(R"({"type":"array","items":)" + LinkedRecords(kLast) + "}")), IsOk());
  EXPECT_THAT(Read(WithField(LinkedRecords(kLast + 1))),
              IsError(ErrorKind::kValidation, HasSubstr("larger than the limits")));
  // The types of WithField: those of the record and of its three fields, and of the field in one.
  constexpr size_t kOtherTypes = 4;
  EXPECT_THAT(Read(WithField(WideRecord(limits::kAvroTypesMax - kOtherTypes - 1))), IsOk());
  EXPECT_THAT(Read(WithField(WideRecord(limits::kAvroTypesMax - kOtherTypes))),
              IsError(ErrorKind::kValidation, HasSubstr("larger than the limits")));
  // The header of a file holds names and values, each counted as one byte more.
  const std::string schema = kSmallSchema;
  auto with_header_bytes = [&](size_t bytes) {
    const std::string key = "avro.schema";
    const size_t rest = bytes - key.size() - 1 - schema.size() - 1 - 2;
    return Read("Obj\x01" + AvroLong(2) + AvroBytes(key) + AvroBytes(schema) + AvroBytes("k") +
                AvroBytes(std::string(rest - 1, 'x')) + AvroLong(0) + AvroSync());
  };
  EXPECT_THAT(with_header_bytes(limits::kAvroHeaderBytesMax), IsOk());
  EXPECT_THAT(with_header_bytes(limits::kAvroHeaderBytesMax + 1),
              IsError(ErrorKind::kValidation, HasSubstr("longer than the limit of 16777216")));
}

// Schemas by which a few bytes of data would overflow the stack or take for ever.
TEST(ReadManifest, RefusesHostileSchemas) {
  EXPECT_THAT(Read(WithField(R"(["null","e"])")),
              IsError(ErrorKind::kValidation, HasSubstr("its schema refers to itself")));
  EXPECT_THAT(Read(WithField(R"({"type":"array","items":"null"})")),
              IsError(ErrorKind::kValidation, HasSubstr("items without content")));
  EXPECT_THAT(Read(WithField(R"({"type":"array","items":{"type":"record","name":"r","fields":[
        {"name":"n","type":"null"},{"name":"z","type":{"type":"fixed","name":"z","size":0}}]}})")),
              IsError(ErrorKind::kValidation, HasSubstr("its schema")));
  EXPECT_THAT(Read(WithField(NestedArrays(60))), IsOk());
  EXPECT_THAT(Read(WithField(NestedArrays(160))),
              IsError(ErrorKind::kValidation, HasSubstr("its schema")));
  EXPECT_THAT(Read(WithField(DoublingRecords(40))),
              IsError(ErrorKind::kValidation, HasSubstr("its schema")));
  // The record is such a field itself.
  EXPECT_THAT(Read(WithField(WideRecord(limits::kAvroEmptyTypesMax - 1, "null"))), IsOk());
  EXPECT_THAT(Read(WithField(WideRecord(limits::kAvroEmptyTypesMax, "null"))),
              IsError(ErrorKind::kValidation, HasSubstr("larger than the limits")));
}

struct BadSchema {
  const char* type;
  const char* reason;
};

class SchemaFlaw : public ::testing::TestWithParam<BadSchema> {};

// Each where avro-c would say less, and of names defined twice never free what it has parsed: the
// leak sanitizer tells.
TEST_P(SchemaFlaw, IsNamed) {
  EXPECT_THAT(Read(WithField(GetParam().type)),
              IsError(ErrorKind::kValidation,
                      "Cannot read manifest m.avro: its schema is not one of Avro: " +
                          std::string(GetParam().reason)));
}

INSTANTIATE_TEST_SUITE_P(
    Avro, SchemaFlaw,
    ::testing::Values(
        BadSchema{R"({"type":"record","name":"e","fields":[]})", "e is defined twice"},
        BadSchema{R"([{"type":"fixed","name":"n.x","size":1},
                  {"type":"enum","name":"x","namespace":"n","symbols":["A"]}])",
                  "n.x is defined twice"},
        BadSchema{R"({"type":"record","name":"n.r","fields":[{"name":"a","type":
                  {"type":"fixed","name":"r","size":1}}]})",
                  "n.r is defined twice"},
        BadSchema{R"({"type":"record","name":"n.r","fields":[{"name":"a","type":"e"}]})",
                  "it has no type e"},
        BadSchema{"7", "a type is not given by a string"},
        BadSchema{R"({"type":["int"]})", "a type is not given by a string"},
        BadSchema{R"("lopg")", "it has no type lopg"}, BadSchema{"[]", "a union has no branch"},
        BadSchema{R"({"type":"array"})", "a type has no items"},
        BadSchema{R"({"type":"map","values":null})", "a type has no values"},
        BadSchema{R"({"type":"record","fields":[]})", "a type has no name"},
        BadSchema{R"("record")", "a type has no name"},
        BadSchema{R"({"type":"record","name":".r","fields":[]})", ".r is no name of a type"},
        BadSchema{R"({"type":"record","name":"n.","fields":[]})", "n. is no name of a type"},
        BadSchema{R"({"type":"record","name":"7r","fields":[]})", "7r is no name of a type"},
        BadSchema{R"({"type":"record","name":"r"})", "r has no fields"},
        BadSchema{R"({"type":"record","name":"r","fields":[7]})",
                  "r has a field with no name of Avro"},
        BadSchema{R"({"type":"record","name":"r","fields":[{"name":"a b","type":"int"}]})",
                  "r has a field with no name of Avro"},
        BadSchema{R"({"type":"record","name":"r","fields":[{"name":"a"}]})", "a type has no type"},
        BadSchema{R"({"type":"enum","name":"r","symbols":["A",7]})", "r has no symbols"},
        BadSchema{R"({"type":"enum","name":"r","symbols":[]})", "r has no symbols"},
        BadSchema{R"({"type":"fixed","name":"r","size":1.5})", "r has no size"},
        BadSchema{R"({"type":"fixed","name":"r","size":-1})", "r has no size"},
        BadSchema{R"({"type":"fixed","name":"r","size":18446744073709551615})", "r has no size"}));

// As PyIceberg writes tables that are partitioned by two decimals, UUIDs or fixed values.
TEST(ReadManifest, TakesAFixedTypeThatIsDefinedAgain) {
  const std::string decimal =
      R"({"type":"fixed","name":"decimal_20_3","size":9,"logicalType":"decimal"})";
  EXPECT_THAT(Read(WithField(R"({"type":"record","name":"n.r","fields":[
        {"name":"a","type":["null",)" +
                             decimal + R"(]},{"name":"b","type":)" + decimal + R"(},
        {"name":"c","type":{"type":"array","items":)" +
                             decimal + R"(}}]})")),
              IsOk());
  EXPECT_THAT(Read(WithField(R"([{"type":"fixed","name":"x","size":1},
                                 {"type":"fixed","name":"x","size":2}])")),
              IsError(ErrorKind::kValidation, HasSubstr("x is defined twice")));
}

// Names stand in the namespace of the record around them, if they name none.
TEST(ReadManifest, FollowsNamesInNamespaces) {
  EXPECT_THAT(Read(WithField(R"({"type":"record","name":"n.r","fields":[
        {"name":"a","type":{"type":"fixed","name":"x","size":1}},
        {"name":"b","type":"x"},{"name":"c","type":"n.x"},
        {"name":"d","type":{"type":"enum","name":"e","symbols":["A"]}},
        {"name":"f","type":{"type":"record","name":"e","namespace":"m","fields":[
          {"name":"a","type":["null",{"type":"array","items":"n.e"}]}]}}]})")),
              IsOk());
}

// Goal: no damage crashes the reader. Method: bytes of good files are changed at random and ends
// cut off; each run either reads or says kValidation.
TEST(ReadManifest, SurvivesEveryDamage) {
  TempDir directory;
  std::mt19937 random(20240229);
  for (const char* codec : {"null", "deflate", "snappy"}) {
    WriteManifest(directory / "m.avro", 3, {{"a.parquet"}, {"b.parquet", 1}, {"c.puffin", 1, 2}},
                  codec);
    const std::string good = FileText(directory / "m.avro");
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
      std::string bad = good;
      for (auto n = random() % 3 + 1; n > 0; --n) {
        bad[random() % bad.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) bad.resize(random() % bad.size());
      const Status status = Read(bad);
      if (status) continue;
      ++refused;
      ASSERT_EQ(status.error().kind, ErrorKind::kValidation) << status.error().message;
      ASSERT_THAT(status.error().message, StartsWith("Cannot read manifest m.avro: "));
    }
    EXPECT_GT(refused, 1000);
  }
}

TEST(ReadManifestList, SaysWhatItLacks) {
  std::vector<std::string> manifests;
  EXPECT_THAT(ReadList(AvroHeader(ManifestSchema(2), "null"), manifests),
              IsError(ErrorKind::kValidation,
                      "Cannot read manifest l.avro: it has no field manifest_path"));
}

}  // namespace
}  // namespace berglite::manifest
