#include "lib/catalog/takeover.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "lib/catalog/open.h"
#include "lib/storage/location.h"

namespace berglite::catalog {
namespace {

using std::filesystem::path;
using store::CatalogRecord;
using store::EntryRow;
using store::Inventory;
using store::Reader;
using store::Writer;

// What is above the directories of the namespace; empty where `directory` is not one of that.
path AboveNamespace(path directory, const EntryRow& entry) {
  const std::string& joined = entry.namespace_text;
  if (directory.filename() == joined || directory.filename() == joined + ".db") {
    return directory.parent_path();
  }
  const Namespace& levels = *entry.name_space;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    if (directory.filename() != *level) return {};
    directory = directory.parent_path();
  }
  return directory;
}

// Where the table would have been put in a warehouse: `<that>/<namespace>/<table>/metadata/<file>`.
path WarehouseOf(const EntryRow& entry) {
  const Result<std::string> file = storage::LocalPathOf(entry.metadata_location);
  if (!file || !entry.name_space) return {};
  const path metadata = path(*file).parent_path();
  const path table = metadata.parent_path();
  // Some put an identifier behind the name.
  bool is_named_so = table.filename().string().starts_with(entry.name);
  if (metadata.filename() != "metadata" || !is_named_so) return {};
  path warehouse = AboveNamespace(table.parent_path(), entry);
  return warehouse == warehouse.root_path() ? path() : warehouse;
}

Result<std::string> FindLocation(store::Store& store) {
  Inventory inventory;
  BERGLITE_RETURN_IF_ERROR(store.Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(inventory, reader.TakeInventory());
    return {};
  }));
  const std::string warehouse = WarehouseOfTables(inventory.entries);
  std::error_code ignored;
  if (!std::filesystem::is_directory(warehouse, ignored)) return std::string();
  return storage::UriOf(warehouse);
}

}  // namespace

std::string WarehouseOfTables(const std::vector<EntryRow>& entries) {
  std::map<path, size_t> counts;
  for (const EntryRow& entry : entries) {
    if (path warehouse = WarehouseOf(entry); !warehouse.empty()) ++counts[std::move(warehouse)];
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first.string();
}

Status TakeOver(store::Store& store) {
  BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, ListCatalogs(store));
  for (CatalogRecord& record : records) {
    BERGLITE_ASSIGN_OR_RETURN(record.location, FindLocation(*store.Sibling(record.name)));
  }
  auto is_found = [](const CatalogRecord& record) { return !record.location.empty(); };
  if (std::none_of(records.begin(), records.end(), is_found)) return {};
  return store.Write(
      [&](Writer& writer) -> Status {
        // All of them, so that the first one stays it.
        for (const CatalogRecord& record : records) {
          BERGLITE_RETURN_IF_ERROR(writer.RecordCatalog(record));
        }
        return {};
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> found, reader.ListCatalogs());
        return std::any_of(found.begin(), found.end(), is_found);
      });
}

}  // namespace berglite::catalog
