#include "lib/metadata/metadata_file.h"

#include <cassert>
#include <cstdio>
#include <unordered_set>
#include <utility>

#include <zlib.h>

#include "lib/base/json.h"
#include "lib/base/limits.h"
#include "lib/base/uuid.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr char kMetadataPathProperty[] = "write.metadata.path";
constexpr char kCodecProperty[] = "write.metadata.compression-codec";
constexpr char kGzipCodec[] = "gzip";
constexpr char kDeleteAfterCommitProperty[] = "write.metadata.delete-after-commit.enabled";

// 15 bits of window; 16 more ask zlib for the gzip format.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kMemoryLevel = 8;
// How much is inflated at a time.
constexpr size_t kChunkBytes = size_t{64} << 10;

// The version in the file name of `location`, the number before its first `-`; -1 where it has
// none.
int64_t VersionOf(std::string_view location) {
  std::string_view name = location.substr(location.find_last_of('/') + 1);
  size_t end = name.find('-');
  if (end == std::string_view::npos) return -1;
  return ParseInt32(name.substr(0, end)).value_or(-1);
}

bool IsGzipName(std::string_view location) {
  return location.ends_with(".gz.metadata.json") || location.ends_with(".metadata.json.gz");
}

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// An open zlib stream that reads gzip.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) std::abort();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // All that the bytes inflate to, members one after another. Errors: kValidation without a place.
  Result<std::string> Read() {
    std::string text;
    while (true) {
      size_t length = text.size();
      text.resize(length + kChunkBytes);
      stream_.next_out = reinterpret_cast<Bytef*>(text.data() + length);
      stream_.avail_out = kChunkBytes;
      int code = inflate(&stream_, Z_NO_FLUSH);
      text.resize(text.size() - stream_.avail_out);
      if (text.size() > limits::kMetadataBytesMax) {
        return ValidationError("it inflates to more than the limit of " +
                               std::to_string(limits::kMetadataBytesMax) + " bytes");
      }
      if (code == Z_STREAM_END) {
        if (stream_.avail_in == 0) return text;
        if (inflateReset(&stream_) != Z_OK) std::abort();
      } else if (code != Z_OK) {
        return ValidationError("its gzip data is damaged or cut short");
      }
    }
  }

 private:
  z_stream stream_ = {};
};

std::string Deflate(std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  assert(text.size() <= limits::kMetadataBytesMax);
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  // One call is enough for a buffer of deflateBound.
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  bytes.resize(bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  return bytes;
}

Error CannotRead(std::string_view location, const std::string& why) {
  return ValidationError("Cannot read metadata file " + std::string(location) + ": " + why);
}

template <typename Metadata>
std::string DirectoryOf(const Metadata& metadata) {
  std::optional<std::string> path = metadata.Property(kMetadataPathProperty);
  if (path && !path->empty()) return WithoutTrailingSlashes(*path);
  return metadata.location() + "/metadata";
}

template <typename Metadata>
std::string NewLocation(const Metadata& metadata, std::string_view previous_location,
                        const char* codec_default, Environment& environment) {
  std::string codec = AsciiLower(metadata.Property(kCodecProperty).value_or(codec_default));
  std::string version = std::to_string(VersionOf(previous_location) + 1);
  constexpr size_t kVersionDigits = 5;
  if (version.size() < kVersionDigits) version.insert(0, kVersionDigits - version.size(), '0');
  return DirectoryOf(metadata) + "/" + version + "-" + NewUuid(environment) +
         (codec == kGzipCodec ? ".gz.metadata.json" : ".metadata.json");
}

}  // namespace

std::string MetadataDirectory(const TableMetadata& metadata) { return DirectoryOf(metadata); }

std::string MetadataDirectory(const ViewMetadata& metadata) { return DirectoryOf(metadata); }

std::string NewMetadataLocation(const TableMetadata& metadata, std::string_view previous_location,
                                Environment& environment) {
  return NewLocation(metadata, previous_location, "none", environment);
}

std::string NewMetadataLocation(const ViewMetadata& metadata, std::string_view previous_location,
                                Environment& environment) {
  return NewLocation(metadata, previous_location, kGzipCodec, environment);
}

std::string EncodeMetadataFile(std::string_view text, std::string_view location) {
  return IsGzipName(location) ? Deflate(text) : std::string(text);
}

Result<Document> DecodeMetadataFile(std::string bytes, std::string_view location) {
  if (bytes.size() > limits::kMetadataBytesMax) {
    return CannotRead(location, "it is longer than the limit of " +
                                    std::to_string(limits::kMetadataBytesMax) + " bytes");
  }
  if (IsGzip(bytes)) {
    Result<std::string> text = Inflater(bytes).Read();
    if (!text) return CannotRead(location, text.error().message);
    bytes = *std::move(text);
  }
  Result<Document> document = Document::Parse(std::move(bytes), limits::kMetadataBytesMax);
  if (!document) return CannotRead(location, document.error().message);
  return document;
}

std::vector<std::string> LoggedMetadataFiles(const TableMetadata& metadata) {
  std::vector<std::string> files;
  const Json* log = FindMember(metadata.json(), keys::kMetadataLog);
  if (log == nullptr) return files;
  for (const Json& entry : *log) files.push_back(*GetString(entry, keys::kMetadataFile));
  return files;
}

std::vector<std::string> SupersededMetadataFiles(const std::vector<std::string>& logged_before,
                                                 const TableMetadata& next) {
  std::vector<std::string> superseded;
  const std::string enabled = next.Property(kDeleteAfterCommitProperty).value_or("false");
  if (AsciiLower(enabled) != "true") return superseded;
  const std::vector<std::string> after = LoggedMetadataFiles(next);
  const std::unordered_set<std::string> kept(after.begin(), after.end());
  for (const std::string& file : logged_before) {
    // A registered file may name anything in its log; only what is a metadata file is one.
    bool is_metadata = file.find(".metadata.json", file.rfind('/') + 1) != std::string::npos;
    if (is_metadata && !kept.contains(file)) superseded.push_back(file);
  }
  return superseded;
}

}  // namespace berglite::metadata
