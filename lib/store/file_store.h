// FileStore: a Store in a file, which other processes may use at the same time.
#pragma once

#include <memory>
#include <string>

#include "lib/store/commit_queue.h"
#include "lib/store/reader_pool.h"
#include "lib/store/store.h"

namespace berglite::store {

class FileStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options);

  FileStore(const SessionOptions& options, std::unique_ptr<Session> writer)
      : catalog_name_(options.catalog_name),
        readers_(options),
        commits_(options, std::move(writer)) {}

  const std::string& catalog_name() const override { return catalog_name_; }
  Status Read(const std::function<Status(Reader&)>& body) override { return readers_.Read(body); }
  Status Write(const std::function<Status(Writer&)>& body,
               const std::function<Result<bool>(Reader&)>& landed) override {
    return commits_.Write(body, landed);
  }

 private:
  const std::string catalog_name_;
  ReaderPool readers_;
  CommitQueue commits_;
};

}  // namespace berglite::store
