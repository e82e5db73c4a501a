// TableMetadata: a table metadata document, checked, with typed views of what the catalog reads.
//
// The document stays as it is written, unknown members included; nothing is modelled that no rule
// needs. A document is never changed: an edit (table_update.h) makes a new one.
//
// Threads: immutable; copies share the document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/document.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"

namespace berglite::metadata {

// Format versions that are read and written. Version 4 is not released and not served.
inline constexpr int32_t kFormatVersionDefault = 2;
inline constexpr int32_t kFormatVersionMax = 3;

class TableMetadata {
 public:
  // Checks the invariants that every rule relies on (required members by version, types of numbers,
  // references between current ids, refs and snapshots, ordered logs). Errors: kValidation, naming
  // the member.
  static Result<TableMetadata> Parse(Document document);

  // The document as it is stored and served.
  const Document& document() const { return document_; }
  const Json& json() const { return DocumentAccess::Dom(document_); }
  // json() to own: moved where no other copy of the metadata is left, and copied otherwise.
  static Json TakeJson(TableMetadata metadata) {
    return DocumentAccess::TakeDom(std::move(metadata.document_));
  }
  // A copy that shares nothing with this one and parses the document when json() is asked for.
  TableMetadata Unparsed() const;

  int32_t format_version() const { return format_version_; }
  // Empty only for a version 1 table that has none.
  const std::string& uuid() const { return uuid_; }
  // Without trailing slashes.
  const std::string& location() const { return location_; }
  int64_t last_updated_ms() const { return last_updated_ms_; }
  // The table property of that name.
  std::optional<std::string> Property(std::string_view name) const;

 private:
  explicit TableMetadata(Document document) : document_(std::move(document)) {}

  Document document_;
  int32_t format_version_ = 0;
  std::string uuid_;
  std::string location_;
  int64_t last_updated_ms_ = 0;
};

// A table as CreateTableRequest describes it: ids assigned afresh, reserved properties dropped,
// `format-version` taken from the properties. `location` is where it will be (already resolved).
// A staged table also gets the property `created-at`. Errors: kInvalidArgument, kValidation.
Result<TableMetadata> NewTableMetadata(const Json& request, const std::string& location,
                                       Environment& environment);

// The metadata with only the snapshots that a branch or tag refers to, and with the statistics of
// those alone (`snapshots=refs` of loadTable). Logs stay.
Document WithReferencedSnapshotsOnly(const TableMetadata& metadata);

}  // namespace berglite::metadata
