// What is in the catalog file and the metadata files, read without any code of the program.
#pragma once

#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/crash/history.h"

namespace berglite::crash {

// Everything throws Wrong where a file is missing, damaged or at odds with another.
class Stored {
 public:
  explicit Stored(std::string file) : file_(std::move(file)) {}

  // Looks whether the file is sound and all that it points to is there. Returns the metadata
  // locations of the tables by namespace and name.
  std::map<std::string, std::map<std::string, std::string>> ReadPointers() const;

  // The metadata at `location`.
  static nlohmann::json ReadMetadata(const std::string& location);

  // Remembers the files it has seen, since they never change; that they are there is looked at
  // anew.
  History ReadHistory(const nlohmann::json& metadata, const std::string& location);

  // Removes all but the last version, to bound what a long run leaves.
  void Prune(const History& history);

 private:
  Version ReadVersion(const std::string& location, size_t number);

  const std::string file_;
  std::map<std::string, uint64_t> ids_;  // of the commits, by location
};

}  // namespace berglite::crash
