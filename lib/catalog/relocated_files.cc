#include "lib/catalog/relocated_files.h"

#include <utility>

#include "lib/base/limits.h"
#include "lib/base/uuid.h"
#include "lib/catalog/file_reach.h"
#include "lib/manifest/puffin.h"

namespace berglite::catalog {

using manifest::EditedEntry;
using manifest::EntryLocations;
using manifest::EntryStatus;
using manifest::FileContent;
using manifest::ManifestFile;
using manifest::ManifestFileEdit;

namespace {

bool IsPuffin(const std::string& file_format) {
  return file_format == "PUFFIN" || file_format == "puffin";
}

}  // namespace

void RelocatedFiles::BeginTable() {
  facts_ = {};
  manifests_seen_.clear();
  written_.clear();
  manifests_added_.clear();
  puffins_added_.clear();
}

void RelocatedFiles::UndoTable() {
  for (const std::string& file : written_) (void)file_io_.Delete(file).has_value();
  for (const std::string& manifest : manifests_added_) manifests_.erase(manifest);
  for (const std::string& puffin : puffins_added_) puffins_.erase(puffin);
}

Result<std::string> RelocatedFiles::MoveManifestList(const std::string& location) {
  const std::string now = moved_.Map(location);
  auto edit = [&](const ManifestFile& file) -> Result<ManifestFileEdit> {
    BERGLITE_ASSIGN_OR_RETURN(MovedFile moved, FindManifest(file.path));
    return ManifestFileEdit{std::move(moved.location), moved.length};
  };
  BERGLITE_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                            manifest::RewriteManifestList(now, PartsOf(file_io_, now), edit));
  BERGLITE_ASSIGN_OR_RETURN(MovedFile list, Store(now, "-list.avro", bytes));
  return std::move(list.location);
}

Result<std::string> RelocatedFiles::MoveManifest(const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(MovedFile manifest, FindManifest(location));
  return std::move(manifest.location);
}

Result<RelocatedFiles::MovedFile> RelocatedFiles::FindManifest(const std::string& location) {
  auto found = manifests_.find(location);
  if (found == manifests_.end()) {
    BERGLITE_ASSIGN_OR_RETURN(MovedFile moved, RewriteManifest(location));
    found = manifests_.emplace(location, std::move(moved)).first;
    manifests_added_.push_back(location);
  }
  const RelocationFacts& facts = found->second.facts;
  if (manifests_seen_.insert(location).second) {
    facts_.missing_files += facts.missing_files;
    if (facts_.first_missing.empty()) facts_.first_missing = facts.first_missing;
    if (facts_.position_deletes.empty()) facts_.position_deletes = facts.position_deletes;
  }
  return found->second;
}

Result<RelocatedFiles::MovedFile> RelocatedFiles::RewriteManifest(const std::string& location) {
  const std::string now = moved_.Map(location);
  RelocationFacts facts;
  auto edit = [&](const EditedEntry& entry) { return MoveEntry(entry, facts); };
  BERGLITE_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                            manifest::RewriteManifest(now, PartsOf(file_io_, now), edit));
  BERGLITE_ASSIGN_OR_RETURN(MovedFile moved, Store(now, "-m0.avro", bytes));
  moved.facts = std::move(facts);
  return moved;
}

Result<EntryLocations> RelocatedFiles::MoveEntry(const EditedEntry& entry, RelocationFacts& facts) {
  EntryLocations after = entry.locations;
  after.file_path = moved_.Map(after.file_path);
  if (after.referenced_data_file) {
    after.referenced_data_file = moved_.Map(*after.referenced_data_file);
  }
  // Nobody reads what an entry tells to be gone.
  if (entry.status == EntryStatus::kDeleted) return after;
  if (entry.content == FileContent::kPositionDeletes && IsPuffin(entry.file_format)) {
    BERGLITE_ASSIGN_OR_RETURN(MovedFile moved, MovePuffin(entry.locations.file_path));
    after.file_path = std::move(moved.location);
    after.file_size_in_bytes = moved.length.value_or(after.file_size_in_bytes);
    return after;
  }
  if (entry.content == FileContent::kPositionDeletes && facts.position_deletes.empty()) {
    facts.position_deletes = entry.locations.file_path;
  }
  BERGLITE_RETURN_IF_ERROR(LookForFile(entry.locations.file_path, after.file_path, facts));
  return after;
}

Status RelocatedFiles::LookForFile(const std::string& location, const std::string& now,
                                   RelocationFacts& facts) {
  const Result<bool> exists = file_io_.Exists(now);
  // What was never in the directory may be on another machine. Where it is missing, the directory
  // may have had another name, too, as by a link to it.
  if (!exists && now == location) return {};
  BERGLITE_RETURN_IF_ERROR(exists);
  if (*exists) return {};
  ++facts.missing_files;
  if (facts.first_missing.empty()) facts.first_missing = now;
  return {};
}

Result<RelocatedFiles::MovedFile> RelocatedFiles::MovePuffin(const std::string& location) {
  if (auto found = puffins_.find(location); found != puffins_.end()) return found->second;
  const std::string now = moved_.Map(location);
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes,
                            file_io_.Read(now, limits::kRewrittenManifestBytesMax));
  auto map = [&](const std::string& data_file) { return moved_.Map(data_file); };
  BERGLITE_ASSIGN_OR_RETURN(const std::optional<std::string> rewritten,
                            manifest::RewritePuffin(now, std::move(bytes), map));
  BERGLITE_ASSIGN_OR_RETURN(MovedFile moved, Store(now, "-deletes.puffin", rewritten));
  puffins_added_.push_back(location);
  return puffins_.emplace(location, std::move(moved)).first->second;
}

Result<RelocatedFiles::MovedFile> RelocatedFiles::Store(const std::string& now,
                                                        const std::string& name_end,
                                                        const std::optional<std::string>& bytes) {
  if (!bytes) return MovedFile{now, std::nullopt, {}};
  const std::string location = now.substr(0, now.rfind('/') + 1) + NewUuid(environment_) + name_end;
  if (mode_ == Mode::kTry) {
    BERGLITE_RETURN_IF_ERROR(file_io_.CheckWritable(location));
  } else {
    BERGLITE_RETURN_IF_ERROR(file_io_.WriteNew(location, *bytes));
    written_.push_back(location);
  }
  ++facts_.rewritten_files;
  return MovedFile{location, static_cast<int64_t>(bytes->size()), {}};
}

}  // namespace berglite::catalog
