#include "lib/metadata/view_edit.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/schema.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/text.h"
#include "lib/metadata/update_list.h"
#include "lib/metadata/view_version.h"

namespace berglite::metadata {
namespace {

constexpr char kHistoryProperty[] = "version.history.num-entries";
constexpr int32_t kHistorySizeDefault = 10;
constexpr char kDropDialectProperty[] = "replace.drop-dialect.allowed";

Json EmptyView() {
  Json view = Json::object();
  view[keys::kFormatVersion] = kViewFormatVersion;
  view[keys::kProperties] = Json::object();
  for (const char* key : {keys::kSchemas, keys::kVersions, keys::kVersionLog}) {
    view[key] = Json::array();
  }
  return view;
}

Json EditableView(const ViewMetadata& base) {
  Json view = base.json();
  view[keys::kLocation] = base.location();
  if (FindMember(view, keys::kProperties) == nullptr) view[keys::kProperties] = Json::object();
  return view;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return "[" + text + "]";
}

}  // namespace

ViewEdit::ViewEdit(const ViewMetadata* base, Environment& environment)
    : base_(base),
      environment_(environment),
      view_(base == nullptr ? EmptyView() : EditableView(*base)) {}

Status ViewEdit::AssignUuid(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(std::string uuid, GetString(update, keys::kUuid));
  if (uuid.empty()) return InvalidArgument("Invalid UUID: empty");
  if (const Json* current = FindMember(view_, keys::kViewUuid)) {
    bool is_same = AsciiLower(current->get_ref<const std::string&>()) == AsciiLower(uuid);
    return is_same ? Status() : ValidationError("Cannot reassign uuid");
  }
  view_[keys::kViewUuid] = uuid;
  changed_ = true;
  return {};
}

// There is one version only, so that no upgrade changes anything.
Status ViewEdit::UpgradeFormatVersion(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, GetInt32(update, keys::kFormatVersion));
  if (version == kViewFormatVersion) return {};
  if (version < kViewFormatVersion) {
    return ValidationError("Cannot downgrade v" + std::to_string(kViewFormatVersion) +
                           " view to v" + std::to_string(version));
  }
  return ValidationError("Unsupported format version: " + std::to_string(version));
}

Status ViewEdit::AddSchema(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* schema, GetObject(update, keys::kSchema));
  BERGLITE_RETURN_IF_ERROR(Schema::Parse(*schema));
  Json& schemas = view_[keys::kSchemas];
  BERGLITE_ASSIGN_OR_RETURN(ChosenId chosen,
                            ChooseId(schemas, keys::kSchemaId, *schema, 0, IsSameAsKnownSchema));
  last_added_schema_ = chosen.id;
  if (chosen.is_known) return {};
  schemas.push_back(WithoutNullMembers(*schema));
  schemas.back()[keys::kSchemaId] = chosen.id;
  changed_ = true;
  return {};
}

Status ViewEdit::SetLocation(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplySetLocation(view_, update));
  changed_ |= changed;
  return {};
}

Status ViewEdit::SetProperties(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplySetProperties(view_, update));
  changed_ |= changed;
  return {};
}

Status ViewEdit::RemoveProperties(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(bool changed, ApplyRemoveProperties(view_, update));
  changed_ |= changed;
  return {};
}

// The id that was sent is taken only where it is above all others: the client may not know of a
// version that somebody else has added.
Status ViewEdit::AddViewVersion(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* sent, GetObject(update, keys::kViewVersion));
  BERGLITE_RETURN_IF_ERROR(CheckNewVersion(*sent));
  BERGLITE_RETURN_IF_ERROR(GetInt64(*sent, keys::kTimestampMs));
  BERGLITE_ASSIGN_OR_RETURN(int32_t sent_id, GetInt32(*sent, keys::kVersionId));
  BERGLITE_ASSIGN_OR_RETURN(int32_t schema_id, GetInt32(*sent, keys::kSchemaId));
  if (schema_id == kLastAddedOfView) {
    if (!last_added_schema_) {
      return ValidationError("Cannot set last added schema: no schema has been added");
    }
    schema_id = *last_added_schema_;
  }
  if (FindById(view_[keys::kSchemas], keys::kSchemaId, schema_id) == nullptr) {
    return ValidationError("Cannot add version with unknown schema: " + std::to_string(schema_id));
  }
  Json version = *sent;
  version[keys::kSchemaId] = schema_id;
  // Python sends a null, which the specification does not know.
  if (FindMember(version, keys::kDefaultCatalog) == nullptr) version.erase(keys::kDefaultCatalog);
  Json& versions = view_[keys::kVersions];
  BERGLITE_ASSIGN_OR_RETURN(ChosenId chosen, ChooseId(versions, keys::kVersionId, version,
                                                      std::max(sent_id, 1), SameVersion));
  last_added_version_ = chosen.id;
  if (chosen.is_known) return {};
  version[keys::kVersionId] = chosen.id;
  versions.push_back(std::move(version));
  added_versions_.insert(chosen.id);
  changed_ = true;
  return {};
}

Status ViewEdit::SetCurrentViewVersion(const Json& update) {
  BERGLITE_ASSIGN_OR_RETURN(int32_t id, GetInt32(update, keys::kViewVersionId));
  if (id == kLastAddedOfView) {
    if (!last_added_version_) {
      return ValidationError("Cannot set last version id: no current version id has been set");
    }
    id = *last_added_version_;
  }
  const Json* version = FindById(view_[keys::kVersions], keys::kVersionId, id);
  if (version == nullptr) {
    return ValidationError("Cannot set current version to unknown version: " + std::to_string(id));
  }
  const Json* current = CurrentVersion();
  if (current == version) return {};
  view_[keys::kCurrentVersionId] = id;
  log_entry_ = Json::object();
  log_entry_[keys::kTimestampMs] =
      added_versions_.contains(id) ? IntegerOf(*version, keys::kTimestampMs) : environment_.NowMs();
  log_entry_[keys::kVersionId] = id;
  changed_ = true;
  return {};
}

Result<ViewMetadata> ViewEdit::Finish() {
  BERGLITE_RETURN_IF_ERROR(CheckDialects());
  if (!log_entry_.is_null()) view_[keys::kVersionLog].push_back(std::move(log_entry_));
  BERGLITE_RETURN_IF_ERROR(ExpireVersions());
  if (view_[keys::kProperties].empty()) view_.erase(keys::kProperties);
  return ViewMetadata::Parse(DocumentAccess::FromDom(std::move(view_)));
}

const Json* ViewEdit::CurrentVersion() const {
  if (FindMember(view_, keys::kCurrentVersionId) == nullptr) return nullptr;
  return FindById(view_.at(keys::kVersions), keys::kVersionId,
                  IntegerOf(view_, keys::kCurrentVersionId));
}

// An engine that reads its dialect of the view must not lose it by the commit of another.
Status ViewEdit::CheckDialects() const {
  if (base_ == nullptr) return {};
  if (AsciiLower(PropertyOf(view_, kDropDialectProperty).value_or("false")) == "true") return {};
  std::vector<std::string> before = DialectsOf(base_->CurrentVersion());
  std::vector<std::string> after = DialectsOf(*CurrentVersion());
  for (const std::string& dialect : before) {
    if (std::find(after.begin(), after.end(), dialect) != after.end()) continue;
    return ValidationError(
        "Cannot replace view due to loss of view dialects (replace.drop-dialect.allowed=false):\n"
        "Previous dialects: " +
        Listed(before) + "\nNew dialects: " + Listed(after));
  }
  return {};
}

// A value that is no number counts as absent, since it must not bar every later commit.
Result<size_t> ViewEdit::HistorySize() const {
  int32_t size = kHistorySizeDefault;
  if (std::optional<std::string> value = PropertyOf(view_, kHistoryProperty)) {
    size = ParseInt32(*value).value_or(size);
  }
  if (size > 0) return static_cast<size_t>(size);
  return ValidationError(std::string(kHistoryProperty) + " must be positive but was " +
                         std::to_string(size));
}

// Keeps the newest versions, by id, all that this edit added, and the current one.
Status ViewEdit::ExpireVersions() {
  BERGLITE_ASSIGN_OR_RETURN(size_t kept_max, HistorySize());
  int64_t current = IntegerOf(view_, keys::kCurrentVersionId);
  kept_max =
      std::max(kept_max, added_versions_.size() + (added_versions_.contains(current) ? 0 : 1));
  Json& versions = view_[keys::kVersions];
  if (versions.size() <= kept_max) return {};
  std::vector<int64_t> others;
  for (const Json& version : versions) {
    int64_t id = IntegerOf(version, keys::kVersionId);
    if (id != current) others.push_back(id);
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  std::unordered_set<int64_t> kept(others.begin(),
                                   others.begin() + static_cast<std::ptrdiff_t>(kept_max - 1));
  kept.insert(current);
  versions.erase(std::remove_if(versions.begin(), versions.end(),
                                [&kept](const Json& version) {
                                  return !kept.contains(IntegerOf(version, keys::kVersionId));
                                }),
                 versions.end());
  TrimVersionLog();
  return {};
}

void ViewEdit::TrimVersionLog() {
  Json& log = view_[keys::kVersionLog];
  const Json& versions = view_[keys::kVersions];
  auto last_gone = std::find_if(log.rbegin(), log.rend(), [&versions](const Json& entry) {
    int64_t id = IntegerOf(entry, keys::kVersionId);
    return FindById(versions, keys::kVersionId, id) == nullptr;
  });
  log.erase(log.begin(), log.begin() + std::distance(last_gone, log.rend()));
}

}  // namespace berglite::metadata
