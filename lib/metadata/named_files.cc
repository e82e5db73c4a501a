#include "lib/metadata/named_files.h"

#include <string_view>

#include "lib/metadata/keys.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

constexpr char kGcEnabledProperty[] = "gc.enabled";

void AppendString(const Json* value, std::vector<std::string>& files) {
  if (value == nullptr || !value->is_string()) return;
  files.push_back(value->get_ref<const std::string&>());
}

// The member `key` of each object in the list `list_key`.
void AppendMembers(const Json& metadata, std::string_view list_key, std::string_view key,
                   std::vector<std::string>& files) {
  const Json* list = FindMember(metadata, list_key);
  if (list == nullptr || !list->is_array()) return;
  for (const Json& element : *list) AppendString(FindMember(element, key), files);
}

void AppendManifests(const Json& metadata, std::vector<std::string>& files) {
  const Json* snapshots = FindMember(metadata, keys::kSnapshots);
  if (snapshots == nullptr || !snapshots->is_array()) return;
  for (const Json& snapshot : *snapshots) {
    const Json* manifests = FindMember(snapshot, keys::kManifests);
    if (manifests == nullptr || !manifests->is_array()) continue;
    for (const Json& manifest : *manifests) AppendString(&manifest, files);
  }
}

}  // namespace

NamedFiles FilesNamedIn(const Json& metadata) {
  NamedFiles files;
  const Json* location = FindMember(metadata, keys::kLocation);
  if (location != nullptr && location->is_string()) {
    files.location = WithoutTrailingSlashes(location->get_ref<const std::string&>());
  }
  AppendMembers(metadata, keys::kSnapshots, keys::kManifestList, files.manifest_lists);
  AppendManifests(metadata, files.manifests);
  AppendMembers(metadata, keys::kStatistics, keys::kStatisticsPath, files.statistics);
  AppendMembers(metadata, keys::kPartitionStatistics, keys::kStatisticsPath, files.statistics);
  AppendMembers(metadata, keys::kMetadataLog, keys::kMetadataFile, files.metadata_log);
  return files;
}

bool OwnsItsData(const TableMetadata& metadata) {
  return AsciiLower(metadata.Property(kGcEnabledProperty).value_or("true")) == "true";
}

}  // namespace berglite::metadata
