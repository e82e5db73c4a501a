#include "lib/metadata/new_properties.h"

#include "lib/metadata/keys.h"

namespace berglite::metadata {

Json WithNewProperties(Json request, const NewProperties& added) {
  if (added.defaults.empty() && added.overrides.empty()) return request;
  if (!request.is_object()) return request;
  Json& properties = request[keys::kProperties];
  if (properties.is_null()) properties = Json::object();
  if (!properties.is_object()) return request;
  for (const auto& [key, value] : added.defaults) properties.emplace(key, value);
  for (const auto& [key, value] : added.overrides) properties[key] = value;
  return request;
}

}  // namespace berglite::metadata
