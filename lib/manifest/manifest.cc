#include "lib/manifest/manifest.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/manifest/records.h"

namespace berglite::manifest {
namespace {

// Calls `visit` each time that the variables of `wanted` are set to the next record.
Status ReadRecords(const ReadPart& read, const std::vector<Wanted>& wanted,
                   const std::function<Status()>& visit) {
  BERGLITE_ASSIGN_OR_RETURN(Records records, Records::Open(read, wanted));
  for (;;) {
    BERGLITE_ASSIGN_OR_RETURN(const bool has_block, records.NextBlock());
    if (!has_block) return {};
    for (;;) {
      BERGLITE_ASSIGN_OR_RETURN(const bool has_record, records.Next());
      if (!has_record) break;
      BERGLITE_RETURN_IF_ERROR(visit());
    }
  }
}

}  // namespace

Status ReadManifestList(const std::string& location, const ReadPart& read,
                        const std::function<Status(const ManifestFile&)>& visit) {
  ManifestFile file;
  std::optional<int64_t> content;
  Visits visits;
  Status outcome = ReadRecords(
      read, {{fields::kManifestPath, &file.path}, {fields::kContent, &content}}, [&]() -> Status {
        BERGLITE_ASSIGN_OR_RETURN(file.content,
                                  ToEnum(content, ManifestContent::kDeletes, fields::kContent));
        return visits.Note(visit(file));
      });
  return outcome ? outcome : visits.Explain(outcome.error(), location);
}

Status ReadManifest(const std::string& location, const ReadPart& read,
                    const std::function<Status(const ManifestEntry&)>& visit) {
  ManifestEntry entry;
  std::optional<int64_t> status;
  std::optional<int64_t> content;
  const std::vector<Wanted> wanted = {
      {fields::kStatus, &status},
      {fields::kDataFile,
       std::vector<Wanted>{{fields::kContent, &content}, {fields::kFilePath, &entry.file_path}}}};
  Visits visits;
  Status outcome = ReadRecords(read, wanted, [&]() -> Status {
    BERGLITE_ASSIGN_OR_RETURN(entry.status, ToEnum(status, EntryStatus::kDeleted, fields::kStatus));
    BERGLITE_ASSIGN_OR_RETURN(entry.content,
                              ToEnum(content, FileContent::kEqualityDeletes, fields::kContent));
    return visits.Note(visit(entry));
  });
  return outcome ? outcome : visits.Explain(outcome.error(), location);
}

}  // namespace berglite::manifest
