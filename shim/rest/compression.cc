#include "shim/rest/compression.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <zlib.h>

#include "shim/rest/limits.h"

namespace berglite::rest {

namespace {

constexpr int kLevel = 1;
// zlib: the largest window, and 16 for the header and trailer of gzip.
constexpr int kGzipWindowBits = MAX_WBITS + 16;
constexpr int kMemoryLevel = 8;

// Takes the text up to the next `delimiter` off `rest`, and the delimiter.
std::string_view TakeUntil(std::string_view& rest, char delimiter) {
  size_t end = std::min(rest.find(delimiter), rest.size());
  std::string_view taken = TrimSpace(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

// Whether the parameters of a coding allow it: there is no `q`, or one above zero.
bool HasPositiveWeight(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view parameter = TakeUntil(parameters, ';');
    std::string_view name = TakeUntil(parameter, '=');
    if (!EqualsIgnoringCase(name, "q")) continue;
    bool is_number = parameter.find_first_not_of("0123456789.") == std::string_view::npos;
    return is_number && parameter.find_first_of("123456789") != std::string_view::npos;
  }
  return true;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = TakeUntil(accept_encoding, ',');
    std::string_view coding = TakeUntil(parameters, ';');
    if (EqualsIgnoringCase(coding, "gzip") || EqualsIgnoringCase(coding, "x-gzip")) {
      return HasPositiveWeight(parameters);
    }
    if (coding == "*") any = HasPositiveWeight(parameters);
  }
  return any;
}

std::optional<std::string> Gzip(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max() / 2) return std::nullopt;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string zipped(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib's interface predates const; it only reads the input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(zipped.data());
  stream.avail_out = static_cast<uInt>(zipped.size());
  int outcome = deflate(&stream, Z_FINISH);
  zipped.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return std::nullopt;
  return zipped;
}

void CompressBody(const HttpRequest& request, HttpReply& reply) {
  if (reply.body().size() < kGzipBytesMin) return;
  reply.headers.emplace_back("Vary", "Accept-Encoding");
  const std::string* accept_encoding = request.FindHeader("Accept-Encoding");
  if (accept_encoding == nullptr || !AcceptsGzip(*accept_encoding)) return;
  std::optional<std::string> zipped = Gzip(reply.body());
  if (!zipped) return;
  reply.headers.emplace_back("Content-Encoding", "gzip");
  reply.document.reset();
  reply.text = *std::move(zipped);
}

}  // namespace berglite::rest
