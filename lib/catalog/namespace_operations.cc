// The operations on namespaces.
#include <algorithm>
#include <set>

#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/page.h"
#include "lib/catalog/sqlite_catalog.h"

namespace berglite::catalog {

using store::Properties;
using store::Reader;
using store::Writer;

namespace {

// Marks a namespace as created in the shared layout; nobody else's to see or set.
constexpr std::string_view kReservedProperty = "exists";

// The properties of a namespace request. Errors: kInvalidArgument.
Result<Properties> ParseProperties(const Json* json) {
  Properties properties;
  if (json == nullptr) return properties;
  BERGLITE_RETURN_IF_ERROR(CheckStringMap(*json, "properties"));
  for (const auto& [key, value] : json->items()) {
    if (key == kReservedProperty) {
      return Error{ErrorKind::kInvalidArgument, "Cannot set reserved property: " + key};
    }
    properties[key] = value.get_ref<const std::string&>();
  }
  return properties;
}

// The update of an UpdateNamespacePropertiesRequest, checked.
struct PropertiesUpdate {
  Properties updates;
  std::set<std::string> removals;
};

Result<PropertiesUpdate> ParsePropertiesUpdate(const Json& json) {
  PropertiesUpdate update;
  BERGLITE_ASSIGN_OR_RETURN(update.updates, ParseProperties(FindMember(json, "updates")));
  if (const Json* removals = FindMember(json, "removals"); removals != nullptr) {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> keys, AsStrings(*removals, "removals"));
    update.removals.insert(keys.begin(), keys.end());
  }
  if (update.removals.contains(std::string(kReservedProperty))) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot remove reserved property: " + std::string(kReservedProperty)};
  }
  std::string both;
  for (const std::string& key : update.removals) {
    if (update.updates.contains(key)) both += (both.empty() ? "" : ", ") + key;
  }
  if (!both.empty()) {
    return Error{
        ErrorKind::kUnprocessable,
        "Invalid namespace update, cannot simultaneously set and remove keys: [" + both + "]"};
  }
  return update;
}

// UpdateNamespacePropertiesResponse.
Document PropertiesResponse(const PropertiesUpdate& update, const std::vector<std::string>& removed,
                            const std::vector<std::string>& missing) {
  Json updated = Json::array();
  for (const auto& [key, value] : update.updates) updated.push_back(key);
  return DocumentAccess::FromDom(
      {{"updated", std::move(updated)}, {"removed", removed}, {"missing", missing}});
}

// Whether `properties` show `update` done.
bool Reflects(const Properties& properties, const PropertiesUpdate& update) {
  return std::all_of(update.updates.begin(), update.updates.end(),
                     [&](const auto& item) {
                       auto found = properties.find(item.first);
                       return found != properties.end() && found->second == item.second;
                     }) &&
         std::none_of(update.removals.begin(), update.removals.end(),
                      [&](const std::string& key) { return properties.contains(key); });
}

}  // namespace

// Every namespace shows a location, since engines (Trino) place new tables by it.
Document SqliteCatalog::NamespaceResponse(const Namespace& name_space,
                                          const Properties& properties) const {
  Json json = {{"namespace", name_space}, {"properties", properties}};
  Json& shown = json["properties"];
  if (!shown.contains(kLocationProperty)) {
    shown[kLocationProperty] = DefaultNamespaceLocation(name_space);
  }
  return DocumentAccess::FromDom(std::move(json));
}

std::string SqliteCatalog::DefaultNamespaceLocation(const Namespace& name_space) const {
  std::string location = warehouse_;
  for (const std::string& level : name_space) location += "/" + PathSegment(level);
  return location;
}

Result<Document> SqliteCatalog::ListNamespaces(const Namespace& parent,
                                               const ListOptions& options) {
  if (!parent.empty()) BERGLITE_RETURN_IF_ERROR(CheckNamespace(parent));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, ParsePage(options));
  std::vector<std::string> names;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    if (!parent.empty()) {
      BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(parent));
      if (!exists) return NoSuchNamespace(parent);
    }
    BERGLITE_ASSIGN_OR_RETURN(names, reader.ListChildren(parent, page.after, page.fetch_size()));
    return {};
  }));
  std::optional<std::string> next = CutToPage(page, names);
  Json namespaces = Json::array();
  for (std::string& name : names) {
    Namespace child = parent;
    child.push_back(std::move(name));
    namespaces.push_back(std::move(child));
  }
  return DocumentAccess::FromDom(
      {{"namespaces", std::move(namespaces)}, {"next-page-token", NextPageToken(next)}});
}

Result<Document> SqliteCatalog::CreateNamespace(const Document& request,
                                                const MutationOptions& options) {
  const Request call{.options = options, .operation = "createNamespace", .body = &request};
  return idempotency_.Run(call, ReplayText, [&](Mutation& mutation) -> Result<Document> {
    const Json& json = DocumentAccess::Dom(request);
    BERGLITE_ASSIGN_OR_RETURN(const Json* levels, GetMember(json, "namespace"));
    BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, ParseNamespace(*levels));
    BERGLITE_ASSIGN_OR_RETURN(Properties properties,
                              ParseProperties(FindMember(json, "properties")));
    Document response = NamespaceResponse(name_space, properties);
    mutation.SetAnswer(response.text());
    BERGLITE_RETURN_IF_ERROR(mutation.Write(
        [&](Writer& writer) -> Status {
          BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(name_space));
          if (exists) {
            return Error{ErrorKind::kAlreadyExists,
                         "Namespace already exists: " + ToString(name_space)};
          }
          return writer.InsertNamespace(name_space, properties);
        },
        [&](Reader& reader) { return reader.NamespaceExists(name_space); }));
    return response;
  });
}

Result<Document> SqliteCatalog::LoadNamespaceMetadata(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  std::optional<Properties> properties;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(properties, reader.FindNamespace(name_space));
    return {};
  }));
  if (!properties) return NoSuchNamespace(name_space);
  return NamespaceResponse(name_space, *properties);
}

Result<bool> SqliteCatalog::NamespaceExists(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  bool exists = false;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(exists, reader.NamespaceExists(name_space));
    return {};
  }));
  return exists;
}

Status SqliteCatalog::DropNamespace(const Namespace& name_space, const MutationOptions& options) {
  const Request call{.options = options, .operation = "dropNamespace", .name_space = &name_space};
  return idempotency_.Run(call, ReplayNothing, [&](Mutation& mutation) -> Status {
    BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
    return mutation.Write(
        [&](Writer& writer) -> Status {
          BERGLITE_ASSIGN_OR_RETURN(bool exists, writer.NamespaceExists(name_space));
          if (!exists) return NoSuchNamespace(name_space);
          BERGLITE_ASSIGN_OR_RETURN(store::NamespaceContents contents,
                                    writer.CountContents(name_space));
          for (auto [count, what] :
               {std::pair(contents.child_namespaces, "child namespace(s)"),
                std::pair(contents.tables, "table(s)"), std::pair(contents.views, "view(s)"),
                std::pair(contents.functions, "function(s)")}) {
            if (count == 0) continue;
            return Error{ErrorKind::kNamespaceNotEmpty,
                         "Namespace " + ToString(name_space) + " is not empty. Contains " +
                             std::to_string(count) + " " + what + "."};
          }
          return writer.DeleteNamespace(name_space);
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
          return !exists;
        });
  });
}

Result<Document> SqliteCatalog::UpdateProperties(const Namespace& name_space,
                                                 const Document& request,
                                                 const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = "updateProperties",
                     .name_space = &name_space,
                     .body = &request};
  return idempotency_.Run(call, ReplayText, [&](Mutation& mutation) -> Result<Document> {
    BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
    BERGLITE_ASSIGN_OR_RETURN(PropertiesUpdate update,
                              ParsePropertiesUpdate(DocumentAccess::Dom(request)));
    Document response;
    BERGLITE_RETURN_IF_ERROR(mutation.Write(
        [&](Writer& writer) -> Status {
          std::vector<std::string> removed;
          std::vector<std::string> missing;
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Properties> properties,
                                    writer.FindNamespace(name_space));
          if (!properties) return NoSuchNamespace(name_space);
          for (const std::string& key : update.removals) {
            (properties->contains(key) ? removed : missing).push_back(key);
          }
          response = PropertiesResponse(update, removed, missing);
          mutation.SetAnswer(response.text());
          return writer.SetNamespaceProperties(name_space, update.updates, removed);
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<Properties> properties,
                                    reader.FindNamespace(name_space));
          return properties && Reflects(*properties, update);
        }));
    return response;
  });
}

}  // namespace berglite::catalog
