// HTTP requests and replies as plain values: all that the REST layer knows of HTTP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/document.h"

namespace berglite::rest {

// ASCII only, whatever the locale.
constexpr char AsciiLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool EqualsIgnoringCase(std::string_view a, std::string_view b);
// `text` without spaces and tabs around it.
std::string_view TrimSpace(std::string_view text);

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // as sent; methods are case-sensitive
  // The request target as sent, not decoded: path, and query after `?`.
  std::string target;
  Headers headers;
  // Decoded from transfer and content encodings.
  std::string body;

  // The value of the first header of that name (names match in any case); null where there is none.
  const std::string* FindHeader(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  // Without Content-Length and Connection, which the server adds.
  Headers headers;
  // The body: a document, sent without copying it, or text. At most one of both.
  std::optional<Document> document;
  std::string text;

  // For logs and metrics.
  std::string operation;
  std::string error;

  const std::string& body() const { return document ? document->text() : text; }
};

}  // namespace berglite::rest
