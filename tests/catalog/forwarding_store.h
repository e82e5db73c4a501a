// A Store that hands everything on to another one; tests override what is to go differently.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/store.h"

namespace berglite::testing {

class ForwardingStore : public store::Store {
 public:
  explicit ForwardingStore(std::unique_ptr<store::Store> inner) : inner_(std::move(inner)) {}

  const std::string& catalog_name() const override { return inner_->catalog_name(); }
  std::unique_ptr<store::Store> Sibling(const std::string& catalog_name) override {
    return inner_->Sibling(catalog_name);
  }
  Status Read(const std::function<Status(store::Reader&)>& body) override {
    return inner_->Read(body);
  }
  Status CopyTo(const std::string& path,
                const std::function<void(size_t, size_t)>& on_progress) override {
    return inner_->CopyTo(path, on_progress);
  }
  Status Write(const std::function<Status(store::Writer&)>& body,
               const std::function<Result<bool>(store::Reader&)>& landed) override {
    return inner_->Write(body, landed);
  }
  Status ReadAlone(const std::function<Status(store::Reader&)>& body) override {
    return inner_->ReadAlone(body);
  }
  std::vector<std::string> FilePaths() const override { return inner_->FilePaths(); }

 protected:
  const std::unique_ptr<store::Store> inner_;
};

}  // namespace berglite::testing
