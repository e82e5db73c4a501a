// What the fuzz targets share: what must hold, and a catalog without a disk.
//
// A target is a function over bytes, as libFuzzer calls it. Without libFuzzer the same function is
// run on the files of its corpus, in every test run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "berglite/catalog.h"
#include "berglite/file_io.h"
#include "berglite/result.h"
#include "tests/support/fake_environment.h"

namespace berglite::fuzz {

// Ends the process, so that the fuzzer keeps the input, where what must hold does not.
inline void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "what must hold does not: %s\n", what.c_str());
  std::abort();
}

inline std::string_view ToText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Files in memory, below file:///lake alone.
class MemoryFileIO final : public FileIO {
 public:
  Result<std::string> Read(const std::string& location, size_t size_max) override {
    const auto file = files_.find(location);
    if (file == files_.end()) {
      return Error{ErrorKind::kNotFound, "Failed to open input stream for file: " + location};
    }
    if (file->second.size() > size_max) return Error{ErrorKind::kInvalidArgument, "too long"};
    return file->second;
  }
  Result<std::string> ReadPart(const std::string& location, uint64_t offset, size_t size) override {
    BERGLITE_ASSIGN_OR_RETURN(const std::string whole, Read(location, SIZE_MAX));
    return offset >= whole.size() ? "" : whole.substr(offset, size);
  }
  Result<bool> Exists(const std::string& location) override { return files_.contains(location); }
  std::string RealLocation(const std::string& location) override { return location; }
  Status WriteNew(const std::string& location, std::string_view bytes) override {
    BERGLITE_RETURN_IF_ERROR(CheckWritable(location));
    const bool is_new = files_.emplace(location, bytes).second;
    return is_new ? Status() : Error{ErrorKind::kAlreadyExists, location};
  }
  Status Delete(const std::string& location) override {
    files_.erase(location);
    return {};
  }
  Status CreateDirectory(const std::string& location) override { return CheckWritable(location); }
  Result<bool> RemoveEmptyDirectory(const std::string& /*location*/) override { return true; }
  Status SyncDirectory(const std::string& /*location*/) override { return {}; }
  Status CheckWritable(const std::string& location) const override {
    const bool is_inside =
        location.starts_with("file:///lake") && location.find("..") == location.npos;
    return is_inside ? Status() : Error{ErrorKind::kInvalidArgument, "outside: " + location};
  }

  size_t size() const { return files_.size(); }

 private:
  std::map<std::string, std::string> files_;
};

// A catalog in memory with the namespace `ns`, and its files. It does the same each time.
struct Lake {
  Lake() {
    auto opened = Catalog::Open(
        ":memory:", {.warehouse = "file:///lake",
                     .table_properties = {.defaults = {{"d", "1"}}, .overrides = {{"o", "2"}}},
                     .view_properties = {.defaults = {{"d", "1"}}, .overrides = {{"o", "2"}}},
                     .file_io = files,
                     .environment = &environment});
    Require(opened.has_value(), "a catalog in memory opens");
    catalog = *std::move(opened);
    auto request = Document::Parse(R"({"namespace":["ns"]})");
    Require(catalog->CreateNamespace(*request).has_value(), "a namespace is created");
  }

  std::shared_ptr<MemoryFileIO> files = std::make_shared<MemoryFileIO>();
  testing::FakeEnvironment environment;
  std::unique_ptr<Catalog> catalog;
};

}  // namespace berglite::fuzz
