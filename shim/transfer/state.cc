#include "shim/transfer/state.h"

#include <utility>

namespace berglite::transfer {
namespace {

std::string TextAt(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<State> StateOf(const Document& loaded, const char* uuid_member) {
  Json json = ToJson(loaded);
  if (!json.is_object()) return Error{ErrorKind::kInternal, "The catalog shows no object"};
  State state{.location = TextAt(json, "metadata-location"), .metadata = json["metadata"]};
  if (!state.metadata.is_object()) {
    return Error{ErrorKind::kInternal, "The catalog shows no metadata"};
  }
  state.uuid = TextAt(state.metadata, uuid_member);
  const auto snapshots = state.metadata.find("snapshots");
  if (snapshots != state.metadata.end()) state.snapshots = static_cast<int64_t>(snapshots->size());
  return state;
}

// The object in the array `member` whose `id_member` is `id`; null where there is none.
const Json* Find(const Json& metadata, const char* member, const char* id_member, const Json& id) {
  const auto list = metadata.find(member);
  if (list == metadata.end() || !list->is_array()) return nullptr;
  for (const Json& each : *list) {
    if (each.is_object() && each.value(id_member, Json()) == id) return &each;
  }
  return nullptr;
}

const Json* CurrentVersionOf(const Json& metadata) {
  return Find(metadata, "versions", "version-id", metadata.value("current-version-id", Json()));
}

}  // namespace

Result<State> TableStateOf(const Document& loaded) { return StateOf(loaded, "table-uuid"); }

Result<State> ViewStateOf(const Document& loaded) { return StateOf(loaded, "view-uuid"); }

bool SaysTheSame(const State& a, const State& b) {
  const Json* const left = CurrentVersionOf(a.metadata);
  const Json* const right = CurrentVersionOf(b.metadata);
  return left != nullptr && right != nullptr &&
         left->value("representations", Json()) == right->value("representations", Json());
}

Result<Document> RequestToCreate(const Namespace& name_space, const Document& loaded) {
  const Json json = ToJson(loaded);
  if (!json.is_object()) return Error{ErrorKind::kInternal, "The catalog shows no object"};
  Json properties = json.value("properties", Json::object());
  if (!properties.is_object()) properties = Json::object();
  properties.erase("location");
  return ToDocument({{"namespace", name_space}, {"properties", std::move(properties)}});
}

Result<Document> RequestToCreate(const std::string& name, const State& view) {
  const Json* const version = CurrentVersionOf(view.metadata);
  const Json* const schema = version == nullptr ? nullptr
                                                : Find(view.metadata, "schemas", "schema-id",
                                                       version->value("schema-id", Json()));
  if (schema == nullptr) {
    return Error{ErrorKind::kInternal, "The metadata of the view has no current version"};
  }
  return ToDocument({{"name", name},
                     {"schema", *schema},
                     {"view-version", *version},
                     {"properties", view.metadata.value("properties", Json::object())}});
}

}  // namespace berglite::transfer
