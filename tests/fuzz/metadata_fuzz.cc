// Metadata files of others, as register meets them. What is taken can be loaded, changed and taken
// again, also in another place; what is not is refused as the client's fault.
#include <memory>

#include "lib/metadata/metadata_file.h"
#include "lib/metadata/moved_document.h"
#include "tests/fuzz/fuzz.h"

namespace berglite::fuzz {
namespace {

constexpr const char* kLocation = "file:///lake/given/metadata/00000-a.metadata.json";
constexpr const char* kRegister =
    R"({"name": "t", "metadata-location": "file:///lake/given/metadata/00000-a.metadata.json"})";
constexpr const char* kCommit =
    R"({"updates": [{"action": "set-properties", "updates": {"k": "v"}}]})";

bool IsFaultOfClient(const Error& error) {
  return error.kind == ErrorKind::kValidation || error.kind == ErrorKind::kInvalidArgument ||
         error.kind == ErrorKind::kMalformedRequest || error.kind == ErrorKind::kCommitFailed ||
         error.kind == ErrorKind::kUnsupported;
}

void RegisterTable(Lake& lake) {
  Catalog& catalog = *lake.catalog;
  const Result<LoadedTable> registered = catalog.RegisterTable({"ns"}, *Document::Parse(kRegister));
  if (!registered) {
    Require(IsFaultOfClient(registered.error()), registered.error().message);
    return;
  }
  Require(catalog.LoadTable({{"ns"}, "t"}, {}).has_value(), "what was registered is loaded");
  Require(catalog.LoadTable({{"ns"}, "t"}, {.snapshots = SnapshotMode::kRefs}).has_value(),
          "its refs are loaded");
  const Result<LoadedTable> committed =
      catalog.UpdateTable({{"ns"}, "t"}, *Document::Parse(kCommit));
  if (!committed) Require(IsFaultOfClient(committed.error()), committed.error().message);
  Require(catalog.DropTable({{"ns"}, "t"}).has_value(), "it is dropped");
}

void RegisterView(Lake& lake) {
  Catalog& catalog = *lake.catalog;
  const Result<Document> registered = catalog.RegisterView({"ns"}, *Document::Parse(kRegister));
  if (!registered) {
    Require(IsFaultOfClient(registered.error()), registered.error().message);
    return;
  }
  Require(catalog.LoadView({{"ns"}, "t"}).has_value(), "what was registered is loaded");
  const Result<Document> replaced = catalog.ReplaceView({{"ns"}, "t"}, *Document::Parse(kCommit));
  if (!replaced) Require(IsFaultOfClient(replaced.error()), replaced.error().message);
  Require(catalog.DropView({{"ns"}, "t"}).has_value(), "it is dropped");
}

// What a table or view that is good becomes where its files are elsewhere is good too.
void CheckMoved(std::string_view bytes) {
  const Result<Document> document = metadata::DecodeMetadataFile(std::string(bytes), kLocation);
  if (!document) return;
  const metadata::LocationMap map = [](const std::string& location) {
    constexpr std::string_view kFrom = "file:///lake";
    return location.starts_with(kFrom) ? "file:///moved" + location.substr(kFrom.size()) : location;
  };
  testing::FakeEnvironment environment;
  if (const auto table = metadata::TableMetadata::Parse(*document)) {
    const auto moved = metadata::MovedTable(metadata::WithLocations(table->json(), map),
                                            table->last_updated_ms(), kLocation, environment);
    if (!moved) return Require(IsFaultOfClient(moved.error()), moved.error().message);
    Require(metadata::TableMetadata::Parse(moved->document()).has_value(), "a moved table is good");
  }
  if (const auto view = metadata::ViewMetadata::Parse(*document)) {
    const auto moved = metadata::MovedView(*view, map);
    if (!moved) return Require(IsFaultOfClient(moved.error()), moved.error().message);
    Require(metadata::ViewMetadata::Parse(moved->document()).has_value(), "a moved view is good");
  }
}

}  // namespace
}  // namespace berglite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  static fuzz::Lake lake;
  fuzz::Require(lake.files->WriteNew(fuzz::kLocation, fuzz::ToText(data, size)).has_value(),
                "the file is written");
  fuzz::RegisterTable(lake);
  fuzz::RegisterView(lake);
  fuzz::CheckMoved(fuzz::ToText(data, size));
  (void)lake.catalog->RegisterFunction({{"ns"}, "f"}, fuzz::kLocation, {.overwrite = true})
      .has_value();
  fuzz::Require(lake.files->Delete(fuzz::kLocation).has_value(), "the file is deleted");
  return 0;
}
