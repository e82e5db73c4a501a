// What kind of file system a catalog file is on, and whether it can be there.
//
// All who use a file in WAL mode share an index of its log, a file that each maps into its memory
// (https://www.sqlite.org/wal.html, section 2.2 and 7). Over a network, two machines do not see
// each other's memory, nor always each other's locks: commits would be lost and the file be
// damaged, without an error. So what is certainly a network is refused.
//
// File systems that are only sometimes one, FUSE and 9p, are not: containers have their whole root
// on them, with one kernel that maps for all. SQLite itself fails where they map nothing.
#pragma once

#include <functional>
#include <string>
#include <sys/vfs.h>

#include "berglite/result.h"

namespace berglite::store {

// As statfs(2).
using StatFileSystem = std::function<int(const char* path, struct statfs* found)>;

// Whether the file at the absolute `path`, which need not be there yet, is or would be where a
// catalog file can be. Success where that cannot be told. Errors: kUnavailable.
Status CheckFileSystem(const std::string& path, const StatFileSystem& stat_file_system);

}  // namespace berglite::store
