// Relocator: makes a catalog agree with a directory that has been moved with its files.
//
// Everything is tried before anything of a table is written, so that a table which cannot be
// relocated leaves nothing behind. Its pointer moves last, by the commit protocol: before that it
// is as it was, after it wholly in the new place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "lib/base/environment.h"
#include "lib/catalog/commit.h"
#include "lib/catalog/metadata_reader.h"
#include "lib/catalog/relocated_files.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/view_metadata.h"
#include "lib/storage/moved_directory.h"
#include "lib/store/store.h"

namespace berglite::catalog {

// Threads: one thread uses it, for one call.
// Ownership: all that is passed is borrowed.
class Relocator {
 public:
  // The parts of the catalog that it works with.
  struct Parts {
    store::Store& store;
    FileIO& file_io;
    Environment& environment;
    MetadataReader<metadata::TableMetadata>& tables;
    MetadataReader<metadata::ViewMetadata>& views;
    Committer& committer;
  };
  using Mode = RelocatedFiles::Mode;

  Relocator(const Parts& parts, storage::MovedDirectory moved, Mode mode)
      : parts_(parts),
        moved_(std::move(moved)),
        mode_(mode),
        tried_(parts.file_io, moved_, parts.environment, Mode::kTry),
        written_(parts.file_io, moved_, parts.environment, Mode::kWrite) {}

  // As Catalog::PlanRelocation and Relocate.
  Result<RelocationReport> Run(const RelocationOptions& options);

 private:
  using Item = RelocationReport::Item;
  // The next metadata of a table; nullopt where it has nothing to do with the directory.
  struct NextTable {
    StoredMetadata stored;
    std::vector<std::string> superseded;  // metadata files, as in Plan
  };
  using Next = std::optional<NextTable>;

  Status CheckTarget() const;
  void RelocateEntry(const store::EntryRow& row);
  void RelocateFunction(const store::EntryRow& row);
  // Runs `relocate`, which returns whether the entry has to do with the directory, and puts what
  // came of it into the report.
  void Note(Item item, const store::EntryRow& row,
            const std::function<Result<bool>(Item&)>& relocate);
  // Keeps what an entry tells about whether the directory is where it is said to be.
  void NotePlace(const store::EntryRow& row, const Result<bool>& relocated);
  Result<bool> RelocateTable(const store::EntryRow& row, Item& item);
  Result<bool> RelocateView(const store::EntryRow& row);
  Result<bool> MoveFunction(const store::EntryRow& row, const Item& item);
  Status PutFunction(const store::EntryRow& row, const Item& item, const std::string& location);

  Result<Next> PlanTable(const store::EntryRow& row, RelocatedFiles& files);
  Status Commit(store::EntryKind kind, const store::EntryRow& row, const NextTable& next);
  Status RelocateNamespaces(const std::vector<Namespace>& namespaces);
  Status RelocateNamespace(const Namespace& name_space);
  Status RelocateWarehouse();
  Status CountStrandedPurges();

  const Parts parts_;
  const storage::MovedDirectory moved_;
  const Mode mode_;
  RelocatedFiles tried_;
  RelocatedFiles written_;
  RelocationReport report_;
  bool is_any_here_ = false;
  bool is_any_missing_ = false;
};

}  // namespace berglite::catalog
