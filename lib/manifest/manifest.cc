#include "lib/manifest/manifest.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/manifest/errors.h"
#include "lib/manifest/projection.h"

namespace berglite::manifest {
namespace {

// Field names of the specification.
constexpr std::string_view kManifestPath = "manifest_path";
constexpr std::string_view kContent = "content";
constexpr std::string_view kStatus = "status";
constexpr std::string_view kDataFile = "data_file";
constexpr std::string_view kFilePath = "file_path";

// The enumerator with that number, which is 0 where the file has none.
template <typename Enum>
Result<Enum> ToEnum(std::optional<int64_t> number, Enum last, std::string_view what) {
  const int64_t value = number.value_or(0);
  if (value >= 0 && value <= static_cast<int64_t>(last)) return static_cast<Enum>(value);
  return Damaged("a record has the unknown " + std::string(what) + " " + std::to_string(value));
}

Status ReadBlock(const AvroContainer::Block& block, const Projection& projection,
                 const std::function<Status()>& visit) {
  const auto size = static_cast<int64_t>(block.bytes.size());
  const AvroReader reader(avro_reader_memory(block.bytes.data(), size));
  if (reader == nullptr) return Error{ErrorKind::kUnavailable, "Out of memory"};
  for (int64_t i = 0; i < block.record_count; ++i) {
    BERGLITE_RETURN_IF_ERROR(projection.Read(reader.get()));
    BERGLITE_RETURN_IF_ERROR(visit());
  }
  char rest = 0;
  if (avro_read(reader.get(), &rest, 1) == 0) return Damaged("a block is longer than its records");
  return {};
}

// Calls `visit` each time that the variables of `wanted` are set to the next record.
Status ReadRecords(const ReadPart& read, const std::vector<Wanted>& wanted,
                   const std::function<Status()>& visit) {
  BERGLITE_ASSIGN_OR_RETURN(AvroContainer container, AvroContainer::Open(read));
  BERGLITE_ASSIGN_OR_RETURN(Projection projection, Projection::Make(container.schema(), wanted));
  for (;;) {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<AvroContainer::Block> block, container.Next());
    if (!block) return {};
    BERGLITE_RETURN_IF_ERROR(ReadBlock(*block, projection, visit));
  }
}

// Tells the errors of `visit` from those of the file, which get its location.
class Visits {
 public:
  template <typename Visit, typename Entry>
  Status Make(const Visit& visit, const Entry& entry) {
    outcome_ = visit(entry);
    return outcome_;
  }

  Status Finish(const Status& read, const std::string& location) const {
    if (read || !outcome_ || read.error().kind != ErrorKind::kValidation) return read;
    return Damaged("Cannot read manifest " + location + ": " + read.error().message);
  }

 private:
  Status outcome_;
};

}  // namespace

Status ReadManifestList(const std::string& location, const ReadPart& read,
                        const std::function<Status(const ManifestFile&)>& visit) {
  ManifestFile file;
  std::optional<int64_t> content;
  Visits visits;
  Status outcome =
      ReadRecords(read, {{kManifestPath, &file.path}, {kContent, &content}}, [&]() -> Status {
        BERGLITE_ASSIGN_OR_RETURN(file.content,
                                  ToEnum(content, ManifestContent::kDeletes, kContent));
        return visits.Make(visit, file);
      });
  return visits.Finish(outcome, location);
}

Status ReadManifest(const std::string& location, const ReadPart& read,
                    const std::function<Status(const ManifestEntry&)>& visit) {
  ManifestEntry entry;
  std::optional<int64_t> status;
  std::optional<int64_t> content;
  const std::vector<Wanted> wanted = {
      {kStatus, &status},
      {kDataFile, std::vector<Wanted>{{kContent, &content}, {kFilePath, &entry.file_path}}}};
  Visits visits;
  Status outcome = ReadRecords(read, wanted, [&]() -> Status {
    BERGLITE_ASSIGN_OR_RETURN(entry.status, ToEnum(status, EntryStatus::kDeleted, kStatus));
    BERGLITE_ASSIGN_OR_RETURN(entry.content,
                              ToEnum(content, FileContent::kEqualityDeletes, kContent));
    return visits.Make(visit, entry);
  });
  return visits.Finish(outcome, location);
}

}  // namespace berglite::manifest
