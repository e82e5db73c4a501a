#include "lib/metadata/metadata_file.h"

#include <zlib.h>

#include "lib/base/limits.h"
#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::FakeEnvironment;
using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kPlain[] = "file:///w/t/metadata/00000-a.metadata.json";
constexpr char kGzip[] = "file:///w/t/metadata/00000-a.gz.metadata.json";
constexpr char kOlderGzip[] = "file:///w/t/metadata/00000-a.metadata.json.gz";

TableMetadata WithProperties(const Json& properties) {
  Json json = BaseJson();
  json["properties"] = properties;
  return Table(json);
}

std::string NewLocation(const Json& properties, std::string_view previous) {
  FakeEnvironment environment;
  return NewMetadataLocation(WithProperties(properties), previous, environment);
}

TEST(NewMetadataLocation, CountsVersionsFromZero) {
  EXPECT_EQ(NewLocation(Json::object(), ""),
            "file:///w/ns/t/metadata/00000-00000000-0000-4000-8000-000000000001.metadata.json");
  EXPECT_THAT(NewLocation(Json::object(), "file:///w/ns/t/metadata/00041-uuid.metadata.json"),
              HasSubstr("/metadata/00042-"));
  EXPECT_THAT(NewLocation(Json::object(), "s3://b-1/x-2/99999-uuid.gz.metadata.json"),
              HasSubstr("/metadata/100000-"));
}

TEST(NewMetadataLocation, BeginsAnewAfterANameWithoutVersion) {
  for (const char* previous : {"v3.metadata.json", "x/v3-uuid.metadata.json", "x/-1.json",
                               "x/99999999999-u.metadata.json", "2147483648-u.metadata.json"}) {
    EXPECT_THAT(NewLocation(Json::object(), previous), HasSubstr("/metadata/00000-")) << previous;
  }
  EXPECT_THAT(NewLocation(Json::object(), "2147483647-u.metadata.json"),
              HasSubstr("/metadata/2147483648-"));
}

TEST(NewMetadataLocation, FollowsTheProperties) {
  EXPECT_THAT(NewLocation({{"write.metadata.compression-codec", "GZIP"}}, ""),
              ::testing::EndsWith("000000000001.gz.metadata.json"));
  EXPECT_THAT(NewLocation({{"write.metadata.compression-codec", "none"}}, ""),
              ::testing::EndsWith("000000000001.metadata.json"));
  EXPECT_THAT(NewLocation({{"write.metadata.path", "s3://b/m/"}}, ""),
              ::testing::StartsWith("s3://b/m/00000-"));
  EXPECT_EQ(MetadataDirectory(WithProperties({{"write.metadata.path", "s3://b/m/"}})), "s3://b/m");
  EXPECT_EQ(MetadataDirectory(WithProperties(Json::object())), "file:///w/ns/t/metadata");
}

TEST(EncodeMetadataFile, CompressesWhereTheNameSaysSo) {
  std::string text = BaseJson().dump();
  EXPECT_EQ(EncodeMetadataFile(text, kPlain), text);
  for (const char* location : {kGzip, kOlderGzip}) {
    std::string bytes = EncodeMetadataFile(text, location);
    EXPECT_LT(bytes.size(), text.size());
    EXPECT_TRUE(bytes.starts_with("\x1f\x8b"));
    Result<Document> document = DecodeMetadataFile(bytes, location);
    ASSERT_THAT(document, IsOk());
    EXPECT_EQ(document->text(), text);
  }
}

TEST(DecodeMetadataFile, TellsGzipByItsBytesWhateverTheName) {
  std::string text = BaseJson().dump();
  for (const char* location : {kPlain, kGzip, kOlderGzip}) {
    for (const std::string& bytes : {text, EncodeMetadataFile(text, kGzip)}) {
      Result<Document> document = DecodeMetadataFile(bytes, location);
      ASSERT_THAT(document, IsOk());
      EXPECT_EQ(document->text(), text);
    }
  }
}

TEST(DecodeMetadataFile, ReadsGzipOfSeveralMembersAndChunks) {
  std::string first = "[\"" + std::string(200'000, 'a');
  std::string second = std::string(65'536, 'b') + "\"]";
  std::string bytes = EncodeMetadataFile(first, kGzip) + EncodeMetadataFile(second, kGzip);
  Result<Document> document = DecodeMetadataFile(bytes, kGzip);
  ASSERT_THAT(document, IsOk());
  EXPECT_EQ(document->text(), first + second);
}

TEST(DecodeMetadataFile, RefusesDamagedDataNamingTheLocation) {
  std::string bytes = EncodeMetadataFile(BaseJson().dump(), kGzip);
  std::string prefix = "Cannot read metadata file " + std::string(kGzip) + ": ";
  for (size_t length : {size_t{2}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THAT(DecodeMetadataFile(bytes.substr(0, length), kGzip),
                IsError(ErrorKind::kValidation, prefix + "its gzip data is damaged or cut short"))
        << length;
  }
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(~flipped[bytes.size() / 2]);
  EXPECT_THAT(DecodeMetadataFile(flipped, kGzip),
              IsError(ErrorKind::kValidation, HasSubstr(prefix)));
  EXPECT_THAT(DecodeMetadataFile(bytes + "tail", kGzip),
              IsError(ErrorKind::kValidation, prefix + "its gzip data is damaged or cut short"));
  for (const char* text : {"", "{", "{\"a\":\"\xff\"}"}) {
    EXPECT_THAT(DecodeMetadataFile(text, kGzip),
                IsError(ErrorKind::kValidation, HasSubstr(prefix + "Cannot parse JSON")));
  }
}

// A gzip of a gigabyte of spaces is a megabyte.
TEST(DecodeMetadataFile, StopsInflatingAtTheLimit) {
  std::string bomb;
  z_stream stream = {};
  ASSERT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string spaces(size_t{1} << 20, ' ');
  std::string out(size_t{1} << 20, '\0');
  size_t written = 0;
  bool is_last = false;
  while (!is_last) {
    written += spaces.size();
    is_last = written > limits::kMetadataBytesMax;
    stream.next_in = reinterpret_cast<Bytef*>(spaces.data());
    stream.avail_in = static_cast<uInt>(spaces.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    bomb.append(out, 0, out.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  EXPECT_THAT(DecodeMetadataFile(bomb, kGzip),
              IsError(ErrorKind::kValidation,
                      "Cannot read metadata file " + std::string(kGzip) +
                          ": it inflates to more than the limit of 536870912 bytes"));
}

TableMetadata WithLog(const Json& files, const Json& properties) {
  Json json = BaseJson();
  json["properties"] = properties;
  for (const Json& file : files) {
    json["metadata-log"].push_back({{"timestamp-ms", kBaseUpdatedMs}, {"metadata-file", file}});
  }
  return Table(json);
}

TEST(SupersededMetadataFiles, AreThoseThatFellOutOfTheLog) {
  Json enabled = {{"write.metadata.delete-after-commit.enabled", "True"}};
  const std::string a = "m/0.metadata.json";
  const std::string b = "m/1.gz.metadata.json";
  const std::string c = "m/2.metadata.json.gz";
  const std::string d = "m/3.metadata.json";
  const std::vector<std::string> base = LoggedMetadataFiles(WithLog({a, b, c}, Json::object()));
  EXPECT_THAT(base, ElementsAre(a, b, c));
  EXPECT_THAT(SupersededMetadataFiles(base, WithLog({c, d}, enabled)), ElementsAre(a, b));
  EXPECT_THAT(SupersededMetadataFiles(base, WithLog({c, d}, Json::object())), IsEmpty());
  EXPECT_THAT(SupersededMetadataFiles(base, WithLog({a, b, c, d}, enabled)), IsEmpty());
}

TEST(SupersededMetadataFiles, AreMetadataFilesWhateverTheLogNames) {
  Json enabled = {{"write.metadata.delete-after-commit.enabled", "true"}};
  const std::vector<std::string> base = {"/w/lake.db", "/w/x.metadata.json/part.parquet"};
  EXPECT_THAT(SupersededMetadataFiles(base, WithLog({}, enabled)), IsEmpty());
}

}  // namespace
}  // namespace berglite::metadata
