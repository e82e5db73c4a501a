// Tables with files of every sort, made by hand, and a FileIO that fails where a test wants it to.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/store.h"
#include "tests/catalog/fixture.h"
#include "tests/manifest/avro_files.h"

namespace berglite::testing {

// Asks a test before each removal.
class GuardedFileIO final : public FileIO {
 public:
  using Guard = std::function<Status(const std::string& path)>;
  GuardedFileIO(std::shared_ptr<FileIO> inner, Guard guard)
      : inner_(std::move(inner)), guard_(std::move(guard)) {}

  Result<std::string> Read(const std::string& location, size_t size_max) override {
    return inner_->Read(location, size_max);
  }
  Result<std::string> ReadPart(const std::string& location, uint64_t offset, size_t size) override {
    return inner_->ReadPart(location, offset, size);
  }
  Result<bool> Exists(const std::string& location) override { return inner_->Exists(location); }
  Status WriteNew(const std::string& location, std::string_view bytes) override {
    return inner_->WriteNew(location, bytes);
  }
  Status Delete(const std::string& location) override {
    BERGLITE_RETURN_IF_ERROR(guard_(location));
    return inner_->Delete(location);
  }
  Status CreateDirectory(const std::string& location) override {
    return inner_->CreateDirectory(location);
  }
  Result<bool> RemoveEmptyDirectory(const std::string& location) override {
    BERGLITE_RETURN_IF_ERROR(guard_(location));
    return inner_->RemoveEmptyDirectory(location);
  }
  Status CheckWritable(const std::string& location) const override {
    return inner_->CheckWritable(location);
  }

 private:
  std::shared_ptr<FileIO> inner_;
  Guard guard_;
};

class PurgeTest : public CatalogTest {
 protected:
  std::string warehouse() const { return directory_ / "warehouse"; }

  std::unique_ptr<Catalog> OpenGuarded(GuardedFileIO::Guard guard) {
    auto file_io =
        std::make_shared<GuardedFileIO>(*MakeLocalFileIO({warehouse()}), std::move(guard));
    Result<std::unique_ptr<Catalog>> catalog =
        Catalog::Open(directory_ / "lake.db", {.file_io = file_io, .environment = &environment_});
    EXPECT_THAT(catalog, IsOk());
    return catalog ? *std::move(catalog) : nullptr;
  }

  // Creates `ns.<name>` and returns the path of its location.
  std::string MakeTable(const std::string& name, const Json& properties = Json::object(),
                        const std::string& location = "") {
    if (*catalog_->NamespaceExists({"ns"}) == false) CreateNamespace({"ns"});
    Json request = TableRequest(name);
    request["properties"] = properties;
    if (!location.empty()) request["location"] = "file://" + location;
    Result<LoadedTable> table = catalog_->CreateTable({"ns"}, Doc(request));
    EXPECT_THAT(table, IsOk());
    return table ? PathOf(Dom(*table)["metadata"]["location"]) : "";
  }

  static std::string Touch(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "content";
    return path;
  }

  // A file at `path` with the checksum that Hadoop keeps beside it.
  static std::string TouchWithChecksum(const std::string& path) {
    const size_t name = path.rfind('/') + 1;
    Touch(path.substr(0, name) + "." + path.substr(name) + ".crc");
    return Touch(path);
  }

  void Commit(const std::string& name, const Json& update) {
    Result<LoadedTable> table =
        catalog_->UpdateTable({{"ns"}, name}, Doc(Json{{"updates", {update}}}));
    EXPECT_THAT(table, IsOk());
  }

  // Commits a snapshot whose manifests are listed in `manifest_list`.
  void AddSnapshot(const std::string& name, const std::string& manifest_list) {
    const Json metadata = Load(name)["metadata"];
    const int64_t sequence_number = metadata.value("last-sequence-number", int64_t{0}) + 1;
    Json snapshot{{"snapshot-id", sequence_number + 1000}, {"sequence-number", sequence_number},
                  {"timestamp-ms", environment_.NowMs()},  {"manifest-list", manifest_list},
                  {"summary", {{"operation", "append"}}},  {"schema-id", 0}};
    if (metadata["format-version"] == 3) {
      snapshot["first-row-id"] = metadata["next-row-id"];
      snapshot["added-rows"] = 1;
    }
    Commit(name, Json{{"action", "add-snapshot"}, {"snapshot", snapshot}});
  }

  // One data file in a manifest of its own in a list of its own, all at `location`.
  void AddSmallSnapshot(const std::string& name, const std::string& location,
                        const std::string& tag) {
    const std::string data = Touch(location + "/data/" + tag + ".parquet");
    const std::string manifest = Touch(location + "/metadata/" + tag + "-m0.avro");
    const std::string list = Touch(location + "/metadata/snap-" + tag + ".avro");
    WriteManifest(manifest, 2, {{"file://" + data}});
    WriteManifestList(list, 2, {{"file://" + manifest}});
    AddSnapshot(name, "file://" + list);
  }

  Status DropAndPurge(const std::string& name) {
    Status dropped = catalog_->DropTable({{"ns"}, name}, {.purge_requested = true});
    totals_ = catalog_->FinishPurges();
    return dropped;
  }

  // Paths of files and directories at and below `path`, relative to the warehouse.
  std::vector<std::string> Tree(const std::string& path) const {
    std::vector<std::string> paths;
    if (std::filesystem::exists(path)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        paths.push_back(entry.path().lexically_relative(warehouse()).string());
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  std::vector<std::string> Owed() {
    Result<std::unique_ptr<store::Store>> store = store::Store::Open(directory_ / "lake.db", {});
    std::vector<std::string> owed;
    if (!store) {
      ADD_FAILURE() << store.error().message;
      return owed;
    }
    Status read = (*store)->Read([&](store::Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(owed,
                                reader.ListOwedDeletions(std::numeric_limits<int64_t>::max(), 100));
      return {};
    });
    EXPECT_THAT(read, IsOk());
    return owed;
  }

  // As much later as a failed purge waits.
  void MakeRetriesDue() { environment_.SetNowMs(environment_.NowMs() + 3'600'000); }

  PurgeTotals totals_;
};

}  // namespace berglite::testing
