#include "lib/metadata/view_update.h"

#include <utility>

#include "lib/base/uuid.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/update_list.h"
#include "lib/metadata/view_edit.h"

namespace berglite::metadata {
namespace {

using Row = UpdateRow<ViewEdit>;
using Rows = std::vector<const Row*>;

constexpr Row kViewUpdates[] = {
    {"assign-uuid", &ViewEdit::AssignUuid},
    {"upgrade-format-version", &ViewEdit::UpgradeFormatVersion},
    {"add-schema", &ViewEdit::AddSchema},
    {"set-location", &ViewEdit::SetLocation},
    {"set-properties", &ViewEdit::SetProperties},
    {"remove-properties", &ViewEdit::RemoveProperties},
    {"add-view-version", &ViewEdit::AddViewVersion},
    {"set-current-view-version", &ViewEdit::SetCurrentViewVersion},
};

// The version of a CreateViewRequest as the first one of a view.
Result<Json> FirstVersion(const Json& request, Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* sent, GetObject(request, keys::kViewVersion));
  BERGLITE_ASSIGN_OR_RETURN(const Json* representations, GetArray(*sent, keys::kRepresentations));
  if (representations->empty()) {
    return InvalidArgument("Cannot create view without specifying a query");
  }
  Json version = *sent;
  version[keys::kVersionId] = 1;
  version[keys::kSchemaId] = kLastAddedOfView;
  version[keys::kTimestampMs] = environment.NowMs();
  return version;
}

}  // namespace

std::vector<std::string> ViewUpdateActions() { return ActionsOf(kViewUpdates); }

Result<std::optional<ViewMetadata>> ApplyViewUpdates(const ViewMetadata& base, const Json& updates,
                                                     Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(Rows rows, FindRows(kViewUpdates, updates, "view"));
  ViewEdit edit(&base, environment);
  BERGLITE_RETURN_IF_ERROR(ApplyRows(rows, updates, edit));
  if (!edit.changed()) return std::optional<ViewMetadata>();
  BERGLITE_ASSIGN_OR_RETURN(ViewMetadata next, edit.Finish());
  return std::optional<ViewMetadata>(std::move(next));
}

// A new view is what the updates of a commit would make of nothing.
Result<ViewMetadata> NewViewMetadata(const Json& request, const std::string& location,
                                     Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(Json version, FirstVersion(request, environment));
  ViewEdit edit(nullptr, environment);
  BERGLITE_RETURN_IF_ERROR(edit.AssignUuid({{keys::kUuid, NewUuid(environment)}}));
  BERGLITE_RETURN_IF_ERROR(edit.SetLocation({{keys::kLocation, location}}));
  if (const Json* properties = FindMember(request, keys::kProperties)) {
    BERGLITE_RETURN_IF_ERROR(edit.SetProperties({{keys::kUpdates, *properties}}));
  }
  BERGLITE_RETURN_IF_ERROR(edit.AddSchema(request));
  BERGLITE_RETURN_IF_ERROR(edit.AddViewVersion({{keys::kViewVersion, std::move(version)}}));
  BERGLITE_RETURN_IF_ERROR(edit.SetCurrentViewVersion({{keys::kViewVersionId, kLastAddedOfView}}));
  return edit.Finish();
}

}  // namespace berglite::metadata
