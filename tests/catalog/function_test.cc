// Functions: registered through the library, read by clients.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"

namespace berglite::testing {
namespace {

using ::testing::HasSubstr;

class FunctionTest : public CatalogTest {
 protected:
  // Writes a function's metadata, or `text`, into the warehouse and returns the location.
  std::string WriteMetadata(const std::string& name, const std::string& text = "") {
    std::string location = catalog_->warehouse() + "/" + name;
    std::ofstream(PathOf(location)) << (text.empty() ? Metadata().dump() : text);
    return location;
  }
  static Json Metadata() {
    return Json{{"function-uuid", "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2"},
                {"format-version", 1},
                {"definitions", Json::array()},
                {"definition-log", Json::array()}};
  }
  Result<Document> Register(const std::string& name, const std::string& location,
                            const RegisterFunctionOptions& options = {}) {
    return catalog_->RegisterFunction({{"ns"}, name}, location, options);
  }
};

TEST_F(FunctionTest, IsLoadedAsRegistered) {
  CreateNamespace({"ns"});
  std::string location = WriteMetadata("f.json");
  auto registered = Register("f", location);
  ASSERT_THAT(registered, IsOk());
  Json expected{{"metadata-location", location}, {"metadata", Metadata()}};
  EXPECT_EQ(Dom(*registered), expected);
  auto loaded = catalog_->LoadFunction({{"ns"}, "f"});
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(Dom(*loaded), expected);
}

TEST_F(FunctionTest, HasANameApartFromThatOfATable) {
  CreateTable("f");
  EXPECT_THAT(Register("f", WriteMetadata("f.json")), IsOk());
}

TEST_F(FunctionTest, IsReplacedOnlyWhereThatIsAskedFor) {
  CreateNamespace({"ns"});
  ASSERT_THAT(Register("f", WriteMetadata("1.json")), IsOk());
  std::string second = WriteMetadata("2.json");
  EXPECT_THAT(Register("f", second),
              IsError(ErrorKind::kAlreadyExists, "Function already exists: ns.f"));
  ASSERT_THAT(Register("f", second, {.overwrite = true}), IsOk());
  EXPECT_EQ(Dom(*catalog_->LoadFunction({{"ns"}, "f"}))["metadata-location"], second);
}

TEST_F(FunctionTest, IsRegisteredWithGoodMetadataOfTheWarehouseOnly) {
  std::string location = WriteMetadata("f.json");
  EXPECT_THAT(Register("f", location),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: ns"));
  CreateNamespace({"ns"});
  std::string missing = catalog_->warehouse() + "/missing.json";
  EXPECT_THAT(Register("f", missing),
              IsError(ErrorKind::kNotFound, "Failed to open input stream for file: " + missing));
  EXPECT_THAT(Register("f", "file:///etc/passwd"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("outside of the allowed locations")));
  std::string bad = WriteMetadata("bad.json", R"({"format-version":1})");
  EXPECT_THAT(Register("f", bad),
              IsError(ErrorKind::kValidation, "Invalid function metadata in " + bad +
                                                  ": Cannot parse missing field: function-uuid"));
  EXPECT_THAT(catalog_->LoadFunction({{"ns"}, "f"}),
              IsError(ErrorKind::kNoSuchFunction, "Function does not exist: ns.f"));
}

TEST_F(FunctionTest, ThatIsNotThereIsTold) {
  EXPECT_THAT(catalog_->LoadFunction({{"ns"}, "f"}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: ns"));
  EXPECT_THAT(catalog_->ListFunctions({"ns"}, {}),
              IsError(ErrorKind::kNoSuchNamespace, "Namespace does not exist: ns"));
  CreateNamespace({"ns"});
  EXPECT_THAT(catalog_->DropFunction({{"ns"}, "f"}),
              IsError(ErrorKind::kNoSuchFunction, "Function does not exist: ns.f"));
  std::string location = WriteMetadata("f.json");
  ASSERT_THAT(Register("f", location), IsOk());
  std::filesystem::remove(PathOf(location));
  EXPECT_THAT(catalog_->LoadFunction({{"ns"}, "f"}),
              IsError(ErrorKind::kNotFound, HasSubstr(location)));
  WriteMetadata("f.json", "no JSON");
  EXPECT_THAT(catalog_->LoadFunction({{"ns"}, "f"}),
              IsError(ErrorKind::kInternal, HasSubstr(location)));
}

TEST_F(FunctionTest, IsListedAsAnArrayOfNames) {
  CreateNamespace({"ns"});
  std::string location = WriteMetadata("f.json");
  for (const char* name : {"h", "f", "g"}) ASSERT_THAT(Register(name, location), IsOk());
  auto first = catalog_->ListFunctions({"ns"}, {.page_token = "", .page_size = 2});
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(Dom(*first)["identifiers"], Json::parse(R"([["ns","f"],["ns","g"]])"));
  auto second = catalog_->ListFunctions(
      {"ns"}, {.page_token = Dom(*first)["next-page-token"], .page_size = 2});
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(Dom(*second), Json::parse(R"({"identifiers":[["ns","h"]],"next-page-token":null})"));
}

TEST_F(FunctionTest, KeepsItsNamespaceFromBeingDropped) {
  CreateNamespace({"ns"});
  ASSERT_THAT(Register("f", WriteMetadata("f.json")), IsOk());
  EXPECT_THAT(
      catalog_->DropNamespace({"ns"}),
      IsError(ErrorKind::kNamespaceNotEmpty, "Namespace ns is not empty. Contains 1 function(s)."));
  ASSERT_THAT(catalog_->DropFunction({{"ns"}, "f"}), IsOk());
  EXPECT_TRUE(std::filesystem::exists(PathOf(catalog_->warehouse()) + "/f.json"));
  EXPECT_THAT(catalog_->DropNamespace({"ns"}), IsOk());
}

}  // namespace
}  // namespace berglite::testing
