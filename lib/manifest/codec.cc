#include "lib/manifest/codec.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <zstd.h>

#include <snappy-c.h>
#include <zlib.h>

#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

// How much is unpacked at a time, so that memory follows what is there and not what is claimed.
// Many blocks are small: some writers make one for each record.
size_t ChunkBytes(std::string_view packed) {
  constexpr size_t kFactor = 4;
  return std::clamp(packed.size() * kFactor, size_t{1} << 10, size_t{256} << 10);
}

// A negative number of window bits asks zlib for bare deflate data, as Avro has it.
constexpr int kRawWindowBits = -15;
constexpr size_t kChecksumBytes = 4;

Error TooLong(size_t size_max) {
  return Damaged("a block inflates to more than the limit of " + std::to_string(size_max) +
                 " bytes");
}

Error BadBlock(std::string_view codec) {
  return Damaged("a block of " + std::string(codec) + " data is damaged or cut short");
}

Result<std::string> Inflate(std::string_view packed, size_t size_max) {
  z_stream stream = {};
  if (inflateInit2(&stream, kRawWindowBits) != Z_OK) std::abort();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  const size_t chunk = ChunkBytes(packed);
  std::string text;
  for (;;) {
    const size_t length = text.size();
    text.resize(length + chunk);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + length);
    stream.avail_out = static_cast<uInt>(chunk);
    const int code = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
    if (text.size() > size_max) return TooLong(size_max);
    if (code == Z_STREAM_END) return text;
    if (code != Z_OK) return BadBlock("deflate");
  }
}

// Avro puts a checksum of the unpacked bytes behind the data, its highest byte first.
Result<std::string> UnpackSnappy(std::string_view packed, size_t size_max) {
  if (packed.size() < kChecksumBytes) return BadBlock("snappy");
  const size_t packed_size = packed.size() - kChecksumBytes;
  size_t size = 0;
  if (snappy_uncompressed_length(packed.data(), packed_size, &size) != SNAPPY_OK) {
    return BadBlock("snappy");
  }
  if (size > size_max) return TooLong(size_max);
  // The claimed size is checked before memory is taken for it.
  if (snappy_validate_compressed_buffer(packed.data(), packed_size) != SNAPPY_OK) {
    return BadBlock("snappy");
  }
  std::string text(size, '\0');
  if (snappy_uncompress(packed.data(), packed_size, text.data(), &size) != SNAPPY_OK) {
    return BadBlock("snappy");
  }
  uint32_t expected = 0;
  for (char c : packed.substr(packed_size)) {
    expected = expected << 8 | static_cast<unsigned char>(c);
  }
  const uLong found =
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  if (found != expected) return Damaged("the checksum of a block of snappy data is wrong");
  return text;
}

Result<std::string> UnpackZstandard(std::string_view packed, size_t size_max) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (stream == nullptr) return Error{ErrorKind::kUnavailable, "Out of memory"};
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  const size_t chunk = ChunkBytes(packed);
  std::string text;
  size_t code = 1;  // 0: a frame has ended
  while (in.pos < in.size || code != 0) {
    const size_t length = text.size();
    text.resize(length + chunk);
    ZSTD_outBuffer out = {text.data() + length, chunk, 0};
    const size_t consumed = in.pos;
    code = ZSTD_decompressStream(stream.get(), &out, &in);
    text.resize(length + out.pos);
    if (ZSTD_isError(code) != 0) return BadBlock("zstandard");
    if (text.size() > size_max) return TooLong(size_max);
    const bool is_stuck = in.pos == consumed && out.pos == 0;
    if (is_stuck && code != 0) return BadBlock("zstandard");
  }
  return text;
}

}  // namespace

std::optional<Codec> CodecNamed(std::string_view name) {
  if (name == "null") return Codec::kNull;
  if (name == "deflate") return Codec::kDeflate;
  if (name == "snappy") return Codec::kSnappy;
  if (name == "zstandard") return Codec::kZstandard;
  return std::nullopt;
}

Result<std::string> Unpack(Codec codec, std::string_view packed, size_t size_max) {
  switch (codec) {
    case Codec::kNull:
      if (packed.size() > size_max) return TooLong(size_max);
      return std::string(packed);
    case Codec::kDeflate:
      return Inflate(packed, size_max);
    case Codec::kSnappy:
      return UnpackSnappy(packed, size_max);
    case Codec::kZstandard:
      return UnpackZstandard(packed, size_max);
  }
  std::abort();
}

std::string Deflate(std::string_view bytes) {
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  const int code = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawWindowBits,
                                kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (code != Z_OK) std::abort();
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, &deflateEnd);
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(packed.size() - stream.avail_out);
  return packed;
}

}  // namespace berglite::manifest
