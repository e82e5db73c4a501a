#include "lib/metadata/moved_document.h"

#include <utility>

#include "lib/metadata/keys.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_edit.h"

namespace berglite::metadata {
namespace {

void MapText(Json& value, const LocationMap& map) {
  if (value.is_string()) value = map(value.get_ref<const std::string&>());
}

void MapMember(Json& object, const char* key, const LocationMap& map) {
  if (FindMember(object, key) != nullptr) MapText(object[key], map);
}

// The member `key` of each element of a list.
void MapMembers(Json& document, const char* list, const char* key, const LocationMap& map) {
  const Json* found = FindMember(document, list);
  if (found == nullptr || !found->is_array()) return;
  for (Json& element : document[list]) MapMember(element, key, map);
}

// All texts that a list or an object holds.
void MapTexts(Json& document, const char* key, const LocationMap& map) {
  const Json* found = FindMember(document, key);
  if (found == nullptr || !found->is_structured()) return;
  for (Json& value : document[key]) MapText(value, map);
}

}  // namespace

Json WithLocations(Json document, const LocationMap& map) {
  MapMember(document, keys::kLocation, map);
  MapTexts(document, keys::kProperties, map);
  MapMembers(document, keys::kSnapshots, keys::kManifestList, map);
  MapMembers(document, keys::kStatistics, keys::kStatisticsPath, map);
  MapMembers(document, keys::kPartitionStatistics, keys::kStatisticsPath, map);
  MapMembers(document, keys::kMetadataLog, keys::kMetadataFile, map);
  const Json* snapshots = FindMember(document, keys::kSnapshots);
  if (snapshots == nullptr || !snapshots->is_array()) return document;
  for (Json& snapshot : document[keys::kSnapshots]) MapTexts(snapshot, keys::kManifests, map);
  return document;
}

Result<TableMetadata> MovedTable(Json moved, int64_t last_updated_ms, const std::string& location,
                                 Environment& environment) {
  TableEdit edit(EditableTable(std::move(moved), environment), environment);
  edit.LogPrevious(last_updated_ms, location);
  return edit.Finish();
}

Result<ViewMetadata> MovedView(const ViewMetadata& view, const LocationMap& map) {
  return ViewMetadata::Parse(DocumentAccess::FromDom(WithLocations(view.json(), map)));
}

}  // namespace berglite::metadata
