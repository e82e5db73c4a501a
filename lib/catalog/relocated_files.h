// RelocatedFiles: the files of tables in a directory that has been moved, as far as they name
// others. Manifest lists, manifests and deletion vectors hold absolute locations, and are never
// changed once written; so each is written anew, beside the old one, with the new locations.
//
// Data files, equality deletes and statistics name no other file. Position deletes in files of
// their own do, in their rows, which are the engines' to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/manifest/rewrite.h"
#include "lib/storage/moved_directory.h"

namespace berglite::catalog {

// What has been found in the files of one table.
struct RelocationFacts {
  int64_t rewritten_files = 0;
  // Files in use that are not where they should be now, and the first of them.
  int64_t missing_files = 0;
  std::string first_missing;
  // A file of position deletes that is in use; empty where there is none.
  std::string position_deletes;
};

// Threads: one at a time.
// Ownership: all that is passed is borrowed.
// Errors of all methods: those of FileIO and of lib/manifest.
class RelocatedFiles {
 public:
  // kTry: nothing is written, but what cannot be read, or may not be written, is found. Whether the
  // disk takes a file shows only when it is written.
  enum class Mode { kTry, kWrite };

  RelocatedFiles(FileIO& file_io, const storage::MovedDirectory& moved, Environment& environment,
                 Mode mode)
      : file_io_(file_io), moved_(moved), environment_(environment), mode_(mode) {}

  // Begins a table. What those before it have in common with it is not written twice.
  void BeginTable();
  // Where the manifest list or manifest that was at `location` is to be read from now on.
  Result<std::string> MoveManifestList(const std::string& location);
  Result<std::string> MoveManifest(const std::string& location);
  const RelocationFacts& facts() const { return facts_; }
  // Removes what has been written for the table.
  void UndoTable();

 private:
  struct MovedFile {
    std::string location;
    std::optional<int64_t> length;  // in bytes, where it was written anew
    RelocationFacts facts;          // of a manifest
  };

  Result<MovedFile> FindManifest(const std::string& location);
  Result<MovedFile> RewriteManifest(const std::string& location);
  Result<manifest::EntryLocations> MoveEntry(const manifest::EditedEntry& entry,
                                             RelocationFacts& facts);
  Status LookForFile(const std::string& location, const std::string& now, RelocationFacts& facts);
  Result<MovedFile> MovePuffin(const std::string& location);
  // What is now at `now`, with its new bytes, where they changed.
  Result<MovedFile> Store(const std::string& now, const std::string& name_end,
                          const std::optional<std::string>& bytes);

  FileIO& file_io_;
  const storage::MovedDirectory& moved_;
  Environment& environment_;
  const Mode mode_;

  // By where they were.
  std::unordered_map<std::string, MovedFile> manifests_;
  std::unordered_map<std::string, MovedFile> puffins_;

  // Of the table.
  RelocationFacts facts_;
  std::unordered_set<std::string> manifests_seen_;
  std::vector<std::string> written_;
  std::vector<std::string> manifests_added_;
  std::vector<std::string> puffins_added_;
};

}  // namespace berglite::catalog
