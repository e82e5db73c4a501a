// Avro files put together byte by byte, for what avro-c does not write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <zstd.h>

#include "lib/manifest/avro_container.h"

namespace berglite::testing {

inline std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Borrows the text.
inline manifest::ReadPart PartsOf(const std::string& text) {
  return [&text](uint64_t offset, size_t size) -> Result<std::string> {
    return text.substr(std::min<size_t>(offset, text.size()), size);
  };
}

// A number as Avro has it.
inline std::string AvroLong(int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  std::string bytes;
  for (; rest >= 0x80; rest >>= 7) bytes += static_cast<char>((rest & 0x7f) | 0x80);
  return bytes + static_cast<char>(rest);
}

inline std::string AvroBytes(const std::string& bytes) {
  return AvroLong(static_cast<int64_t>(bytes.size())) + bytes;
}

inline const std::string& AvroSync() {
  static const std::string sync(16, 's');
  return sync;
}

inline std::string AvroHeader(const std::string& schema, const std::string& codec) {
  return std::string("Obj\x01") + AvroLong(2) + AvroBytes("avro.schema") + AvroBytes(schema) +
         AvroBytes("avro.codec") + AvroBytes(codec) + AvroLong(0) + AvroSync();
}

inline std::string AvroBlock(int64_t count, const std::string& packed) {
  return AvroLong(count) + AvroBytes(packed) + AvroSync();
}

// One frame without its content's size, as streaming writers make it.
inline std::string PackZstandard(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

}  // namespace berglite::testing
