// The operations on views.
#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/metadata_file.h"
#include "lib/metadata/new_properties.h"
#include "lib/metadata/requirement.h"
#include "lib/metadata/view_update.h"

namespace berglite::catalog {

using metadata::ViewMetadata;
using store::Entry;
using store::EntryKind;

namespace {

Document ToLoadResult(const StoredMetadata& view) {
  return LoadResult(&view.location, view.document);
}

}  // namespace

// The plan that puts `next` in place of `base`, which is stored at `base_location`; null and empty
// where there is none. Views keep all their metadata files.
Plan SqliteCatalog::PlanView(const ViewMetadata* base, const std::string& base_location,
                             ViewMetadata next) {
  std::string location = metadata::NewMetadataLocation(next, base_location, environment_);
  Plan plan{.step = Plan::Step::kWrite, .next = {location, next.document()}};
  if (base == nullptr || base->location() != next.location()) plan.new_home = next.location();
  plan.on_committed = [this, location, base_location, next = std::move(next)] {
    views_.Remember(location, next, base_location);
  };
  return plan;
}

Result<Plan> SqliteCatalog::PlanReplace(const TableIdentifier& view, const CommitParts& parts,
                                        const Entry* entry) {
  if (entry == nullptr || entry->kind != EntryKind::kView) {
    return NoSuchEntry(EntryKind::kView, view);
  }
  const std::string& location = entry->metadata_location;
  BERGLITE_ASSIGN_OR_RETURN(ViewMetadata base, views_.Read(location));
  BERGLITE_RETURN_IF_ERROR(metadata::CheckViewRequirements(*parts.requirements, base));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<ViewMetadata> next,
                            metadata::ApplyViewUpdates(base, *parts.updates, environment_));
  if (!next) return Plan{.step = Plan::Step::kKeep, .next = {location, base.document()}};
  return PlanView(&base, location, *std::move(next));
}

Result<Document> SqliteCatalog::ListViews(const Namespace& name_space, const ListOptions& options) {
  return ListEntries(EntryKind::kView, name_space, options);
}

Result<Document> SqliteCatalog::CreateView(const Namespace& name_space, const Document& request,
                                           const MutationOptions& options) {
  const Json& json = DocumentAccess::Dom(request);
  const Request call{
      .options = options, .operation = "createView", .name_space = &name_space, .body = &request};
  auto replay = [&](const std::string& location) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier view, ParseNewName(name_space, json));
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, views_.Recall(view, location));
    return ToLoadResult(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier view, ParseNewName(name_space, json));
    BERGLITE_ASSIGN_OR_RETURN(Place place, FindPlace(view));
    if (place.entry) return NameIsTaken(EntryKind::kView, view, *place.entry);
    if (!place.namespace_properties) return NoNamespaceFor(EntryKind::kView, view);
    BERGLITE_ASSIGN_OR_RETURN(std::string location,
                              NewLocation(view, json, *place.namespace_properties));
    BERGLITE_ASSIGN_OR_RETURN(
        ViewMetadata created,
        metadata::NewViewMetadata(metadata::WithNewProperties(json, view_properties_), location,
                                  environment_));
    auto plan = [&](const Entry* entry) -> Result<Plan> {
      if (entry != nullptr) return NameIsTaken(EntryKind::kView, view, *entry);
      return PlanView(nullptr, "", created);
    };
    BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredMetadata> views,
                              committer_.Commit({{EntryKind::kView, view, plan}}, mutation));
    return ToLoadResult(views.front());
  });
}

Result<Document> SqliteCatalog::RegisterView(const Namespace& name_space, const Document& request,
                                             const MutationOptions& options) {
  const Request call{
      .options = options, .operation = "registerView", .name_space = &name_space, .body = &request};
  auto replay = [&](const std::string& location) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(TableIdentifier view,
                              ParseNewName(name_space, DocumentAccess::Dom(request)));
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, views_.Recall(view, location));
    return ToLoadResult(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(Registration registration,
                              ReadRegistration(EntryKind::kView, name_space, request));
    auto plan = [&](const Entry* entry) -> Result<Plan> {
      if (entry != nullptr) return NameIsTaken(EntryKind::kView, registration.name, *entry);
      BERGLITE_RETURN_IF_ERROR(CheckConfined(registration.location));
      BERGLITE_ASSIGN_OR_RETURN(ViewMetadata registered, views_.ReadAfresh(registration.location));
      return Plan{.step = Plan::Step::kPoint,
                  .next = {registration.location, registered.document()}};
    };
    BERGLITE_ASSIGN_OR_RETURN(
        std::vector<StoredMetadata> views,
        committer_.Commit({{EntryKind::kView, registration.name, plan}}, mutation));
    return ToLoadResult(views.front());
  });
}

Result<Document> SqliteCatalog::LoadView(const TableIdentifier& view) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(view));
  auto loaded = views_.Load(view);
  if (!loaded) return std::move(loaded).error();
  if (!*loaded) return NoSuchEntry(EntryKind::kView, view);
  const auto& stored = **loaded;
  return LoadResult(&stored.location, stored.metadata.document());
}

Result<bool> SqliteCatalog::ViewExists(const TableIdentifier& view) {
  return EntryExists(EntryKind::kView, view);
}

Result<Document> SqliteCatalog::ReplaceView(const TableIdentifier& view, const Document& request,
                                            const MutationOptions& options) {
  const Request call{.options = options,
                     .operation = "replaceView",
                     .name_space = &view.name_space,
                     .name = &view.name,
                     .body = &request};
  auto replay = [&](const std::string& location) -> Result<Document> {
    BERGLITE_ASSIGN_OR_RETURN(StoredMetadata stored, views_.Recall(view, location));
    return ToLoadResult(stored);
  };
  return idempotency_.Run(call, replay, [&](Mutation& mutation) -> Result<Document> {
    BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(view));
    BERGLITE_ASSIGN_OR_RETURN(CommitParts parts, ReadCommit(DocumentAccess::Dom(request)));
    auto plan = [&](const Entry* entry) { return PlanReplace(view, parts, entry); };
    BERGLITE_ASSIGN_OR_RETURN(std::vector<StoredMetadata> views,
                              committer_.Commit({{EntryKind::kView, view, plan}}, mutation));
    return ToLoadResult(views.front());
  });
}

Status SqliteCatalog::DropView(const TableIdentifier& view, const MutationOptions& options) {
  return DropEntry(EntryKind::kView, view, Files::kKeep, options);
}

Status SqliteCatalog::RenameView(const Document& request, const MutationOptions& options) {
  return RenameEntry(EntryKind::kView, request, options);
}

}  // namespace berglite::catalog
