// Document: the one door for JSON in and out of berglite.
//
// Requests and results of the catalog are Documents in the shapes of the Iceberg REST
// specification. Parsing checks UTF-8, size and depth once; after that a Document is known to be
// good JSON.
//
// Threads: a Document is immutable; copies share one body and may be used from any thread.
// Ownership: a Document owns its bytes; what text() returns lives as long as any copy of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "berglite/result.h"

namespace berglite {

class Document {
 public:
  // An empty JSON object.
  Document();
  Document(const Document& other) noexcept;
  Document(Document&& other) noexcept;
  Document& operator=(Document other) noexcept;
  ~Document();

  // Parses one JSON value. Errors: kMalformedRequest, naming the place, for text that is not JSON,
  // not UTF-8, deeper than the depth limit or longer than `size_max` bytes (0: the limit for
  // request bodies).
  static Result<Document> Parse(std::string text, size_t size_max = 0);

  // The JSON text: the very bytes that were parsed, or those that berglite wrote.
  const std::string& text() const;

  // Look-ups by JSON Pointer (RFC 6901), for callers that bring no JSON library. The Get functions
  // fail with kInvalidArgument, naming the pointer, where the value is absent or of another type.
  bool Contains(std::string_view pointer) const;
  Result<std::string> GetString(std::string_view pointer) const;
  Result<int64_t> GetInt64(std::string_view pointer) const;
  // The number of members of an object or of elements of an array.
  Result<size_t> GetSize(std::string_view pointer) const;

 private:
  friend class DocumentAccess;
  struct Body;
  // Takes over the one reference that a new body has.
  explicit Document(const Body* body);

  // Counted in the body; null only where the Document was moved from.
  const Body* body_;
};

}  // namespace berglite
