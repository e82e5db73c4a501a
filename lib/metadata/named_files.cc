#include "lib/metadata/named_files.h"

#include <string_view>

#include "lib/metadata/keys.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr char kGcEnabledProperty[] = "gc.enabled";
// Of tables; those of views and functions are lower.
constexpr int64_t kFormatVersionMax = 3;

class Collector {
 public:
  explicit Collector(const Json& metadata) : metadata_(metadata) {}

  NamedFiles Run() {
    CheckDocument();
    const Json* location = FindMember(metadata_, keys::kLocation);
    if (location != nullptr && location->is_string()) {
      files_.location = WithoutTrailingSlashes(location->get_ref<const std::string&>());
    }
    ReadProperties();
    for (const Json& snapshot : List(metadata_, keys::kSnapshots)) AddSnapshot(snapshot);
    AddMembers(keys::kStatistics, keys::kStatisticsPath, files_.statistics);
    AddMembers(keys::kPartitionStatistics, keys::kStatisticsPath, files_.statistics);
    AddMembers(keys::kMetadataLog, keys::kMetadataFile, files_.metadata_log);
    return std::move(files_);
  }

 private:
  void Miss(std::string_view what) {
    if (files_.gap.empty()) files_.gap = "its " + std::string(what) + " is not as expected";
  }

  void CheckDocument() {
    if (!metadata_.is_object()) return Miss("metadata");
    const Json* version = FindMember(metadata_, keys::kFormatVersion);
    if (version == nullptr) return;
    if (!version->is_number_integer() || *version > kFormatVersionMax) Miss(keys::kFormatVersion);
  }

  void ReadProperties() {
    const Json* properties = FindMember(metadata_, keys::kProperties);
    if (properties == nullptr) return;
    for (const char* key : {keys::kDataPathProperty, keys::kMetadataPathProperty,
                            keys::kObjectStoragePathProperty, keys::kFolderStoragePathProperty}) {
      const Json* path = FindMember(*properties, key);
      if (path != nullptr && path->is_string()) files_.write_paths.push_back(*path);
    }
    const Json* enabled = FindMember(*properties, kGcEnabledProperty);
    if (enabled == nullptr) return;
    // Whatever is not plainly true leaves the files alone.
    files_.owns_data =
        enabled->is_string() && AsciiLower(enabled->get_ref<const std::string&>()) == "true";
  }

  const Json& List(const Json& object, std::string_view key) {
    static const Json kNone = Json::array();
    const Json* list = FindMember(object, key);
    if (list == nullptr) return kNone;
    if (list->is_array()) return *list;
    Miss(key);
    return kNone;
  }

  void AddFile(const Json* value, std::string_view what, std::vector<std::string>& files) {
    if (value == nullptr || !value->is_string()) return Miss(what);
    files.push_back(value->get_ref<const std::string&>());
  }

  void AddMembers(std::string_view list, std::string_view key, std::vector<std::string>& files) {
    for (const Json& element : List(metadata_, list)) AddFile(FindMember(element, key), key, files);
  }

  void AddSnapshot(const Json& snapshot) {
    if (const Json* list = FindMember(snapshot, keys::kManifestList)) {
      AddFile(list, keys::kManifestList, files_.manifest_lists);
    } else if (FindMember(snapshot, keys::kManifests) == nullptr) {
      Miss(keys::kManifestList);
    }
    for (const Json& manifest : List(snapshot, keys::kManifests)) {
      AddFile(&manifest, keys::kManifests, files_.manifests);
    }
  }

  const Json& metadata_;
  NamedFiles files_;
};

}  // namespace

NamedFiles FilesNamedIn(const Json& metadata) { return Collector(metadata).Run(); }

}  // namespace berglite::metadata
