#include "lib/manifest/avro_container.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/base/limits.h"
#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

constexpr std::string_view kSchemaKey = "avro.schema";
constexpr size_t kSyncBytes = 16;
// How much of the file is read at a time.
constexpr size_t kReadBytes = size_t{256} << 10;
constexpr size_t kVarintBytesMax = 10;

}  // namespace

Result<AvroContainer> AvroContainer::Open(ReadPart read) {
  AvroContainer container(std::move(read));
  BERGLITE_RETURN_IF_ERROR(container.ReadHeader());
  return container;
}

Result<std::optional<AvroContainer::Block>> AvroContainer::Next() {
  BERGLITE_ASSIGN_OR_RETURN(bool more, Fill(1));
  if (!more) return std::optional<Block>();
  Block block;
  BERGLITE_ASSIGN_OR_RETURN(block.record_count, TakeLong("a block"));
  BERGLITE_ASSIGN_OR_RETURN(int64_t size, TakeLong("a block"));
  if (block.record_count < 0 || size < 0) return Damaged("the length of a block is negative");
  if (static_cast<uint64_t>(size) > limits::kAvroBlockBytesMax) {
    return Damaged("a block of " + std::to_string(size) + " bytes is longer than the limit of " +
                   std::to_string(limits::kAvroBlockBytesMax));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::string_view packed, Take(static_cast<size_t>(size), "a block"));
  BERGLITE_ASSIGN_OR_RETURN(block.bytes, Unpack(codec_, packed, limits::kAvroBlockBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(std::string_view sync, Take(kSyncBytes, "a block"));
  if (sync != sync_) return Damaged("a block does not end with the marker of the file");
  return std::optional<Block>(std::move(block));
}

Status AvroContainer::ReadHeader() {
  BERGLITE_ASSIGN_OR_RETURN(std::string_view magic, Take(kMagic.size(), "the header"));
  if (magic != kMagic) return Damaged("it is not an Avro file");
  std::string codec;
  for (;;) {
    BERGLITE_ASSIGN_OR_RETURN(int64_t count, TakeLong("the header"));
    if (count == 0) break;
    if (count == std::numeric_limits<int64_t>::min()) return Damaged("its header is damaged");
    // A negative count is followed by the length in bytes, which only helps to skip.
    if (count < 0) BERGLITE_RETURN_IF_ERROR(TakeLong("the header"));
    for (int64_t i = 0; i < std::abs(count); ++i) BERGLITE_RETURN_IF_ERROR(ReadHeaderEntry(codec));
  }
  if (schema_.empty()) return Damaged("its header holds no schema");
  const std::optional<Codec> known = codec.empty() ? Codec::kNull : CodecNamed(codec);
  if (!known) return Damaged("its codec " + codec + " is not supported");
  codec_ = *known;
  BERGLITE_ASSIGN_OR_RETURN(sync_, Take(kSyncBytes, "the header"));
  return {};
}

Status AvroContainer::ReadHeaderEntry(std::string& codec) {
  BERGLITE_ASSIGN_OR_RETURN(std::string key, TakeHeaderBytes());
  BERGLITE_ASSIGN_OR_RETURN(std::string value, TakeHeaderBytes());
  if (key == kSchemaKey) schema_ = value;
  if (key == kCodecKey) codec = value;
  header_.emplace_back(std::move(key), std::move(value));
  return {};
}

Result<bool> AvroContainer::Fill(size_t size) {
  if (buffer_.size() - at_ >= size) return true;
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t wanted = std::max(size - buffer_.size(), kReadBytes);
  BERGLITE_ASSIGN_OR_RETURN(std::string part, read_(buffer_end_, wanted));
  buffer_end_ += part.size();
  buffer_ += part;
  return buffer_.size() >= size;
}

Result<std::string_view> AvroContainer::Take(size_t size, std::string_view what) {
  BERGLITE_ASSIGN_OR_RETURN(bool is_there, Fill(size));
  if (!is_there) return Damaged("it is cut short in " + std::string(what));
  const std::string_view bytes = std::string_view(buffer_).substr(at_, size);
  at_ += size;
  return bytes;
}

// A number in zigzag form, seven bits a byte, the lowest first.
Result<int64_t> AvroContainer::TakeLong(std::string_view what) {
  uint64_t value = 0;
  for (size_t i = 0; i < kVarintBytesMax; ++i) {
    BERGLITE_ASSIGN_OR_RETURN(std::string_view byte, Take(1, what));
    const auto bits = static_cast<unsigned char>(byte.front());
    value |= static_cast<uint64_t>(bits & 0x7f) << (7 * i);
    if ((bits & 0x80) == 0) return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  return Damaged("a number in " + std::string(what) + " is too long");
}

Result<std::string> AvroContainer::TakeHeaderBytes() {
  BERGLITE_ASSIGN_OR_RETURN(int64_t size, TakeLong("the header"));
  if (size < 0) return Damaged("its header is damaged");
  // One more for each, so that a great number of empty ones ends too.
  if (static_cast<uint64_t>(size) >= limits::kAvroHeaderBytesMax - header_bytes_) {
    return Damaged("its header is longer than the limit of " +
                   std::to_string(limits::kAvroHeaderBytesMax) + " bytes");
  }
  header_bytes_ += static_cast<size_t>(size) + 1;
  BERGLITE_ASSIGN_OR_RETURN(std::string_view bytes, Take(static_cast<size_t>(size), "the header"));
  return std::string(bytes);
}

}  // namespace berglite::manifest
