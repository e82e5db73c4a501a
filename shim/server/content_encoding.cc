#include "shim/server/content_encoding.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace berglite::server {
namespace {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

Error NotGzip() { return {ErrorKind::kMalformedRequest, "The request body is not valid gzip"}; }

// Inflates one or more gzip members, which is what a gzip file is (RFC 1952 2.2).
Result<std::string> Inflate(std::string& compressed, size_t size_max) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, InflateEnd> end(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string body;
  std::array<char, size_t{64} << 10> buffer;  // NOLINT(*-member-init): filled before it is read
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return NotGzip();
    const size_t size = buffer.size() - stream.avail_out;
    if (size > size_max - body.size()) {
      return Error{
          ErrorKind::kInvalidArgument,
          "The request body is longer than " + std::to_string(size_max) + " bytes when inflated"};
    }
    body.append(buffer.data(), size);
    if (code != Z_STREAM_END) continue;
    if (stream.avail_in == 0) return body;
    inflateReset(&stream);
  }
}

}  // namespace

Status DecodeBody(rest::HttpRequest& request, size_t size_max) {
  const auto is_encoding = [](const auto& header) {
    return EqualsIgnoringCase(header.first, "Content-Encoding");
  };
  const auto encoding = std::find_if(request.headers.begin(), request.headers.end(), is_encoding);
  if (encoding == request.headers.end()) return {};
  // Two of them are an encoding of an encoding, which the service refuses.
  if (std::any_of(encoding + 1, request.headers.end(), is_encoding)) return {};
  if (!EqualsIgnoringCase(encoding->second, "gzip") &&
      !EqualsIgnoringCase(encoding->second, "x-gzip")) {
    return {};
  }
  if (!request.body.empty()) {
    BERGLITE_ASSIGN_OR_RETURN(request.body, Inflate(request.body, size_max));
  }
  request.headers.erase(encoding);
  return {};
}

}  // namespace berglite::server
