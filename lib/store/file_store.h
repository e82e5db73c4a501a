// FileStore: a Store in a file, which other processes may use at the same time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/commit_queue.h"
#include "lib/store/reader_pool.h"
#include "lib/store/store.h"

namespace berglite::store {

// All Stores on one file in this process should be siblings: then they share one queue of writes.
class FileStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options);

  // What the Stores for the catalogs of one file share.
  struct Connections {
    Connections(const SessionOptions& options, std::unique_ptr<Session> writer)
        : session(options), readers(options), commits(options, std::move(writer)) {}
    const SessionOptions session;
    ReaderPool readers;
    CommitQueue commits;
  };
  FileStore(std::string catalog_name, std::shared_ptr<Connections> connections)
      : catalog_name_(std::move(catalog_name)), connections_(std::move(connections)) {}

  const std::string& catalog_name() const override { return catalog_name_; }
  std::unique_ptr<Store> Sibling(const std::string& catalog_name) override {
    return std::make_unique<FileStore>(catalog_name, connections_);
  }
  Status CopyTo(const std::string& path,
                const std::function<void(size_t done, size_t total)>& on_progress) override;
  Status Read(const std::function<Status(Reader&)>& body) override;
  Status Write(const std::function<Status(Writer&)>& body,
               const std::function<Result<bool>(Reader&)>& landed) override;
  Status ReadAlone(const std::function<Status(Reader&)>& body) override;
  std::vector<std::string> FilePaths() const override;

 private:
  const std::string catalog_name_;
  const std::shared_ptr<Connections> connections_;
};

}  // namespace berglite::store
