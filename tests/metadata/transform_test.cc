#include "lib/metadata/transform.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::HasSubstr;

Field ColumnOf(const std::string& type) {
  Field field;
  field.id = 1;
  field.full_name = "c";
  field.type = type;
  return field;
}

TEST(CheckTransform, AppliesToTheTypesOfTheSpecificationAlone) {
  const std::vector<std::string> kTypes = {
      "boolean",   "int",           "long",         "float",
      "double",    "decimal(9, 2)", "date",         "time",
      "timestamp", "timestamptz",   "timestamp_ns", "timestamptz_ns",
      "string",    "uuid",          "fixed[4]",     "binary",
      "unknown",   "variant",       "geometry",     "geography(srid:4326)"};
  struct Case {
    const char* transform;
    std::vector<std::string> types;
  };
  const std::vector<std::string> kTimestamps = {"timestamp", "timestamptz", "timestamp_ns",
                                                "timestamptz_ns"};
  std::vector<std::string> dates = kTimestamps;
  dates.emplace_back("date");
  std::vector<std::string> comparable(kTypes.begin(), kTypes.end() - 3);
  for (const Case& c : {
           Case{"identity", comparable},
           Case{"void", kTypes},
           Case{"year", dates},
           Case{"month", dates},
           Case{"day", dates},
           Case{"hour", kTimestamps},
           Case{"bucket[16]",
                {"int", "long", "decimal(9, 2)", "date", "time", "timestamp", "timestamptz",
                 "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[4]", "binary"}},
           Case{"truncate[4]", {"int", "long", "decimal(9, 2)", "string", "binary"}},
           Case{"zorder", kTypes},
           Case{"identity[3]", kTypes},
       }) {
    for (const std::string& type : kTypes) {
      Status status = CheckTransform(c.transform, ColumnOf(type));
      if (std::find(c.types.begin(), c.types.end(), type) != c.types.end()) {
        EXPECT_THAT(status, IsOk()) << c.transform << " of " << type;
      } else {
        EXPECT_THAT(status, IsError(ErrorKind::kValidation, "Invalid source type " + type +
                                                                " for transform: " + c.transform +
                                                                " (source column c)"));
      }
    }
  }
}

TEST(CheckTransform, RefusesWidthsThatAreNotPositive) {
  for (const char* transform :
       {"bucket", "bucket[0]", "bucket[-1]", "bucket[]", "bucket[x]", "bucket[4",
        "bucket[99999999999]", "bucket[4]x", "truncate[0]", "truncate", "BUCKET[0]"}) {
    EXPECT_THAT(CheckTransform(transform, ColumnOf("int")),
                IsError(ErrorKind::kValidation,
                        HasSubstr("[N] with an integer N > 0, found " + std::string(transform))));
  }
  EXPECT_THAT(CheckTransform("bucket[2147483647]", ColumnOf("int")), IsOk());
  EXPECT_THAT(CheckTransform("", ColumnOf("int")),
              IsError(ErrorKind::kValidation, "Invalid transform: (empty)"));
}

TEST(CanonicalTransform, IsTheSpellingOfTheSpecification) {
  EXPECT_EQ(CanonicalTransform("Identity"), "identity");
  EXPECT_EQ(CanonicalTransform("BUCKET[016]"), "bucket[16]");
  EXPECT_EQ(CanonicalTransform("Truncate[4]"), "truncate[4]");
  EXPECT_EQ(CanonicalTransform("ZOrder[a, b]"), "ZOrder[a, b]");
  EXPECT_EQ(CanonicalTransform("Bucket[0]"), "Bucket[0]");
}

TEST(SourceIdOf, ReadsOneSourceInEitherForm) {
  EXPECT_THAT(SourceIdOf(Json::parse(R"({"source-id":3})")), IsOkAndHolds(3));
  EXPECT_THAT(SourceIdOf(Json::parse(R"({"source-ids":[3]})")), IsOkAndHolds(3));
  EXPECT_THAT(SourceIdOf(Json::parse(R"({"source-id":3,"source-ids":[3]})")), IsOkAndHolds(3));
}

TEST(SourceIdOf, RefusesSeveralOrNoneOrWhatIsNoInteger) {
  for (const char* field :
       {R"({"source-ids":[3,4]})", R"({"source-ids":[]})", R"({"source-id":3,"source-ids":[4]})"}) {
    EXPECT_THAT(SourceIdOf(Json::parse(field)),
                IsError(ErrorKind::kInvalidArgument, HasSubstr("expected one source column")));
  }
  EXPECT_THAT(SourceIdOf(Json::parse("{}")),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: source-id"));
  EXPECT_THAT(SourceIdOf(Json::parse(R"({"source-id":3.0})")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("source-id: expected a 32-bit")));
  EXPECT_THAT(SourceIdOf(Json::parse(R"({"source-ids":["3"]})")),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("source-ids: expected a 32-bit")));
}

TEST(WriteTerm, UsesTheFormThatEveryReaderKnows) {
  Json field = Json::parse(R"({"source-ids":[3],"transform":"Day","x-note":"kept"})");
  Result<Term> term = ReadTerm(field);
  ASSERT_THAT(term, IsOk());
  WriteTerm(*term, field);
  EXPECT_EQ(field, Json::parse(R"({"source-id":3,"transform":"day","x-note":"kept"})"));
}

}  // namespace
}  // namespace berglite::metadata
