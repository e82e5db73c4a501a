// AvroContainer: an Avro object container file, block by block.
//
// Ours and not that of avro-c, because that one knows no limits (it takes as much memory as a
// damaged length asks for), does not tell the end of a file from a cut one, and has no zstandard,
// which Iceberg writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/result.h"
#include "lib/manifest/codec.h"

namespace berglite::manifest {

// Returns `size` bytes of the file from `offset`, fewer only where it ends before.
using ReadPart = std::function<Result<std::string>(uint64_t offset, size_t size)>;

// Holds one block in memory at a time.
//
// Threads: one at a time.
// Errors of all methods: kValidation, without the location, for a file that is damaged or past a
// limit; those of the ReadPart as they are.
class AvroContainer {
 public:
  static constexpr std::string_view kMagic{"Obj\x01", 4};
  static constexpr std::string_view kCodecKey = "avro.codec";

  struct Block {
    int64_t record_count = 0;
    std::string bytes;  // unpacked
  };

  // Reads the header.
  static Result<AvroContainer> Open(ReadPart read);

  // What the header says, in its order; the schema and the codec too.
  using Header = std::vector<std::pair<std::string, std::string>>;
  const Header& header() const { return header_; }
  // The schema of the records, JSON as it stands in the file.
  const std::string& schema() const { return schema_; }
  // What ends each block.
  const std::string& sync_marker() const { return sync_; }

  // nullopt after the last block.
  Result<std::optional<Block>> Next();

 private:
  explicit AvroContainer(ReadPart read) : read_(std::move(read)) {}

  Status ReadHeader();
  Status ReadHeaderEntry(std::string& codec);
  // Makes `size` bytes stand at at_; false where the file ends before.
  Result<bool> Fill(size_t size);
  Result<std::string_view> Take(size_t size, std::string_view what);
  Result<int64_t> TakeLong(std::string_view what);
  Result<std::string> TakeHeaderBytes();

  ReadPart read_;
  std::string buffer_;
  size_t at_ = 0;            // of the next byte in buffer_
  uint64_t buffer_end_ = 0;  // where buffer_ ends in the file
  size_t header_bytes_ = 0;  // in keys and values
  Header header_;
  std::string schema_;
  std::string sync_;
  Codec codec_ = Codec::kNull;
};

}  // namespace berglite::manifest
