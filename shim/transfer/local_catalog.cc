#include "shim/transfer/local_catalog.h"

#include <utility>

#include "shim/transfer/json.h"

namespace berglite::transfer {
namespace {

class LocalEndpoint final : public Endpoint {
 public:
  LocalEndpoint(Catalog& catalog, std::string name) : catalog_(catalog), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  bool CanRegisterViews() const override { return true; }

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    BERGLITE_ASSIGN_OR_RETURN(const Document list, catalog_.ListNamespaces(parent, {}));
    return NamespacesOf(ToJson(list));
  }
  Result<std::vector<TableIdentifier>> ListTables(const Namespace& name_space) override {
    BERGLITE_ASSIGN_OR_RETURN(const Document list, catalog_.ListTables(name_space, {}));
    return IdentifiersOf(ToJson(list));
  }
  Result<std::vector<TableIdentifier>> ListViews(const Namespace& name_space) override {
    BERGLITE_ASSIGN_OR_RETURN(const Document list, catalog_.ListViews(name_space, {}));
    return IdentifiersOf(ToJson(list));
  }

  Result<Document> LoadNamespace(const Namespace& name_space) override {
    return catalog_.LoadNamespaceMetadata(name_space);
  }
  Result<Document> LoadTable(const TableIdentifier& table) override {
    BERGLITE_ASSIGN_OR_RETURN(LoadedTable loaded, catalog_.LoadTable(table, {}));
    return *std::move(loaded.body);
  }
  Result<Document> LoadView(const TableIdentifier& view) override {
    return catalog_.LoadView(view);
  }

  Status CreateNamespace(const Document& request) override {
    BERGLITE_RETURN_IF_ERROR(catalog_.CreateNamespace(request));
    return {};
  }
  Status RegisterTable(const Namespace& name_space, const Document& request) override {
    BERGLITE_RETURN_IF_ERROR(catalog_.RegisterTable(name_space, request));
    return {};
  }
  Status RegisterView(const Namespace& name_space, const Document& request) override {
    BERGLITE_RETURN_IF_ERROR(catalog_.RegisterView(name_space, request));
    return {};
  }
  Status CreateView(const Namespace& name_space, const Document& request) override {
    BERGLITE_RETURN_IF_ERROR(catalog_.CreateView(name_space, request));
    return {};
  }

 private:
  Catalog& catalog_;
  const std::string name_;
};

}  // namespace

std::unique_ptr<Endpoint> MakeLocalEndpoint(Catalog& catalog, std::string name) {
  return std::make_unique<LocalEndpoint>(catalog, std::move(name));
}

}  // namespace berglite::transfer
