// What reading manifests and rewriting them share: going through their records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/result.h"
#include "lib/manifest/avro_container.h"
#include "lib/manifest/cursor.h"
#include "lib/manifest/errors.h"
#include "lib/manifest/projection.h"

namespace berglite::manifest {

// Field names of the specification.
namespace fields {
inline constexpr std::string_view kManifestPath = "manifest_path";
inline constexpr std::string_view kManifestLength = "manifest_length";
inline constexpr std::string_view kContent = "content";
inline constexpr std::string_view kStatus = "status";
inline constexpr std::string_view kDataFile = "data_file";
inline constexpr std::string_view kFilePath = "file_path";
inline constexpr std::string_view kFileFormat = "file_format";
inline constexpr std::string_view kFileSizeInBytes = "file_size_in_bytes";
inline constexpr std::string_view kReferencedDataFile = "referenced_data_file";
}  // namespace fields

// The enumerator with that number, which is 0 where the file has none.
template <typename Enum>
Result<Enum> ToEnum(std::optional<int64_t> number, Enum last, std::string_view what) {
  const int64_t value = number.value_or(0);
  if (value >= 0 && value <= static_cast<int64_t>(last)) return static_cast<Enum>(value);
  return Damaged("a record has the unknown " + std::string(what) + " " + std::to_string(value));
}

// The records of an Avro file, one after another.
//
// Threads: one at a time.
// Errors: as AvroContainer and Projection.
class Records {
 public:
  static Result<Records> Open(const ReadPart& read, const std::vector<Wanted>& wanted);

  const AvroContainer& container() const { return container_; }
  const AvroContainer::Block& block() const { return *block_; }

  // Goes to the next block; false after the last one.
  Result<bool> NextBlock();
  // Sets the variables to the next record of the block; false after the last one.
  Result<bool> Next();

 private:
  Records(AvroContainer container, Projection projection)
      : container_(std::move(container)), projection_(std::move(projection)) {}

  AvroContainer container_;
  Projection projection_;
  std::optional<AvroContainer::Block> block_;
  Cursor cursor_{{}};  // in block_
  int64_t records_left_ = 0;
};

// Tells the errors of what is called for each record from those of the file, which get its
// location.
class Visits {
 public:
  template <typename Outcome>
  Outcome Note(Outcome outcome) {
    has_failed_ = !outcome;
    return outcome;
  }

  // The error of going through the file at `location`, as it is to be returned.
  Error Explain(Error error, const std::string& location) const {
    if (has_failed_ || error.kind != ErrorKind::kValidation) return error;
    return Damaged("Cannot read manifest " + location + ": " + error.message);
  }

 private:
  bool has_failed_ = false;
};

}  // namespace berglite::manifest
