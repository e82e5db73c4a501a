// Bodies of commits to a small table. What is refused has changed nothing and left no file; what is
// carried out makes metadata that is good when it is read again.
#include <memory>

#include "lib/metadata/metadata_file.h"
#include "tests/fuzz/fuzz.h"

namespace berglite::fuzz {
namespace {

constexpr const char* kCreate = R"({"name": "t", "schema": {"type": "struct", "fields": [
    {"id": 1, "name": "id", "type": "long", "required": true},
    {"id": 2, "name": "p", "required": false, "type": {"type": "struct", "fields": [
        {"id": 3, "name": "x", "type": "int", "required": false}]}}]},
    "partition-spec": {"fields": [{"source-id": 1, "transform": "bucket[4]", "name": "b"}]},
    "write-order": {"order-id": 1, "fields": [{"source-id": 1, "transform": "identity",
        "direction": "asc", "null-order": "nulls-first"}]},
    "properties": {"a": "b"}})";

std::string TextOf(Catalog& catalog) {
  const Result<LoadedTable> loaded = catalog.LoadTable({{"ns"}, "t"}, {});
  Require(loaded.has_value(), "the table is there");
  return loaded->body->text();
}

// A lake with the table, made anew after each commit that changed it.
struct Bench {
  Bench() {
    Require(lake.catalog->CreateTable({"ns"}, *Document::Parse(kCreate)).has_value(),
            "the table is created");
    before = TextOf(*lake.catalog);
    files = lake.files->size();
  }

  Lake lake;
  std::string before;
  size_t files = 0;
};

void CheckStored(Bench& bench) {
  const Result<Document> loaded = Document::Parse(TextOf(*bench.lake.catalog));
  const std::string location = *loaded->GetString("/metadata-location");
  Result<std::string> bytes = bench.lake.files->Read(location, SIZE_MAX);
  Require(bytes.has_value(), "the metadata file is there");
  Result<Document> stored = metadata::DecodeMetadataFile(*std::move(bytes), location);
  Require(stored.has_value(), "the metadata file is JSON");
  const Result<metadata::TableMetadata> parsed = metadata::TableMetadata::Parse(*stored);
  Require(parsed.has_value(), "the metadata is good: " + stored->text());
}

bool IsRefusal(ErrorKind kind) {
  return kind != ErrorKind::kInternal && kind != ErrorKind::kCommitStateUnknown;
}

}  // namespace
}  // namespace berglite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  static auto bench = std::make_unique<fuzz::Bench>();
  const Result<Document> body = Document::Parse(std::string(fuzz::ToText(data, size)));
  if (!body) return 0;
  Catalog& catalog = *bench->lake.catalog;
  const Result<LoadedTable> committed = catalog.UpdateTable({{"ns"}, "t"}, *body);
  if (!committed) {
    fuzz::Require(fuzz::IsRefusal(committed.error().kind),
                  "what a client sends is no fault of ours: " + committed.error().message);
    fuzz::Require(fuzz::TextOf(catalog) == bench->before, "a refused commit changes nothing");
    fuzz::Require(bench->lake.files->size() == bench->files, "a refused commit leaves no file");
    return 0;
  }
  fuzz::CheckStored(*bench);
  if (fuzz::TextOf(catalog) != bench->before) bench = std::make_unique<fuzz::Bench>();
  return 0;
}
