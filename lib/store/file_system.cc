#include "lib/store/file_system.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

namespace berglite::store {
namespace {

struct NetworkFileSystem {
  uint32_t magic;
  const char* name;
};

// The numbers of statfs(2). Headers of the system lack some of them.
constexpr std::array kNetworks = {
    NetworkFileSystem{0x6969, "NFS"},      NetworkFileSystem{0x517B, "SMB"},
    NetworkFileSystem{0xFE534D42, "SMB"},  NetworkFileSystem{0xFF534D42, "SMB (CIFS)"},
    NetworkFileSystem{0x5346414F, "AFS"},  NetworkFileSystem{0x6B414653, "AFS"},
    NetworkFileSystem{0x00C36400, "Ceph"}, NetworkFileSystem{0x0BD00BD0, "Lustre"},
    NetworkFileSystem{0x73757245, "Coda"},
};

}  // namespace

Status CheckFileSystem(const std::string& path, const StatFileSystem& stat_file_system) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct statfs found = {};
  if (stat_file_system(path.c_str(), &found) != 0 &&
      stat_file_system(folder.c_str(), &found) != 0) {
    return {};
  }
  // The type of f_type has another size, and sign, on each machine.
  const auto magic = static_cast<uint32_t>(found.f_type);
  const auto* network =
      std::find_if(kNetworks.begin(), kNetworks.end(),
                   [magic](const NetworkFileSystem& one) { return one.magic == magic; });
  if (network == kNetworks.end()) return {};
  return Error{ErrorKind::kUnavailable,
               "Cannot open catalog file " + path + ": it is on " + network->name +
                   ", a network file system, over which SQLite's write-ahead log loses commits; "
                   "put the catalog file on a local disk (the warehouse may stay)"};
}

}  // namespace berglite::store
