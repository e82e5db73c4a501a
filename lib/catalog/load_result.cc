#include "lib/catalog/load_result.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/base/hash.h"
#include "lib/base/json.h"

namespace berglite::catalog {

bool NamesETag(std::string_view header, std::string_view etag) {
  size_t begin = 0;
  while (begin < header.size()) {
    size_t end = std::min(header.find(',', begin), header.size());
    std::string_view item = header.substr(begin, end - begin);
    size_t first = item.find_first_not_of(" \t");
    if (first != std::string_view::npos) {
      item = item.substr(first, item.find_last_not_of(" \t") - first + 1);
      if (item.starts_with("W/")) item.remove_prefix(2);
      if (item == etag || item == "*") return true;
    }
    begin = end + 1;
  }
  return false;
}

std::string ETagOf(const std::string& location, SnapshotMode mode) {
  return "\"" + std::to_string(StableHash(location)) +
         (mode == SnapshotMode::kRefs ? "-refs\"" : "\"");
}

namespace {

// The members that all answers have, and `rest`, which closes the object.
Document Compose(const std::string* location, const Document& metadata, std::string_view rest) {
  std::string text;
  text.reserve(metadata.text().size() + 256);
  text += '{';
  if (location != nullptr) {
    text += "\"metadata-location\":";
    AppendJsonString(text, *location);
    text += ',';
  }
  text += "\"metadata\":";
  text += metadata.text();
  text += rest;
  return DocumentAccess::FromTrustedText(std::move(text));
}

}  // namespace

Document LoadResult(const std::string* location, const Document& metadata) {
  return Compose(location, metadata, ",\"config\":{}}");
}

LoadedTable ToLoadedTable(const StoredMetadata& table) {
  return LoadedTable{LoadResult(&table.location, table.document),
                     ETagOf(table.location, SnapshotMode::kAll)};
}

LoadedTable ToCommitResponse(const StoredMetadata& table) {
  return LoadedTable{Compose(&table.location, table.document, "}"),
                     ETagOf(table.location, SnapshotMode::kAll)};
}

}  // namespace berglite::catalog
