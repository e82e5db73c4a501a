#include "lib/metadata/type.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(CanonicalType, KeepsEveryTypeWithoutParameters) {
  for (const char* type : {"boolean", "int", "long", "float", "double", "date", "time", "timestamp",
                           "timestamptz", "timestamp_ns", "timestamptz_ns", "string", "uuid",
                           "binary", "variant", "unknown", "geometry", "geography"}) {
    EXPECT_THAT(CanonicalType(type), IsOkAndHolds(std::string(type)));
  }
}

TEST(CanonicalType, HasOneSpellingForEveryTypeWithParameters) {
  struct Case {
    const char* text;
    const char* canonical;
  };
  for (const Case& c : {
           Case{"decimal(9,2)", "decimal(9, 2)"},
           Case{"decimal( 9 ,  2 )", "decimal(9, 2)"},
           Case{"decimal(9, 2)", "decimal(9, 2)"},
           Case{"decimal(38, 38)", "decimal(38, 38)"},
           Case{"decimal(1,0)", "decimal(1, 0)"},
           Case{"fixed[16]", "fixed[16]"},
           Case{"fixed[ 16 ]", "fixed[16]"},
           Case{"geometry(srid:4326)", "geometry(srid:4326)"},
           Case{"geometry( srid:4326 )", "geometry(srid:4326)"},
           Case{"geometry(OGC:CRS84)", "geometry"},
           Case{"geography(OGC:CRS84)", "geography"},
           Case{"geography(OGC:CRS84, spherical)", "geography"},
           Case{"geography(srid:4326,karney)", "geography(srid:4326, karney)"},
           Case{"geography(OGC:CRS84,  vincenty)", "geography(OGC:CRS84, vincenty)"},
           Case{"geography(srid:4326, spherical)", "geography(srid:4326)"},
       }) {
    EXPECT_THAT(CanonicalType(c.text), IsOkAndHolds(std::string(c.canonical))) << c.text;
  }
}

TEST(CanonicalType, RefusesAnyOtherTextAndNamesIt) {
  for (const char* text : {"",
                           "int32",
                           "INT",
                           "struct",
                           "int ",
                           "decimal",
                           "decimal()",
                           "decimal(9)",
                           "decimal(0, 0)",
                           "decimal(39, 2)",
                           "decimal(9, 10)",
                           "decimal(9, -1)",
                           "decimal(9, 2, 1)",
                           "decimal(9, 2",
                           "decimal[9, 2]",
                           "decimal(99999999999, 2)",
                           "decimal(+9, 2)",
                           "fixed",
                           "fixed[]",
                           "fixed[-1]",
                           "fixed[x]",
                           "fixed(16)",
                           "geometry()",
                           "geography()",
                           "geography(,karney)",
                           "geography(srid:4326, flat)",
                           "geography(srid:4326,)",
                           "timestamp(6)"}) {
    EXPECT_THAT(CanonicalType(text),
                IsError(ErrorKind::kInvalidArgument,
                        "Cannot parse type string to primitive: " + std::string(text)));
  }
}

TEST(FormatVersionOfType, IsThreeForTheTypesOfVersionThree) {
  for (const char* type : {"timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry",
                           "geography", "geometry(srid:4326)", "geography(srid:4326, karney)"}) {
    EXPECT_EQ(FormatVersionOfType(type), 3) << type;
  }
  for (const char* type : {"int", "timestamp", "decimal(9, 2)", "fixed[16]", "struct", "list"}) {
    EXPECT_EQ(FormatVersionOfType(type), 1) << type;
  }
}

enum class Nulls { kAllowed, kRefused };

Json EmptyStruct() { return Json::parse(R"({"type":"struct","fields":[]})"); }

Json ListOfInt(Nulls nulls) {
  Json list = Json::parse(R"({"type":"list","element-id":2,"element":"int"})");
  list["element-required"] = nulls == Nulls::kRefused;
  return list;
}

Json MapOfInt() {
  return Json::parse(R"({"type":"map","key-id":2,"key":"string","value-id":3,"value":"int",
                         "value-required":true})");
}

struct Default {
  Json type;
  Json value;
};

TEST(CheckDefault, TakesSingleValuesOfTheType) {
  for (const Default& d : {
           Default{"boolean", true},
           Default{"int", -2147483648},
           Default{"long", 9223372036854775807},
           Default{"float", 1},
           Default{"double", 1.5},
           Default{"decimal(9,2)", "14.20"},
           Default{"decimal(9, 2)", "-1234567.20"},
           Default{"decimal(2, 2)", "0.20"},
           Default{"decimal(9, 0)", "123456789"},
           Default{"date", "2024-02-29"},
           Default{"date", "-0001-01-01"},
           Default{"date", "+10000-12-31"},
           Default{"time", "22:31:08"},
           Default{"time", "22:31:08.123456"},
           Default{"timestamp", "2017-11-16T22:31:08.123456"},
           Default{"timestamptz", "2017-11-16T22:31:08.1+00:00"},
           Default{"timestamp_ns", "2017-11-16T22:31:08.123456789"},
           Default{"timestamptz_ns", "2017-11-16T22:31:08.123456789+00:00"},
           Default{"string", ""},
           Default{"uuid", "eb26bdb1-a1d8-4aa6-990e-da940875492c"},
           Default{"fixed[2]", "00Ff"},
           Default{"binary", ""},
           Default{"binary", "0123AB"},
           Default{EmptyStruct(), Json::object()},
           Default{ListOfInt(Nulls::kAllowed), Json::parse("[1,null]")},
           Default{ListOfInt(Nulls::kRefused), Json::parse("[1,2]")},
           Default{MapOfInt(), Json::parse(R"({"keys":["a","b"],"values":[1,2]})")},
       }) {
    EXPECT_THAT(CheckDefault(d.type, d.value, "initial-default", "c"), IsOk())
        << d.type << " " << d.value;
  }
}

TEST(CheckDefault, RefusesOtherValuesAndNamesTheColumn) {
  for (const Default& d : {
           Default{"boolean", 1},
           Default{"int", 2147483648},
           Default{"int", 1.0},
           Default{"int", "1"},
           Default{"long", 9223372036854775808U},
           Default{"double", "1.5"},
           Default{"decimal(9, 2)", "14.2"},
           Default{"decimal(9, 2)", "12345678.20"},
           Default{"decimal(9, 2)", "14.20 "},
           Default{"decimal(9, 0)", "14."},
           Default{"decimal(9, 2)", ".20"},
           Default{"decimal(9, 2)", 14.20},
           Default{"date", "2023-02-29"},
           Default{"date", "2023-13-01"},
           Default{"date", "2023-00-01"},
           Default{"date", "2023-1-1"},
           Default{"date", "10000-01-01"},
           Default{"date", 19000},
           Default{"date", "2023-01-01x"},
           Default{"time", "24:00:00"},
           Default{"time", "22:60:00"},
           Default{"time", "22:31:08."},
           Default{"time", "22:31:08.1234567"},
           Default{"time", "22:31:0"},
           Default{"timestamp", "2017-11-16 22:31:08"},
           Default{"timestamp", "2017-11-16T22:31:08+00:00"},
           Default{"timestamptz", "2017-11-16T22:31:08"},
           Default{"timestamptz", "2017-11-16T22:31:08+01:00"},
           Default{"timestamp_ns", "2017-11-16T22:31:08.1234567890"},
           Default{"string", 5},
           Default{"uuid", "eb26bdb1a1d84aa6990eda940875492c"},
           Default{"fixed[2]", "00ff00"},
           Default{"binary", "0"},
           Default{"binary", "xy"},
           Default{EmptyStruct(), Json::parse(R"({"2":1})")},
           Default{EmptyStruct(), Json::array()},
           Default{ListOfInt(Nulls::kRefused), Json::parse("[1,null]")},
           Default{ListOfInt(Nulls::kAllowed), Json::parse(R"(["a"])")},
           Default{ListOfInt(Nulls::kAllowed), 1},
           Default{MapOfInt(), Json::parse(R"({"keys":["a","b"],"values":[1]})")},
           Default{MapOfInt(), Json::parse(R"({"keys":[null],"values":[1]})")},
           Default{MapOfInt(), Json::parse(R"({"a":1})")},
       }) {
    EXPECT_THAT(CheckDefault(d.type, d.value, "initial-default", "c"),
                IsError(ErrorKind::kValidation,
                        AllOf(StartsWith("Invalid initial-default for c: expected a value of type"),
                              EndsWith(", found " + d.value.dump()))))
        << d.type << " " << d.value;
  }
}

TEST(CheckDefault, MustBeNullForTypesWithoutSingleValues) {
  for (const char* type : {"variant", "unknown", "geometry", "geography(srid:4326, karney)"}) {
    EXPECT_THAT(CheckDefault(type, "x", "write-default", "a.b"),
                IsError(ErrorKind::kValidation, "Invalid write-default for a.b: a field of type " +
                                                    std::string(type) +
                                                    " must default to null, found \"x\""));
  }
}

}  // namespace
}  // namespace berglite::metadata
