#include "lib/metadata/requirement.h"

#include "tests/metadata/tables.h"

namespace berglite::metadata {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;

Status Check(const Json& table, const Json& requirement) {
  return CheckTableRequirements(Json::array({requirement}), Table(table));
}

TEST(TableRequirements, AreTheEightOfTheSpecification) {
  EXPECT_THAT(TableRequirementTypes(),
              ElementsAre("assert-create", "assert-table-uuid", "assert-ref-snapshot-id",
                          "assert-last-assigned-field-id", "assert-current-schema-id",
                          "assert-last-assigned-partition-id", "assert-default-spec-id",
                          "assert-default-sort-order-id"));
}

TEST(TableRequirements, RefuseToCreateATableThatExists) {
  EXPECT_THAT(Check(BaseJson(), {{"type", "assert-create"}}),
              IsError(ErrorKind::kCommitFailed, "Requirement failed: table already exists"));
}

TEST(TableRequirements, CompareUuidsInAnyCase) {
  Json upper = {{"type", "assert-table-uuid"}, {"uuid", "9C12D441-03FE-4693-9A96-A0705DDF69C1"}};
  EXPECT_THAT(Check(BaseJson(), upper), IsOk());
  EXPECT_THAT(Check(BaseJson(), {{"type", "assert-table-uuid"}, {"uuid", "other"}}),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: UUID does not match: expected "
                      "9c12d441-03fe-4693-9a96-a0705ddf69c1 != other"));
  EXPECT_THAT(Check(Version1Json(), {{"type", "assert-table-uuid"}, {"uuid", "other"}}),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: UUID does not match: expected null != other"));
}

TEST(TableRequirements, CompareTheSnapshotOfAReference) {
  auto ref = [](const char* name, const Json& id) -> Json {
    return {{"type", "assert-ref-snapshot-id"}, {"ref", name}, {"snapshot-id", id}};
  };
  Json table = SnapshotsJson();
  EXPECT_THAT(Check(table, ref("main", 3)), IsOk());
  EXPECT_THAT(Check(table, ref("old", 2)), IsOk());
  EXPECT_THAT(Check(table, ref("main", 1)),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: branch main has changed: expected id 1 != 3"));
  EXPECT_THAT(Check(table, ref("old", -1)),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: tag old has changed: expected id -1 != 2"));
  EXPECT_THAT(Check(table, ref("gone", 4)),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: branch or tag gone is missing, expected 4"));
  EXPECT_THAT(Check(BaseJson(), ref("main", -1)),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: branch or tag main is missing, expected -1"));
}

TEST(TableRequirements, TakeANullOrMissingSnapshotForNoReference) {
  Json null_id = {{"type", "assert-ref-snapshot-id"}, {"ref", "main"}, {"snapshot-id", nullptr}};
  Json no_id = {{"type", "assert-ref-snapshot-id"}, {"ref", "main"}};
  for (const Json& requirement : {null_id, no_id}) {
    EXPECT_THAT(Check(BaseJson(), requirement), IsOk());
    EXPECT_THAT(Check(SnapshotsJson(), requirement),
                IsError(ErrorKind::kCommitFailed,
                        "Requirement failed: branch main was created concurrently"));
  }
}

TEST(TableRequirements, FindMainInAnOlderDocument) {
  Json requirement = {{"type", "assert-ref-snapshot-id"}, {"ref", "main"}, {"snapshot-id", 7}};
  EXPECT_THAT(Check(Version1Json(), requirement), IsOk());
}

struct IdCase {
  const char* type;
  const char* key;
  int current;
  int in_version1;
  const char* failure;
};

TEST(TableRequirements, CompareIds) {
  const IdCase cases[] = {
      {"assert-last-assigned-field-id", "last-assigned-field-id", 2, 2,
       "Requirement failed: last assigned field id changed: expected id 77 != 2"},
      {"assert-current-schema-id", "current-schema-id", 0, 0,
       "Requirement failed: current schema changed: expected id 77 != 0"},
      {"assert-last-assigned-partition-id", "last-assigned-partition-id", 999, 1000,
       "Requirement failed: last assigned partition id changed: expected id 77 != 999"},
      {"assert-default-spec-id", "default-spec-id", 0, 0,
       "Requirement failed: default partition spec changed: expected id 77 != 0"},
      {"assert-default-sort-order-id", "default-sort-order-id", 0, 0,
       "Requirement failed: default sort order changed: expected id 77 != 0"},
  };
  for (const IdCase& c : cases) {
    EXPECT_THAT(Check(BaseJson(), {{"type", c.type}, {c.key, c.current}}), IsOk()) << c.type;
    EXPECT_THAT(Check(Version1Json(), {{"type", c.type}, {c.key, c.in_version1}}), IsOk())
        << c.type;
    EXPECT_THAT(Check(BaseJson(), {{"type", c.type}, {c.key, 77}}),
                IsError(ErrorKind::kCommitFailed, c.failure));
    EXPECT_THAT(
        Check(BaseJson(), {{"type", c.type}}),
        IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: " + std::string(c.key)));
  }
}

TEST(TableRequirements, AreKnownInAnyCase) {
  EXPECT_THAT(Check(BaseJson(), {{"type", "Assert-Current-SCHEMA-Id"}, {"current-schema-id", 0}}),
              IsOk());
}

TEST(TableRequirements, RefuseUnknownTypesBeforeAllElse) {
  Json requirements = Json::array({{{"type", "assert-create"}}, {{"type", "assert-foo"}}});
  EXPECT_THAT(CheckTableRequirements(requirements, Table(BaseJson())),
              IsError(ErrorKind::kInvalidArgument,
                      "Unrecognized update requirement. Cannot convert to json: assert-foo"));
  EXPECT_THAT(AssertsCreate(requirements),
              IsError(ErrorKind::kInvalidArgument,
                      "Unrecognized update requirement. Cannot convert to json: assert-foo"));
}

TEST(TableRequirements, RefuseWhatCannotBeReadEvenAfterAFailure) {
  Json requirements = Json::array({{{"type", "assert-default-spec-id"}, {"default-spec-id", 5}},
                                   {{"type", "assert-default-spec-id"}, {"default-spec-id", "0"}}});
  EXPECT_THAT(CheckTableRequirements(requirements, Table(BaseJson())),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse default-spec-id: expected a 32-bit integer, found a string"));
}

TEST(TableRequirements, TellTheFirstFailure) {
  Json requirements = Json::array({{{"type", "assert-current-schema-id"}, {"current-schema-id", 0}},
                                   {{"type", "assert-default-spec-id"}, {"default-spec-id", 5}},
                                   {{"type", "assert-create"}}});
  EXPECT_THAT(CheckTableRequirements(requirements, Table(BaseJson())),
              IsError(ErrorKind::kCommitFailed,
                      "Requirement failed: default partition spec changed: expected id 5 != 0"));
}

TEST(TableRequirements, RefuseThatOfViews) {
  EXPECT_THAT(Check(BaseJson(), {{"type", "assert-view-uuid"}, {"uuid", "u"}}),
              IsError(ErrorKind::kValidation, "Cannot validate assert-view-uuid against a table"));
}

TEST(TableRequirements, RefuseWhatIsNoRequirement) {
  TableMetadata table = Table(BaseJson());
  EXPECT_THAT(CheckTableRequirements(Json::object(), table),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse requirements: expected an array, found an object"));
  EXPECT_THAT(CheckTableRequirements(Json::array({nullptr}), table),
              IsError(ErrorKind::kInvalidArgument,
                      "Cannot parse requirement: expected an object, found null"));
  EXPECT_THAT(CheckTableRequirements(Json::array({Json::object()}), table),
              IsError(ErrorKind::kInvalidArgument, "Cannot parse missing field: type"));
  EXPECT_THAT(CheckTableRequirements(Json::array(), table), IsOk());
}

TEST(AssertsCreate, IsTrueForAssertCreateAlone) {
  Json create = {{"type", "ASSERT-CREATE"}};
  Json uuid = {{"type", "assert-table-uuid"}, {"uuid", "u"}};
  EXPECT_THAT(AssertsCreate(Json::array()), IsOkAndHolds(false));
  EXPECT_THAT(AssertsCreate(Json::array({uuid})), IsOkAndHolds(false));
  EXPECT_THAT(AssertsCreate(Json::array({create})), IsOkAndHolds(true));
  EXPECT_THAT(AssertsCreate(Json::array({uuid, create})),
              IsError(ErrorKind::kInvalidArgument,
                      "Invalid create requirements: [assert-table-uuid, assert-create]"));
}

}  // namespace
}  // namespace berglite::metadata
