// ViewEdit: the state of one edit of a view, from the first update to the new metadata.
//
// Each update of the REST specification is a method named after its action; view_update.cc calls
// them by name. A method that fails may leave the edit half done: it is to be thrown away.
//
// Threads: one at a time. Ownership: the environment and the base must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/base/json.h"
#include "lib/metadata/view_metadata.h"

namespace berglite::metadata {

// Instead of the id of a schema or version: the one that this edit added last.
inline constexpr int32_t kLastAddedOfView = -1;

class ViewEdit {
 public:
  // Of `base`, or of a view of which nothing is there yet where that is null.
  ViewEdit(const ViewMetadata* base, Environment& environment);

  // The updates. Errors: those of ApplyViewUpdates.
  Status AssignUuid(const Json& update);
  Status UpgradeFormatVersion(const Json& update);
  Status AddSchema(const Json& update);
  Status SetLocation(const Json& update);
  Status SetProperties(const Json& update);
  Status RemoveProperties(const Json& update);
  Status AddViewVersion(const Json& update);
  Status SetCurrentViewVersion(const Json& update);

  // Whether any update so far counts as a change.
  bool changed() const { return changed_; }

  // The new metadata, checked. Call it once, last. Errors: kValidation.
  Result<ViewMetadata> Finish();

 private:
  // The version in use; null until a new view has one.
  const Json* CurrentVersion() const;
  // Whether the dialects of the base are still there, where they must be.
  Status CheckDialects() const;
  // How many versions are kept.
  Result<size_t> HistorySize() const;
  Status ExpireVersions();
  // Drops the part of the log that leads up to a version that is gone.
  void TrimVersionLog();

  const ViewMetadata* const base_;
  Environment& environment_;
  Json view_;
  bool changed_ = false;
  std::optional<int32_t> last_added_schema_;
  std::optional<int32_t> last_added_version_;
  std::unordered_set<int64_t> added_versions_;
  // What the log gets in the end: of several current versions in one edit only the last is noted.
  Json log_entry_;
};

}  // namespace berglite::metadata
