// Two catalogs with directories of their own, the second of which may use the first one's.
#pragma once

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "berglite/catalog.h"
#include "berglite/server.h"
#include "shim/transfer/json.h"
#include "shim/transfer/local_catalog.h"
#include "shim/transfer/remote_catalog.h"
#include "shim/transfer/transfer.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::transfer {

class TransferTest : public ::testing::Test {
 protected:
  static Document Doc(const Json& json) { return *ToDocument(json); }

  std::unique_ptr<Catalog> Open(const std::string& name) {
    const std::string all = directory_.path().string();
    auto catalog = Catalog::Open(directory_ / (name + ".db"),
                                 {.warehouse = directory_ / name, .allowed_locations = {all}});
    if (!catalog) throw std::runtime_error(catalog.error().message);
    return *std::move(catalog);
  }

  static void CreateNamespace(Catalog& catalog, const Namespace& name_space,
                              const Json& properties) {
    ASSERT_THAT(
        catalog.CreateNamespace(Doc({{"namespace", name_space}, {"properties", properties}})),
        testing::IsOk());
  }
  static void CreateTable(Catalog& catalog, const TableIdentifier& table) {
    const Json schema{
        {"type", "struct"},
        {"fields", {{{"id", 1}, {"name", "id"}, {"type", "long"}, {"required", false}}}}};
    ASSERT_THAT(
        catalog.CreateTable(table.name_space, Doc({{"name", table.name}, {"schema", schema}})),
        testing::IsOk());
  }
  static void CreateView(Catalog& catalog, const TableIdentifier& view, const std::string& sql) {
    const Json schema{
        {"type", "struct"},
        {"fields", {{{"id", 1}, {"name", "id"}, {"type", "long"}, {"required", false}}}}};
    const Json version{
        {"version-id", 1},
        {"timestamp-ms", 1},
        {"schema-id", 0},
        {"summary", {{"engine", "test"}}},
        {"default-namespace", view.name_space},
        {"representations", {{{"type", "sql"}, {"sql", sql}, {"dialect", "spark"}}}}};
    ASSERT_THAT(catalog.CreateView(view.name_space, Doc({{"name", view.name},
                                                         {"schema", schema},
                                                         {"view-version", version},
                                                         {"properties", {{"k", "v"}}}})),
                testing::IsOk());
  }
  // A commit that adds a snapshot.
  static void AddSnapshot(Catalog& catalog, const TableIdentifier& table, int64_t id) {
    const Json snapshot{{"snapshot-id", id},
                        {"sequence-number", id},
                        {"timestamp-ms", 4'000'000'000'000 + id},
                        {"manifest-list", "file:///none/" + std::to_string(id) + ".avro"},
                        {"summary", {{"operation", "append"}}}};
    const Json updates = Json::array({{{"action", "add-snapshot"}, {"snapshot", snapshot}}});
    ASSERT_THAT(
        catalog.UpdateTable(table, Doc({{"requirements", Json::array()}, {"updates", updates}})),
        testing::IsOk());
  }
  static Json Load(Catalog& catalog, const TableIdentifier& table) {
    const Result<LoadedTable> loaded = catalog.LoadTable(table, {});
    EXPECT_THAT(loaded, testing::IsOk());
    return loaded ? ToJson(*loaded->body) : Json();
  }

  // `from` as it is served to whoever asks.
  static std::unique_ptr<Server> Serve(Catalog& catalog) {
    auto server = Server::Start(catalog, {.port = 0, .workers = 2});
    if (!server) throw std::runtime_error(server.error().message);
    return *std::move(server);
  }
  static std::unique_ptr<Endpoint> Connect(const std::string& uri) {
    auto endpoint = ConnectToRemote({.uri = uri});
    if (!endpoint) throw std::runtime_error(endpoint.error().message);
    return *std::move(endpoint);
  }

  testing::TempDir directory_;
  std::unique_ptr<Catalog> from_ = Open("from");
  std::unique_ptr<Catalog> to_ = Open("to");
};

}  // namespace berglite::transfer
