#include "lib/metadata/update_list.h"

#include "lib/base/limits.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/table_update.h"
#include "lib/metadata/view_update.h"

namespace berglite::metadata {
namespace {

// The member `key` of an update, or the one of its older spelling.
Result<const Json*> GetRenamed(const Json& update, const char* key, const char* older_key) {
  const Json* older = FindMember(update, older_key);
  if (FindMember(update, key) == nullptr && older != nullptr) return older;
  return GetMember(update, key);
}

}  // namespace

Result<std::vector<std::string>> ReadActions(const Json& updates) {
  if (!updates.is_array()) {
    return InvalidArgument("Cannot parse updates: expected an array, found " +
                           std::string(JsonKindName(updates)));
  }
  if (updates.size() > limits::kUpdatesPerCommitMax) {
    return InvalidArgument("Cannot apply " + std::to_string(updates.size()) +
                           " updates in one commit: the limit is " +
                           std::to_string(limits::kUpdatesPerCommitMax));
  }
  std::vector<std::string> actions;
  actions.reserve(updates.size());
  for (const Json& update : updates) {
    if (!update.is_object()) {
      return InvalidArgument("Cannot parse update: expected an object, found " +
                             std::string(JsonKindName(update)));
    }
    BERGLITE_ASSIGN_OR_RETURN(std::string action, GetString(update, keys::kAction));
    actions.push_back(std::move(action));
  }
  return actions;
}

Error CannotApply(const std::string& action, const std::string& what) {
  const std::string lower = AsciiLower(action);
  for (const auto& known : {TableUpdateActions(), ViewUpdateActions()}) {
    if (std::find(known.begin(), known.end(), lower) != known.end()) {
      return InvalidArgument("Cannot apply update " + lower + " to a " + what);
    }
  }
  return InvalidArgument("Cannot convert metadata update action to json: " + action);
}

Result<bool> ApplySetLocation(Json& document, const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string location, GetString(update, keys::kLocation));
  location = WithoutTrailingSlashes(location);
  if (location.empty()) return InvalidArgument("Invalid location: empty");
  const Json* current = FindMember(document, keys::kLocation);
  if (current != nullptr && *current == location) return false;
  document[keys::kLocation] = location;
  return true;
}

Result<bool> ApplySetProperties(Json& document, const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* updates,
                            GetRenamed(update, keys::kUpdates, keys::kUpdated));
  BERGLITE_RETURN_IF_ERROR(CheckStringMap(*updates, keys::kUpdates));
  if (updates->empty()) return false;
  document[keys::kProperties].update(*updates);
  return true;
}

Result<bool> ApplyRemoveProperties(Json& document, const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* member,
                            GetRenamed(update, keys::kRemovals, keys::kRemoved));
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> removals, AsStrings(*member, keys::kRemovals));
  if (removals.empty()) return false;
  for (const std::string& key : removals) document[keys::kProperties].erase(key);
  return true;
}

}  // namespace berglite::metadata
