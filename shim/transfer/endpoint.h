// Endpoint: one side of a transfer, a catalog whose names and pointers are read or registered.
//
// Documents have the shapes of the Iceberg REST specification, whatever the catalog is.
//
// Threads: one at a time.
#pragma once

#include <string>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/document.h>
#include <berglite/result.h>

namespace berglite::transfer {

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // What people call it: a URI or a file.
  virtual std::string name() const = 0;
  // Whether RegisterView is there; of other catalogs, many cannot.
  virtual bool CanRegisterViews() const = 0;

  // The direct children, all of them. Errors: kNoSuchNamespace.
  virtual Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
  virtual Result<std::vector<TableIdentifier>> ListTables(const Namespace& name_space) = 0;
  // None where the catalog knows no views.
  virtual Result<std::vector<TableIdentifier>> ListViews(const Namespace& name_space) = 0;

  // GetNamespaceResponse, LoadTableResult, LoadViewResult. Errors: kNoSuchNamespace, kNoSuchTable,
  // kNoSuchView.
  virtual Result<Document> LoadNamespace(const Namespace& name_space) = 0;
  virtual Result<Document> LoadTable(const TableIdentifier& table) = 0;
  virtual Result<Document> LoadView(const TableIdentifier& view) = 0;

  // Take the requests of the specification. Errors: kAlreadyExists and whatever the catalog says.
  virtual Status CreateNamespace(const Document& request) = 0;
  virtual Status RegisterTable(const Namespace& name_space, const Document& request) = 0;
  virtual Status RegisterView(const Namespace& name_space, const Document& request) = 0;
  virtual Status CreateView(const Namespace& name_space, const Document& request) = 0;
};

}  // namespace berglite::transfer
