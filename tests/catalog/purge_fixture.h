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
#include "tests/support/forwarding_file_io.h"

namespace berglite::testing {

// Asks a test before each removal of a file or directory.
class GuardedFileIO final : public ForwardingFileIO {
 public:
  using Guard = std::function<Status(const std::string& path)>;
  GuardedFileIO(std::shared_ptr<FileIO> inner, Guard guard)
      : ForwardingFileIO(std::move(inner)), guard_(std::move(guard)) {}

  Status Delete(const std::string& location) override {
    BERGLITE_RETURN_IF_ERROR(guard_(location));
    return ForwardingFileIO::Delete(location);
  }
  Result<bool> RemoveEmptyDirectory(const std::string& location) override {
    BERGLITE_RETURN_IF_ERROR(guard_(location));
    return ForwardingFileIO::RemoveEmptyDirectory(location);
  }

 private:
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
    CommitAll(name, Json::array({update}));
  }
  void CommitAll(const std::string& name, const Json& updates) {
    Result<LoadedTable> table =
        catalog_->UpdateTable({{"ns"}, name}, Doc(Json{{"updates", updates}}));
    EXPECT_THAT(table, IsOk());
  }

  // Commits a snapshot for each manifest list.
  void AddSnapshots(const std::string& name, const std::vector<std::string>& manifest_lists) {
    const Json metadata = Load(name)["metadata"];
    int64_t sequence_number = metadata.value("last-sequence-number", int64_t{0});
    Json updates = Json::array();
    for (const std::string& list : manifest_lists) {
      ++sequence_number;
      Json snapshot{{"snapshot-id", sequence_number + 1000}, {"sequence-number", sequence_number},
                    {"timestamp-ms", environment_.NowMs()},  {"manifest-list", "file://" + list},
                    {"summary", {{"operation", "append"}}},  {"schema-id", 0}};
      if (metadata["format-version"] == 3) {
        snapshot["first-row-id"] = metadata["next-row-id"];
        snapshot["added-rows"] = 0;
      }
      updates.push_back(Json{{"action", "add-snapshot"}, {"snapshot", snapshot}});
    }
    CommitAll(name, updates);
  }

  // One data file in a manifest of its own in a list of its own, all at `location`. Returns the
  // path of the list.
  static std::string MakeSmallList(const std::string& location, const std::string& tag) {
    const std::string data = Touch(location + "/data/" + tag + ".parquet");
    const std::string manifest = Touch(location + "/metadata/" + tag + "-m0.avro");
    std::string list = Touch(location + "/metadata/snap-" + tag + ".avro");
    WriteManifest(manifest, 2, {{"file://" + data}});
    WriteManifestList(list, 2, {{"file://" + manifest}});
    return list;
  }
  void AddSmallSnapshot(const std::string& name, const std::string& location,
                        const std::string& tag) {
    AddSnapshots(name, {MakeSmallList(location, tag)});
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

  // What that catalog of the file owes.
  std::vector<store::OwedDeletion> Owed(const std::string& catalog = "default") {
    Result<std::unique_ptr<store::Store>> store =
        store::Store::Open(directory_ / "lake.db", {.catalog_name = catalog});
    std::vector<store::OwedDeletion> owed;
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

  // Writes a snapshot that names `files` into a table, with its list and manifest in `directory`.
  void AddSnapshotOf(const std::string& name, const std::string& directory, const std::string& tag,
                     const std::vector<FileEntry>& files) {
    const std::string manifest = Touch(directory + "/" + tag + "-m0.avro");
    const std::string list = Touch(directory + "/snap-" + tag + ".avro");
    WriteManifest(manifest, 2, files);
    WriteManifestList(list, 2, {{"file://" + manifest}});
    AddSnapshots(name, {list});
  }

  Result<LoadedTable> Register(const std::string& name, const std::string& metadata_location) {
    return catalog_->RegisterTable(
        {"ns"}, Doc(Json{{"name", name}, {"metadata-location", metadata_location}}));
  }

  // As much later as a failed purge waits.
  void MakeRetriesDue() { environment_.SetNowMs(environment_.NowMs() + 3'600'000); }

  PurgeTotals totals_;
};

// A table `big` with files of every sort.
class BigTable : public PurgeTest {
 protected:
  // Format version 3; snapshots each with a manifest of data and one of deletes, and with the
  // manifests of the snapshot before; all sorts of deletes, paths and statistics.
  void Make(int snapshots) {
    location_ = MakeTable(
        "big", {{"format-version", "3"}, {"write.metadata.previous-versions-max", "100"}});
    std::vector<FileEntry> manifests;
    std::vector<std::string> lists;
    for (int i = 0; i < snapshots; ++i) {
      std::vector<FileEntry> before = std::move(manifests);
      manifests = MakeManifests(std::to_string(i));
      before.insert(before.begin(), manifests.begin(), manifests.end());
      const std::string list =
          TouchWithChecksum(location_ + "/metadata/snap-" + std::to_string(i) + ".avro");
      WriteManifestList(list, 3, before, i % 2 == 0 ? "deflate" : "snappy");
      lists.push_back(list);
    }
    AddSnapshots("big", lists);
    AddStatistics();
  }

  std::vector<FileEntry> MakeManifests(const std::string& tag) {
    const std::string day = location_ + "/data/day=" + tag;
    const std::string data = TouchWithChecksum(day + "/hour=1/a-" + tag + ".parquet");
    const std::string removed = TouchWithChecksum(day + "/hour=2/b-" + tag + ".parquet");
    const std::string position = TouchWithChecksum(day + "/p-" + tag + ".parquet");
    const std::string equality = TouchWithChecksum(location_ + "/data/e-" + tag + ".parquet");
    const std::string vectors = TouchWithChecksum(location_ + "/data/v-" + tag + ".puffin");
    const std::string data_manifest =
        TouchWithChecksum(location_ + "/metadata/" + tag + "-m0.avro");
    const std::string delete_manifest =
        TouchWithChecksum(location_ + "/metadata/" + tag + "-m1.avro");
    // Locations in all the forms that writers use.
    WriteManifest(data_manifest, 3, {{"file://" + data}, {removed, 0, 2}});
    WriteManifest(delete_manifest, 3,
                  {{"file:" + position, 1}, {equality, 2}, {"file://" + vectors, 1, 1, true}});
    return {{"file://" + data_manifest}, {"file:" + delete_manifest, 1}};
  }

  void AddStatistics() {
    const std::string statistics = TouchWithChecksum(location_ + "/metadata/1001.stats");
    Commit("big", Json{{"action", "set-statistics"},
                       {"statistics",
                        {{"snapshot-id", 1001},
                         {"statistics-path", "file://" + statistics},
                         {"file-size-in-bytes", 7},
                         {"file-footer-size-in-bytes", 1},
                         {"blob-metadata", Json::array()}}}});
    const std::string partitions = TouchWithChecksum(location_ + "/metadata/1001.partitions");
    Commit("big", Json{{"action", "set-partition-statistics"},
                       {"partition-statistics",
                        {{"snapshot-id", 1001},
                         {"statistics-path", "file://" + partitions},
                         {"file-size-in-bytes", 7}}}});
  }

  std::string location_;
};

}  // namespace berglite::testing
