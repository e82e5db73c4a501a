// A catalog in a fresh directory, and short ways to call it.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "berglite/catalog.h"
#include "lib/base/json.h"
#include "tests/support/fake_environment.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_dir.h"

namespace berglite::testing {

// A Document of JSON text that the test knows to be good.
inline Document Doc(const char* text) {
  Result<Document> document = Document::Parse(text);
  if (!document) {
    ADD_FAILURE() << document.error().message << ": " << text;
    return Document();
  }
  return *document;
}

inline Document Doc(const Json& json) { return DocumentAccess::FromDom(json); }

inline const Json& Dom(const Document& document) { return DocumentAccess::Dom(document); }
inline const Json& Dom(const LoadedTable& table) { return DocumentAccess::Dom(*table.body); }

// A CreateTableRequest with the columns `id` and `data`.
inline Json TableRequest(const std::string& name) {
  return Json{{"name", name},
              {"schema",
               {{"type", "struct"},
                {"fields",
                 {{{"id", 1}, {"name", "id"}, {"type", "long"}, {"required", true}},
                  {{"id", 2}, {"name", "data"}, {"type", "string"}, {"required", false}}}}}}};
}

// A CommitTableRequest that sets one property.
inline Json SetProperty(const std::string& key, const std::string& value) {
  return Json{{"requirements", Json::array()},
              {"updates", {{{"action", "set-properties"}, {"updates", {{key, value}}}}}}};
}

// The local path of a `file:///` location.
inline std::string PathOf(const std::string& location) { return location.substr(7); }

inline std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class CatalogTest : public ::testing::Test {
 protected:
  void SetUp() override { catalog_ = Open(); }

  // A further handle on the same file, as another process would have one.
  std::unique_ptr<Catalog> Open(const std::string& name = "",
                                const std::vector<std::string>& allowed_locations = {}) {
    Result<std::unique_ptr<Catalog>> catalog = Catalog::Open(
        directory_ / "lake.db",
        {.name = name, .allowed_locations = allowed_locations, .environment = &environment_});
    if (!catalog) {
      ADD_FAILURE() << catalog.error().message;
      return nullptr;
    }
    return *std::move(catalog);
  }

  void CreateNamespace(const Namespace& name_space) {
    ASSERT_THAT(catalog_->CreateNamespace(Doc(Json{{"namespace", name_space}})), IsOk());
  }

  // Creates the table in `ns`, which exists after this, and returns LoadTableResult.
  Json CreateTable(const std::string& name) {
    if (*catalog_->NamespaceExists({"ns"}) == false) CreateNamespace({"ns"});
    Result<LoadedTable> table = catalog_->CreateTable({"ns"}, Doc(TableRequest(name)));
    EXPECT_THAT(table, IsOk());
    return table ? Dom(*table) : Json();
  }

  Json Load(const std::string& name) {
    Result<LoadedTable> table = catalog_->LoadTable({{"ns"}, name}, {});
    EXPECT_THAT(table, IsOk());
    return table ? Dom(*table) : Json();
  }

  TempDir directory_;
  FakeEnvironment environment_;
  std::unique_ptr<Catalog> catalog_;
};

}  // namespace berglite::testing
