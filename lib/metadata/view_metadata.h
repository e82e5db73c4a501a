// ViewMetadata: a view metadata document, checked, with typed views of what the catalog reads.
//
// As with tables (table_metadata.h), the document stays as it is written, unknown members included,
// and an edit makes a new one.
//
// Rules: the Iceberg view specification.
// Threads: immutable; copies share the document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berglite/document.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// The one format version of views.
inline constexpr int32_t kViewFormatVersion = 1;

class ViewMetadata {
 public:
  // Checks the invariants that every rule relies on. Errors: kValidation, naming the member.
  static Result<ViewMetadata> Parse(Document document);

  // The document as it is stored and served.
  const Document& document() const { return document_; }
  const Json& json() const { return DocumentAccess::Dom(document_); }

  const std::string& uuid() const { return uuid_; }
  // Without trailing slashes.
  const std::string& location() const { return location_; }
  // The version in use.
  const Json& CurrentVersion() const;
  // The view property of that name.
  std::optional<std::string> Property(std::string_view name) const;

 private:
  explicit ViewMetadata(Document document) : document_(std::move(document)) {}

  Document document_;
  std::string uuid_;
  std::string location_;
};

// A view as CreateViewRequest describes it: version 1 with schema 0, made now; the ids of columns
// and the summary stay as sent. `location` is where it will be (already resolved). Errors:
// kInvalidArgument, kValidation.
Result<ViewMetadata> NewViewMetadata(const Json& request, const std::string& location,
                                     Environment& environment);

}  // namespace berglite::metadata
