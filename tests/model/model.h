// Model: what a catalog is to its users, in plain maps.
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "berglite/catalog.h"

namespace berglite::testing {

using Properties = std::map<std::string, std::string>;

// A table or view as clients see it. Its version is the number of its metadata file.
struct ModelEntry {
  std::string uuid;
  int version = 0;
  Properties properties = {};
  bool operator==(const ModelEntry&) const = default;
};

// nullopt: success.
using Outcome = std::optional<ErrorKind>;

enum class ModelKind { kTable, kView };

class Model {
 public:
  using Name = std::pair<Namespace, std::string>;
  using Entries = std::map<Name, ModelEntry>;

  Outcome CreateNamespace(const Namespace& name_space);
  Outcome DropNamespace(const Namespace& name_space);
  Outcome SetNamespaceProperty(const Namespace& name_space, const std::string& key,
                               const std::string& value);
  // `uuid` is the one that the catalog has chosen; without meaning where this fails.
  Outcome Create(ModelKind kind, const Name& name, const std::string& uuid);
  // Sets a property of each; all or none.
  Outcome Commit(ModelKind kind, const std::vector<Name>& names, const std::string& key,
                 const std::string& value);
  Outcome Drop(ModelKind kind, const Name& name);
  Outcome Rename(ModelKind kind, const Name& from, const Name& to);

  bool operator==(const Model&) const = default;

  Entries& entries(ModelKind kind) { return kind == ModelKind::kTable ? tables : views; }

  std::map<Namespace, Properties> namespaces;
  Entries tables;
  Entries views;
};

void PrintTo(const Model& model, std::ostream* out);

}  // namespace berglite::testing
