#include "lib/manifest/rewrite.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/limits.h"
#include "lib/manifest/codec.h"
#include "lib/manifest/records.h"

namespace berglite::manifest {
namespace {

// A number in zigzag form, seven bits a byte, the lowest first.
std::string EncodeLong(int64_t value) {
  constexpr uint64_t kMoreBit = 0x80;
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  std::string bytes;
  for (; rest >= kMoreBit; rest >>= 7) bytes += static_cast<char>((rest & 0x7f) | kMoreBit);
  return bytes + static_cast<char>(rest);
}

std::string EncodeString(std::string_view text) {
  return EncodeLong(static_cast<int64_t>(text.size())).append(text);
}

// The new file, block by block.
class Output {
 public:
  // With the header of `origin`.
  explicit Output(const AvroContainer& origin) : sync_marker_(origin.sync_marker()) {
    AvroContainer::Header header = origin.header();
    std::erase_if(header, [](const auto& e) { return e.first == AvroContainer::kCodecKey; });
    header.emplace_back(AvroContainer::kCodecKey, "deflate");
    bytes_ = AvroContainer::kMagic;
    bytes_ += EncodeLong(static_cast<int64_t>(header.size()));
    for (const auto& [key, value] : header) bytes_ += EncodeString(key) + EncodeString(value);
    bytes_ += EncodeLong(0) + sync_marker_;
  }

  Status Append(int64_t record_count, std::string_view records) {
    if (records.size() > limits::kAvroBlockBytesMax) {
      return Damaged("a block with the new locations is longer than the limit of " +
                     std::to_string(limits::kAvroBlockBytesMax) + " bytes");
    }
    bytes_ += EncodeLong(record_count) + EncodeString(Deflate(records)) + sync_marker_;
    if (bytes_.size() <= limits::kRewrittenManifestBytesMax) return {};
    return Damaged("with the new locations it is longer than the limit of " +
                   std::to_string(limits::kRewrittenManifestBytesMax) + " bytes");
  }

  std::string Take() && { return std::move(bytes_); }

 private:
  const std::string sync_marker_;
  std::string bytes_;
};

// The bytes of a block in which values are put in the place of others.
class BlockEdit {
 public:
  // Borrows it.
  explicit BlockEdit(std::string_view original) : original_(original) {}

  // Nothing where the record has no such value.
  void Replace(Span span, std::string value) {
    if (span.begin != span.end) replacements_.push_back({span, std::move(value)});
  }
  bool is_changed() const { return !replacements_.empty(); }

  std::string Apply() {
    // Fields stand in the order of the file's schema.
    std::sort(replacements_.begin(), replacements_.end(),
              [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
    std::string edited;
    size_t copied = 0;
    for (const Replacement& replacement : replacements_) {
      edited += original_.substr(copied, replacement.span.begin - copied);
      edited += replacement.value;
      copied = replacement.span.end;
    }
    return edited.append(original_.substr(copied));
  }

 private:
  struct Replacement {
    Span span;
    std::string value;
  };

  std::string_view original_;
  std::vector<Replacement> replacements_;
};

// Calls `edit` each time that the variables of `wanted` are set to the next record.
Result<std::optional<std::string>> RewriteRecords(const ReadPart& read,
                                                  const std::vector<Wanted>& wanted,
                                                  const std::function<Status(BlockEdit&)>& edit) {
  BERGLITE_ASSIGN_OR_RETURN(Records records, Records::Open(read, wanted));
  Output output(records.container());
  bool is_changed = false;
  for (;;) {
    BERGLITE_ASSIGN_OR_RETURN(const bool has_block, records.NextBlock());
    if (!has_block) break;
    BlockEdit block(records.block().bytes);
    for (;;) {
      BERGLITE_ASSIGN_OR_RETURN(const bool has_record, records.Next());
      if (!has_record) break;
      BERGLITE_RETURN_IF_ERROR(edit(block));
    }
    is_changed |= block.is_changed();
    BERGLITE_RETURN_IF_ERROR(output.Append(records.block().record_count, block.Apply()));
  }
  if (!is_changed) return std::optional<std::string>();
  return std::optional(std::move(output).Take());
}

using Outcome = Result<std::optional<std::string>>;

Outcome Explained(Outcome outcome, const Visits& visits, const std::string& location) {
  if (outcome) return outcome;
  return visits.Explain(std::move(outcome).error(), location);
}

// An entry of a manifest as it is read, and where its values stand.
struct EntryFields {
  std::optional<int64_t> status;
  std::optional<int64_t> content;
  std::optional<std::string> file_format;
  std::string file_path;
  Span file_path_span;
  std::optional<std::string> referenced_data_file;
  Span referenced_data_file_span;
  std::optional<int64_t> file_size;
  Span file_size_span;

  std::vector<Wanted> Fields() {
    return {{fields::kStatus, &status},
            {fields::kDataFile,
             std::vector<Wanted>{
                 {fields::kContent, &content},
                 {fields::kFilePath, &file_path, &file_path_span},
                 {fields::kFileFormat, &file_format},
                 {fields::kFileSizeInBytes, &file_size, &file_size_span},
                 {fields::kReferencedDataFile, &referenced_data_file, &referenced_data_file_span},
             }}};
  }

  Result<EditedEntry> Entry() const {
    EditedEntry entry;
    BERGLITE_ASSIGN_OR_RETURN(entry.status, ToEnum(status, EntryStatus::kDeleted, fields::kStatus));
    BERGLITE_ASSIGN_OR_RETURN(entry.content,
                              ToEnum(content, FileContent::kEqualityDeletes, fields::kContent));
    entry.file_format = file_format.value_or("");
    entry.locations = {file_path, referenced_data_file, file_size.value_or(0)};
    return entry;
  }

  void Replace(const EntryLocations& before, const EntryLocations& after, BlockEdit& block) const {
    if (after.file_path != before.file_path) {
      block.Replace(file_path_span, EncodeString(after.file_path));
    }
    if (after.referenced_data_file != before.referenced_data_file && after.referenced_data_file) {
      block.Replace(referenced_data_file_span, EncodeString(*after.referenced_data_file));
    }
    if (after.file_size_in_bytes != before.file_size_in_bytes) {
      block.Replace(file_size_span, EncodeLong(after.file_size_in_bytes));
    }
  }
};

}  // namespace

Outcome RewriteManifestList(
    const std::string& location, const ReadPart& read,
    const std::function<Result<ManifestFileEdit>(const ManifestFile&)>& edit) {
  ManifestFile file;
  Span path_span;
  std::optional<int64_t> length;
  Span length_span;
  std::optional<int64_t> content;
  const std::vector<Wanted> wanted = {{fields::kManifestPath, &file.path, &path_span},
                                      {fields::kManifestLength, &length, &length_span},
                                      {fields::kContent, &content}};
  Visits visits;
  auto edit_record = [&](BlockEdit& block) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(file.content,
                              ToEnum(content, ManifestContent::kDeletes, fields::kContent));
    BERGLITE_ASSIGN_OR_RETURN(const ManifestFileEdit after, visits.Note(edit(file)));
    if (after.path != file.path) block.Replace(path_span, EncodeString(after.path));
    if (after.length && after.length != length) {
      block.Replace(length_span, EncodeLong(*after.length));
    }
    return {};
  };
  return Explained(RewriteRecords(read, wanted, edit_record), visits, location);
}

Outcome RewriteManifest(const std::string& location, const ReadPart& read,
                        const std::function<Result<EntryLocations>(const EditedEntry&)>& edit) {
  EntryFields record;
  Visits visits;
  auto edit_record = [&](BlockEdit& block) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(const EditedEntry entry, record.Entry());
    BERGLITE_ASSIGN_OR_RETURN(const EntryLocations after, visits.Note(edit(entry)));
    record.Replace(entry.locations, after, block);
    return {};
  };
  return Explained(RewriteRecords(read, record.Fields(), edit_record), visits, location);
}

}  // namespace berglite::manifest
