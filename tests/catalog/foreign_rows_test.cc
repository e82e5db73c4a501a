// Rows that other programs have written into the shared tables of a catalog file.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"
#include "tests/store/fixtures.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class ForeignRows : public CatalogTest {
 protected:
  // A row of `ns` with that type and location, both SQL expressions.
  void Insert(const std::string& name, const std::string& type, const std::string& location) {
    store::RawDatabase(directory_ / "lake.db")
        .Run(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, iceberg_type, "
            "metadata_location) VALUES ('default', 'ns', '" +
            name + "', " + type + ", " + location + ")");
  }

  Json Names(const Result<Document>& list) {
    EXPECT_THAT(list, IsOk());
    return list ? Dom(*list)["identifiers"] : Json();
  }
};

TEST_F(ForeignRows, OfAnUnknownKindTakeTheirNamesAndNoMore) {
  CreateTable("t");
  Insert("x", "'MVIEW'", "'file:///x'");
  EXPECT_EQ(Names(catalog_->ListTables({"ns"}, {})).size(), 1u);
  EXPECT_EQ(Names(catalog_->ListViews({"ns"}, {})).size(), 0u);
  EXPECT_THAT(catalog_->TableExists({{"ns"}, "x"}), IsOkAndHolds(false));
  EXPECT_THAT(catalog_->LoadTable({{"ns"}, "x"}, {}),
              IsError(ErrorKind::kNoSuchTable, HasSubstr("ns.x")));
  EXPECT_THAT(catalog_->LoadView({{"ns"}, "x"}),
              IsError(ErrorKind::kNoSuchView, HasSubstr("ns.x")));
  EXPECT_THAT(catalog_->DropTable({{"ns"}, "x"}),
              IsError(ErrorKind::kNoSuchTable, HasSubstr("ns.x")));
  const std::string taken = "Entry with same name already exists: ns.x";
  EXPECT_THAT(catalog_->CreateTable({"ns"}, Doc(TableRequest("x"))),
              IsError(ErrorKind::kAlreadyExists, taken));
  Json rename{{"source", {{"namespace", {"ns"}}, {"name", "t"}}},
              {"destination", {{"namespace", {"ns"}}, {"name", "x"}}}};
  EXPECT_THAT(
      catalog_->RenameTable(Doc(rename)),
      IsError(ErrorKind::kAlreadyExists, "Cannot rename ns.t to ns.x. Entry already exists"));
  EXPECT_THAT(catalog_->DropNamespace({"ns"}),
              IsError(ErrorKind::kNamespaceNotEmpty, HasSubstr("ns")));
}

TEST_F(ForeignRows, WithoutALocationAreTablesWhoseMetadataIsMissing) {
  CreateNamespace({"ns"});
  Insert("null", "NULL", "NULL");
  Insert("empty", "'TABLE'", "''");
  EXPECT_EQ(Names(catalog_->ListTables({"ns"}, {})).size(), 2u);
  for (const char* name : {"null", "empty"}) {
    EXPECT_THAT(catalog_->LoadTable({{"ns"}, name}, {}),
                IsError(ErrorKind::kNotFound, HasSubstr("names no metadata file")));
    EXPECT_THAT(catalog_->UpdateTable({{"ns"}, name}, Doc(SetProperty("k", "v"))),
                IsError(ErrorKind::kNotFound, HasSubstr("names no metadata file")));
    EXPECT_THAT(catalog_->DropTable({{"ns"}, name}), IsOk());
  }
}

}  // namespace
}  // namespace berglite::testing
