#include "lib/manifest/puffin.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "lib/base/json.h"
#include "lib/manifest/errors.h"

namespace berglite::manifest {
namespace {

constexpr std::string_view kMagic = "PFA1";
constexpr size_t kWordBytes = 4;
// What follows the payload of the footer: its length, flags, and the magic again.
constexpr size_t kTrailerBytes = 3 * kWordBytes;

// Of the specification.
constexpr char kBlobs[] = "blobs";
constexpr char kProperties[] = "properties";
constexpr char kReferencedDataFile[] = "referenced-data-file";

std::string EncodeWord(uint32_t value) {
  std::string bytes;
  for (size_t i = 0; i < kWordBytes; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

// Its lowest byte is first.
uint32_t DecodeWord(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < kWordBytes; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

struct Footer {
  size_t begin = 0;  // of its magic
  Json payload;
};

Result<Footer> ReadFooter(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || !bytes.ends_with(kMagic)) return Damaged("it is none");
  if (bytes.size() < 2 * kMagic.size() + kTrailerBytes) return Damaged("it is cut short");
  const std::string_view trailer = bytes.substr(bytes.size() - kTrailerBytes);
  const size_t length = DecodeWord(trailer);
  if (length > bytes.size() - 2 * kMagic.size() - kTrailerBytes) {
    return Damaged("its footer is longer than the file");
  }
  if (DecodeWord(trailer.substr(kWordBytes)) != 0) {
    return Damaged("its footer is compressed, which is not supported");
  }
  const size_t payload_begin = bytes.size() - kTrailerBytes - length;
  if (bytes.substr(payload_begin - kMagic.size(), kMagic.size()) != kMagic) {
    return Damaged("its footer has no beginning");
  }
  Result<Document> payload = Document::Parse(std::string(bytes.substr(payload_begin, length)));
  if (!payload) return Damaged("its footer is no good JSON: " + payload.error().message);
  return Footer{payload_begin - kMagic.size(), DocumentAccess::TakeDom(*std::move(payload))};
}

// Whether anything has changed.
bool MapBlobs(Json& payload, const std::function<std::string(const std::string&)>& map) {
  bool is_changed = false;
  if (FindMember(payload, kBlobs) == nullptr) return false;
  for (Json& blob : payload[kBlobs]) {
    const Json* properties = FindMember(blob, kProperties);
    const Json* file =
        properties == nullptr ? nullptr : FindMember(*properties, kReferencedDataFile);
    if (file == nullptr || !file->is_string()) continue;
    std::string mapped = map(file->get_ref<const std::string&>());
    if (mapped == *file) continue;
    blob[kProperties][kReferencedDataFile] = std::move(mapped);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace

Result<std::optional<std::string>> RewritePuffin(
    const std::string& location, std::string bytes,
    const std::function<std::string(const std::string&)>& map) {
  Result<Footer> footer = ReadFooter(bytes);
  if (!footer) {
    return Damaged("Cannot read Puffin file " + location + ": " + footer.error().message);
  }
  if (!MapBlobs(footer->payload, map)) return std::optional<std::string>();
  const std::string payload = ToJsonText(footer->payload);
  bytes.resize(footer->begin);
  bytes.append(kMagic).append(payload);
  bytes += EncodeWord(static_cast<uint32_t>(payload.size())) + EncodeWord(0);
  return std::optional(bytes.append(kMagic));
}

}  // namespace berglite::manifest
