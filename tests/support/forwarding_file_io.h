// A FileIO that hands everything on to another one; tests override what is to go differently.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berglite/file_io.h"

namespace berglite::testing {

class ForwardingFileIO : public FileIO {
 public:
  explicit ForwardingFileIO(std::shared_ptr<FileIO> inner) : inner_(std::move(inner)) {}

  Result<std::string> Read(const std::string& location, size_t size_max) override {
    return inner_->Read(location, size_max);
  }
  Result<std::string> ReadPart(const std::string& location, uint64_t offset, size_t size) override {
    return inner_->ReadPart(location, offset, size);
  }
  Result<std::vector<DirectoryEntry>> List(const std::string& location) override {
    return inner_->List(location);
  }
  Result<bool> Exists(const std::string& location) override { return inner_->Exists(location); }
  std::string RealLocation(const std::string& location) override {
    return inner_->RealLocation(location);
  }
  Status WriteNew(const std::string& location, std::string_view bytes) override {
    return inner_->WriteNew(location, bytes);
  }
  Status Delete(const std::string& location) override { return inner_->Delete(location); }
  Status CreateDirectory(const std::string& location) override {
    return inner_->CreateDirectory(location);
  }
  Result<bool> RemoveEmptyDirectory(const std::string& location) override {
    return inner_->RemoveEmptyDirectory(location);
  }
  Status SyncDirectory(const std::string& location) override {
    return inner_->SyncDirectory(location);
  }
  Status CheckWritable(const std::string& location) const override {
    return inner_->CheckWritable(location);
  }

 private:
  std::shared_ptr<FileIO> inner_;
};

}  // namespace berglite::testing
