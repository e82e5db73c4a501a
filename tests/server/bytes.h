// Bodies for tests.
#pragma once

#include <cstddef>
#include <string>

#include <zlib.h>

namespace berglite::testing {

inline std::string Repeat(size_t count, char c) {
  std::string text;
  text.resize(count, c);
  return text;
}

inline std::string Gzip(std::string text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace berglite::testing
