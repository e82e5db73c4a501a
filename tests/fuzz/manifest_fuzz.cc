// Manifest lists and manifests. Each is read to its end or refused, within the limits.
#include "lib/manifest/manifest.h"
#include "tests/fuzz/fuzz.h"

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
  return 0;
}
