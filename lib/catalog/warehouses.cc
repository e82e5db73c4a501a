// The catalogs of one file, opened when they are asked for.
#include "berglite/warehouses.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/catalog/names.h"
#include "lib/catalog/open.h"
#include "lib/storage/location.h"
#include "lib/store/store.h"

namespace berglite {
namespace catalog {
namespace {

using store::CatalogRecord;
using store::Reader;
using store::Writer;

// What stands in a path of the protocol where a name would.
constexpr std::array<std::string_view, 6> kWordsOfPaths = {"namespaces",   "tables", "views",
                                                           "transactions", "config", "oauth"};

// Clients put the name into their URLs, some of them as it is.
Status CheckNewName(const std::string& name) {
  bool is_word = std::find(kWordsOfPaths.begin(), kWordsOfPaths.end(), name) != kWordsOfPaths.end();
  if (!name.empty() && PathSegment(name) == name && !is_word) return {};
  return Error{ErrorKind::kInvalidArgument,
               "Invalid warehouse name '" + name +
                   "': expected letters, digits, '.', '_' and '-', no leading dot, at most 128 "
                   "bytes, and no word of the protocol such as namespaces"};
}

class SqliteWarehouses final : public Warehouses {
 public:
  // `store` is the one of the default catalog.
  SqliteWarehouses(std::unique_ptr<store::Store> store, std::unique_ptr<Catalog> default_catalog,
                   std::string path, CatalogOptions options)
      : store_(std::move(store)),
        default_(std::move(default_catalog)),
        path_(std::move(path)),
        options_(std::move(options)) {}

  Catalog& default_catalog() override { return *default_; }

  Result<std::vector<std::string>> Names() override {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, ListCatalogs(*store_));
    std::vector<std::string> names{default_->name()};
    for (CatalogRecord& record : records) {
      if (record.name != default_->name()) names.push_back(std::move(record.name));
    }
    return names;
  }

  Result<Catalog*> Find(const std::string& name) override {
    if (name == default_->name()) return default_.get();
    std::lock_guard lock(mutex_);
    if (auto open = others_.find(name); open != others_.end()) return open->second.get();
    BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, ListCatalogs(*store_));
    if (FindRecord(records, name) == nullptr) {
      return Error{ErrorKind::kNoSuchWarehouse, "Warehouse does not exist: " + name};
    }
    BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<Catalog> catalog,
                              OpenCatalog(store_->Sibling(name), path_, options_, Role::kOther));
    return (others_[name] = std::move(catalog)).get();
  }

  // Opens the catalogs that owe purges, so that these are carried out. One that cannot be opened
  // now owes them until it is.
  void ResumePurges() {
    std::vector<std::string> owing;
    Status read = store_->Read([&](Reader& reader) -> Status {
      BERGLITE_ASSIGN_OR_RETURN(owing, reader.ListOwingCatalogs());
      return {};
    });
    if (!read) return;
    for (const std::string& name : owing) (void)Find(name).has_value();
  }

  Counters ReadCounters() override {
    // They live as long as this; reading waits for the file, which Find must not.
    std::vector<Catalog*> others;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [name, catalog] : others_) others.push_back(catalog.get());
    }
    Counters sum = default_->ReadCounters();
    for (Catalog* const catalog : others) {
      const Counters other = catalog->ReadCounters();
      sum.commits += other.commits;
      sum.commit_conflicts += other.commit_conflicts;
      sum.commit_races_lost += other.commit_races_lost;
      sum.metadata_cache_hits += other.metadata_cache_hits;
      sum.metadata_cache_misses += other.metadata_cache_misses;
    }
    return sum;
  }

  Status Add(const std::string& name, const std::string& warehouse) override {
    BERGLITE_RETURN_IF_ERROR(CheckNewName(name));
    std::string location;
    if (!warehouse.empty()) {
      BERGLITE_ASSIGN_OR_RETURN(std::string path, storage::ResolveConfiguredPath(warehouse));
      location = storage::UriOf(path);
    }
    return store_->Write(
        [&](Writer& writer) -> Status {
          BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, writer.ListCatalogs());
          if (name == default_->name() || FindRecord(records, name) != nullptr) {
            return Error{ErrorKind::kAlreadyExists, "Warehouse already exists: " + name};
          }
          // The catalogs that are there already come first, so that the first one stays it.
          BERGLITE_RETURN_IF_ERROR(writer.RecordCatalog({default_->name(), ""}));
          for (const CatalogRecord& record : records) {
            BERGLITE_RETURN_IF_ERROR(writer.RecordCatalog(record));
          }
          return writer.RecordCatalog({name, location});
        },
        [&](Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::vector<CatalogRecord> records, reader.ListCatalogs());
          return FindRecord(records, name) != nullptr;
        });
  }

 private:
  const std::unique_ptr<store::Store> store_;
  const std::unique_ptr<Catalog> default_;
  const std::string path_;
  const CatalogOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Catalog>> others_;  // guarded by mutex_
};

}  // namespace
}  // namespace catalog

Result<std::unique_ptr<Warehouses>> Warehouses::Open(const std::string& path,
                                                     const CatalogOptions& options) {
  if (!options.warehouse.empty()) {
    BERGLITE_RETURN_IF_ERROR(storage::ResolveConfiguredPath(options.warehouse));
  }
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                            catalog::OpenStore(path, options, store::SeveralCatalogs::kTakeFirst));
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<Catalog> first,
                            catalog::OpenCatalog(store->Sibling(store->catalog_name()), path,
                                                 options, catalog::Role::kDefault));
  auto warehouses = std::make_unique<catalog::SqliteWarehouses>(std::move(store), std::move(first),
                                                                path, options);
  if (options.owed_purges == OwedPurges::kCarryOut) warehouses->ResumePurges();
  return std::unique_ptr<Warehouses>(std::move(warehouses));
}

}  // namespace berglite
