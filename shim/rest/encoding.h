// How names and parameters stand in a request target: percent-encoding, form encoding, and the
// namespace separator.
//
// Text that is not UTF-8 or holds a NUL is refused with kMalformedRequest; names that cannot exist
// with kInvalidArgument. A `%` that no two hexadecimal digits follow stands for itself: some
// clients send names with a bare `%`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/result.h"

namespace berglite::rest {

// What a bare `+` means. In a query it is a space. In a path the clients differ: Java means a
// space, Go, Rust and JavaScript mean a plus.
enum class PlusSign { kPlus, kSpace };

std::string PercentDecode(std::string_view raw, PlusSign plus);
// `text` as a path segment: all but unreserved characters (RFC 3986, 2.3) are escaped.
std::string PercentEncode(std::string_view text);
// Whether `text` has a `%` with two hexadecimal digits after it.
bool HoldsPercentEscape(std::string_view text);

// A whole path segment that is one name.
Result<std::string> DecodeName(std::string_view raw, PlusSign plus);
// A whole path segment that is a namespace, its levels joined by 0x1F, raw or encoded.
Result<Namespace> DecodeNamespace(std::string_view raw, PlusSign plus);
// A decoded namespace, its levels joined by 0x1F.
Result<Namespace> SplitNamespace(std::string_view text);

// The parameters of a query or a form body, decoded.
class Parameters {
 public:
  static Result<Parameters> Parse(std::string_view raw);

  // The value of the first parameter of that name; null where there is none.
  const std::string* Find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace berglite::rest
