// Content encodings of request bodies.
#pragma once

#include <cstddef>

#include "berglite/result.h"
#include "shim/rest/http.h"

namespace berglite::server {

// Inflates the body of a request that came with `Content-Encoding: gzip` and removes the header.
// Other encodings are left for the service to refuse. Errors: kMalformedRequest for a body that is
// not gzip; kInvalidArgument for one that would be longer than `size_max` bytes, of which no more
// than that is ever in memory.
Status DecodeBody(rest::HttpRequest& request, size_t size_max);

}  // namespace berglite::server
