// Disk: what a file system may hold after the power has failed.
//
// Built from the calls that a program made, in order. What was synced is there; of what was not,
// the disk may hold any part. A file has its content by a sync of the file and its name by a sync
// of the directory: nothing else is taken for granted, such as that directory operations become
// durable in their order.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace berglite::testing {

struct DiskCall {
  enum class Kind { kMakeFile, kMakeDirectory, kRemove, kWrite, kTruncate, kSync };
  Kind kind;
  std::string path;
  int64_t offset = 0;  // kWrite; kTruncate: the new size
  std::string bytes = {};
};

enum class Survives {
  kEverything,  // the process alone was killed
  kSynced,      // and nothing else
  kPrefixes,    // of the unsynced calls on each file and directory; the last write may be torn
  kSubsets,     // of the unsynced calls on each file and directory, still in their order
};

class Disk {
 public:
  // Starts with what is at and below `root`, all of it durable. The directories above last.
  explicit Disk(std::string root);

  void Apply(const DiskCall& call);

  // Replaces what is below the root with what survives. No file there may be open.
  void Write(Survives survives, std::mt19937& random) const;

 private:
  struct Node {
    bool is_directory = false;
    std::string durable = {};
    std::vector<DiskCall> unsynced = {};
  };
  struct NameChange {
    std::string path;
    std::optional<size_t> node;  // nullopt: removed
  };
  using Names = std::map<std::string, size_t>;

  void Sync(const std::string& path);
  std::string ContentOf(const Node& node, Survives survives, std::mt19937& random) const;
  Names NamesLeft(Survives survives, std::mt19937& random) const;

  const std::string root_;
  std::vector<Node> nodes_;
  Names names_;                                                    // as programs see them
  Names durable_names_;                                            // as they are on disk
  std::map<std::string, std::vector<NameChange>> unsynced_names_;  // by directory
};

}  // namespace berglite::testing
