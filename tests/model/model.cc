#include "tests/model/model.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berglite::testing {
namespace {

ErrorKind NoSuch(ModelKind kind) {
  return kind == ModelKind::kTable ? ErrorKind::kNoSuchTable : ErrorKind::kNoSuchView;
}

}  // namespace

Outcome Model::CreateNamespace(const Namespace& name_space) {
  if (namespaces.contains(name_space)) return ErrorKind::kAlreadyExists;
  for (size_t levels = 1; levels <= name_space.size(); ++levels) {
    namespaces[Namespace(name_space.begin(), name_space.begin() + static_cast<ptrdiff_t>(levels))];
  }
  return std::nullopt;
}

Outcome Model::DropNamespace(const Namespace& name_space) {
  if (!namespaces.contains(name_space)) return ErrorKind::kNoSuchNamespace;
  auto is_inside = [&](const auto& entry) { return entry.first.first == name_space; };
  const bool has_children = std::any_of(namespaces.begin(), namespaces.end(), [&](const auto& n) {
    return n.first.size() > name_space.size() &&
           std::equal(name_space.begin(), name_space.end(), n.first.begin());
  });
  if (has_children || std::any_of(tables.begin(), tables.end(), is_inside) ||
      std::any_of(views.begin(), views.end(), is_inside)) {
    return ErrorKind::kNamespaceNotEmpty;
  }
  namespaces.erase(name_space);
  return std::nullopt;
}

Outcome Model::SetNamespaceProperty(const Namespace& name_space, const std::string& key,
                                    const std::string& value) {
  auto found = namespaces.find(name_space);
  if (found == namespaces.end()) return ErrorKind::kNoSuchNamespace;
  found->second[key] = value;
  return std::nullopt;
}

Outcome Model::Create(ModelKind kind, const Name& name, const std::string& uuid) {
  if (!namespaces.contains(name.first)) return ErrorKind::kNoSuchNamespace;
  if (tables.contains(name) || views.contains(name)) return ErrorKind::kAlreadyExists;
  entries(kind)[name] = ModelEntry{.uuid = uuid};
  return std::nullopt;
}

Outcome Model::Commit(ModelKind kind, const std::vector<Name>& names, const std::string& key,
                      const std::string& value) {
  Entries& all = entries(kind);
  for (const Name& name : names) {
    if (!all.contains(name)) return NoSuch(kind);
  }
  for (const Name& name : names) {
    all[name].properties[key] = value;
    ++all[name].version;
  }
  return std::nullopt;
}

Outcome Model::Drop(ModelKind kind, const Name& name) {
  if (entries(kind).erase(name) == 0) return NoSuch(kind);
  return std::nullopt;
}

// A table's source is looked for first and a view's last, as Iceberg's own catalogs do.
Outcome Model::Rename(ModelKind kind, const Name& from, const Name& to) {
  Entries& all = entries(kind);
  const bool has_namespace = namespaces.contains(to.first);
  if (kind == ModelKind::kView && !has_namespace) return ErrorKind::kNoSuchNamespace;
  if (!all.contains(from)) return NoSuch(kind);
  if (!has_namespace) return ErrorKind::kNoSuchNamespace;
  if (from == to) return std::nullopt;
  if (tables.contains(to) || views.contains(to)) return ErrorKind::kAlreadyExists;
  auto node = all.extract(from);
  node.key() = to;
  all.insert(std::move(node));
  return std::nullopt;
}

void PrintTo(const Model& model, std::ostream* out) {
  *out << "namespaces " << ::testing::PrintToString(model.namespaces);
  for (const Model::Entries* entries : {&model.tables, &model.views}) {
    *out << "\nentries";
    for (const auto& [name, entry] : *entries) {
      *out << " " << ::testing::PrintToString(name) << ": " << entry.uuid << " v" << entry.version
           << " " << ::testing::PrintToString(entry.properties);
    }
  }
}

}  // namespace berglite::testing
