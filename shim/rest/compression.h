// gzip for reply bodies. Level 1: metadata shrinks five times at 200 MB/s; higher levels cost more
// time than a network saves. Never brotli.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shim/rest/http.h"

namespace berglite::rest {

// Whether an Accept-Encoding header allows gzip (RFC 9110, 12.5.3).
bool AcceptsGzip(std::string_view accept_encoding);

// Absent where zlib fails, for want of memory or for a text too long for it.
std::optional<std::string> Gzip(std::string_view text);

// Compresses the body of `reply` where that is worth it and the request accepts it.
void CompressBody(const HttpRequest& request, HttpReply& reply);

}  // namespace berglite::rest
