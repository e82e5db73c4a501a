// Manifest lists and manifests. Each is read to its end or refused, within the limits.
#include "lib/manifest/manifest.h"
#include "lib/manifest/puffin.h"
#include "lib/manifest/rewrite.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berglite;

// What can be read can be written anew, and read again with the new locations.
void CheckRewrite(const manifest::ReadPart& read, const Status& entries) {
  size_t count = 0;
  const auto rewritten = manifest::RewriteManifest(
      "manifest", read,
      [&](const manifest::EditedEntry& entry) -> Result<manifest::EntryLocations> {
        ++count;
        manifest::EntryLocations after = entry.locations;
        after.file_path.assign("/moved");
        return after;
      });
  fuzz::Require(rewritten || rewritten.error().kind == ErrorKind::kValidation,
                "a refusal is of its kind");
  // More fields are looked at than when it is read.
  fuzz::Require(entries.has_value() || !rewritten.has_value(), "what is damaged is not rewritten");
  if (!rewritten || !*rewritten) return;
  const std::string& text = **rewritten;
  const Status again = manifest::ReadManifest(
      "rewritten",
      [&](uint64_t offset, size_t size) -> Result<std::string> {
        return std::string(offset >= text.size() ? "" : text.substr(offset, size));
      },
      [&](const manifest::ManifestEntry& entry) -> Status {
        --count;
        fuzz::Require(entry.file_path == "/moved", "an entry has its new location");
        return {};
      });
  fuzz::Require(again.has_value() && count == 0, "all that was rewritten is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  const std::string_view bytes = fuzz::ToText(data, size);
  const manifest::ReadPart read = [&](uint64_t offset, size_t count) -> Result<std::string> {
    return std::string(offset >= bytes.size() ? "" : bytes.substr(offset, count));
  };
  const Status list = manifest::ReadManifestList(
      "list", read, [](const manifest::ManifestFile&) -> Status { return {}; });
  fuzz::Require(list || list.error().kind == ErrorKind::kValidation, "a refusal is of its kind");
  const Status entries = manifest::ReadManifest(
      "manifest", read, [](const manifest::ManifestEntry&) -> Status { return {}; });
  fuzz::Require(entries || entries.error().kind == ErrorKind::kValidation,
                "a refusal is of its kind");
  CheckRewrite(read, entries);
  const auto puffin = manifest::RewritePuffin(
      "puffin", std::string(bytes), [](const std::string& location) { return location + "+"; });
  fuzz::Require(puffin || puffin.error().kind == ErrorKind::kValidation,
                "a refusal is of its kind");
  return 0;
}
