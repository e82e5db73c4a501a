// FileIO: where metadata files are read and written.
//
// A location is a URI (`file:///a/b`) or an absolute path, as it stands in table metadata. An
// implementation normalises it only to open the file; it never rewrites what a client asked for.
//
// Threads: every method may be called from any thread at the same time, without locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/result.h"

namespace berglite {

// What is in a directory. A link is neither file nor directory, wherever it leads.
struct DirectoryEntry {
  enum class Type { kFile, kDirectory, kOther };
  std::string name;
  Type type = Type::kFile;
  int64_t bytes = 0;        // of a file
  int64_t modified_ms = 0;  // since 1970-01-01T00:00Z, as the storage has it
};

class FileIO {
 public:
  virtual ~FileIO() = default;

  // The whole content of the file. Errors: kNotFound `Failed to open input stream for file:
  // <location>` where there is none; kInvalidArgument for a location this FileIO cannot read or a
  // file longer than `size_max` bytes; kInternal when reading fails.
  virtual Result<std::string> Read(const std::string& location, size_t size_max) = 0;

  // What is directly in the directory, in no order. Serving a catalog needs it not, so an
  // implementation may have none. Errors: kUnsupported where there is none; those of Read.
  virtual Result<std::vector<DirectoryEntry>> List(const std::string& location);

  // A part of the file: `size` bytes from `offset`, fewer only where the file ends before. Errors
  // as in Read.
  virtual Result<std::string> ReadPart(const std::string& location, uint64_t offset,
                                       size_t size) = 0;

  // Whether a file or directory is there. One look at the file system; no content is read. Errors
  // as in Read.
  virtual Result<bool> Exists(const std::string& location) = 0;

  // The location under which a file is known, whichever way it is written and whatever links lead
  // to it: two locations mean one file where theirs are equal. The file need not exist. Takes also
  // what is refused elsewhere (`..`, a host), as other programs understand it; what is no location
  // of this FileIO is returned as it is.
  virtual std::string RealLocation(const std::string& location) = 0;

  // Writes a new file, all of it or nothing, and makes it and its name durable before returning.
  // Missing directories are created. Errors: kAlreadyExists where something has that name (it is
  // left as it is); kInvalidArgument for a location that may not be written; kUnavailable when the
  // disk is full, read-only or failing (nothing is left behind).
  virtual Status WriteNew(const std::string& location, std::string_view bytes) = 0;

  // Removes a file. A missing file is success. That it is gone is durable after a SyncDirectory.
  // Errors: kInvalidArgument, kUnavailable.
  virtual Status Delete(const std::string& location) = 0;

  // Creates a directory and its missing parents. An existing one is success. Errors as in WriteNew.
  virtual Status CreateDirectory(const std::string& location) = 0;

  // Removes the directory if nothing is in it, and returns whether it is gone; a missing one is.
  // Durable after a SyncDirectory of the one above.
  // Errors: kInvalidArgument where it may not be removed (it is outside the allowed roots or one of
  // them, or it is no directory); kUnavailable.
  virtual Result<bool> RemoveEmptyDirectory(const std::string& location) = 0;

  // Makes durable what was made and removed directly in a directory before the call. A missing one
  // is success: that it is missing is for the one above. Nothing to do where changes are durable
  // anyway. Errors: kInvalidArgument where nothing may be changed there; kUnavailable.
  virtual Status SyncDirectory(const std::string& location) = 0;

  // Success where files under `location` may be written and deleted; otherwise kInvalidArgument
  // saying why (outside the allowed roots, `..`, a scheme that is not served, a link that leads
  // out).
  virtual Status CheckWritable(const std::string& location) const = 0;
};

// A FileIO on the local file system that writes and deletes only under `roots` (URIs or absolute
// paths; they need not exist yet). Understands `file:///a`, `file:/a`, `file://localhost/a` and
// `/a`. Errors: kInvalidArgument for a root that is none of these.
Result<std::shared_ptr<FileIO>> MakeLocalFileIO(const std::vector<std::string>& roots);

}  // namespace berglite
