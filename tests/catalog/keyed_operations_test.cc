// Every operation that changes the catalog, sent again under its idempotency key: it has the answer
// of the first time and is not carried out again, whoever asks.
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/catalog/fixture.h"
#include "tests/support/forwarding_file_io.h"

namespace berglite::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Keys that differ in their last digits.
MutationOptions Key(int number) {
  std::string text = std::to_string(number);
  return {.idempotency_key =
              "017f22e2-79b0-7cc3-98c4-" + std::string(12 - text.size(), '0') + text};
}

// An outcome as a text: the answer, or the error.
std::string Show(const Error& error) {
  return "error " + std::to_string(static_cast<int>(error.kind)) + ": " + error.message;
}
std::string Show(const Status& status) { return status ? "done" : Show(status.error()); }
std::string Show(const Result<Document>& result) {
  return result ? result->text() : Show(result.error());
}
std::string Show(const Result<LoadedTable>& result) {
  return result ? result->etag + result->body->text() : Show(result.error());
}

struct Operation {
  const char* name;
  // Brings about what it works on, in a catalog with the namespace `ns` and its table `t`.
  std::function<void(Catalog&)> prepare;
  std::function<std::string(Catalog&, const MutationOptions&)> call;
};

Json Identifier(const char* name) {
  return Json{{"namespace", Json::array({"ns"})}, {"name", name}};
}

Json AddColumn(const char* name) {
  Json schema = TableRequest("t")["schema"];
  schema["schema-id"] = 1;
  schema["fields"].push_back({{"id", 3}, {"name", name}, {"type", "long"}, {"required", false}});
  return Json{{"requirements", {{{"type", "assert-current-schema-id"}, {"current-schema-id", 0}}}},
              {"updates",
               {{{"action", "add-schema"}, {"schema", schema}},
                {{"action", "set-current-schema"}, {"schema-id", -1}}}}};
}

Json ViewVersion(const char* sql) {
  const Json representation{{"type", "sql"}, {"sql", sql}, {"dialect", "spark"}};
  return Json{{"version-id", 1},
              {"timestamp-ms", 1'600'000'000'000},
              {"schema-id", 0},
              {"summary", Json::object()},
              {"default-namespace", Json::array({"ns"})},
              {"representations", Json::array({representation})}};
}

Json ViewRequest(const char* name) {
  return Json{{"name", name},
              {"schema", TableRequest("t")["schema"]},
              {"view-version", ViewVersion("select 1")},
              {"properties", Json::object()}};
}

Json ReplaceView(const char* sql) {
  return Json{{"requirements", Json::array()},
              {"updates",
               {{{"action", "add-view-version"}, {"view-version", ViewVersion(sql)}},
                {{"action", "set-current-view-version"}, {"view-version-id", -1}}}}};
}

// A commit that creates a table, as Java ends a create transaction.
Json CreateByUpdates(const std::string& location) {
  Json updates = Json::array();
  updates.push_back({{"action", "assign-uuid"}, {"uuid", *Key(99).idempotency_key}});
  updates.push_back({{"action", "add-schema"}, {"schema", TableRequest("new")["schema"]}});
  updates.push_back({{"action", "set-current-schema"}, {"schema-id", -1}});
  updates.push_back({{"action", "add-spec"}, {"spec", {{"fields", Json::array()}}}});
  updates.push_back({{"action", "set-default-spec"}, {"spec-id", -1}});
  const Json order{{"order-id", 0}, {"fields", Json::array()}};
  updates.push_back({{"action", "add-sort-order"}, {"sort-order", order}});
  updates.push_back({{"action", "set-default-sort-order"}, {"sort-order-id", -1}});
  updates.push_back({{"action", "set-location"}, {"location", location}});
  return Json{{"requirements", Json::array({Json{{"type", "assert-create"}}})},
              {"updates", updates}};
}

void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

void PrepareNothing(Catalog&) {}

void MakeView(Catalog& catalog) {
  if (*catalog.ViewExists({{"ns"}, "v"})) return;
  EXPECT_THAT(catalog.CreateView({"ns"}, Doc(ViewRequest("v"))), IsOk());
}

std::vector<Operation> NamespaceOperations() {
  return {
      {"CreateNamespace", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.CreateNamespace(
             Doc(R"({"namespace":["a","b"],"properties":{"k":"v"}})"), options));
       }},
      {"DropNamespace",
       [](Catalog& catalog) {
         EXPECT_THAT(catalog.CreateNamespace(Doc(R"({"namespace":["a"]})")), IsOk());
       },
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.DropNamespace({"a"}, options));
       }},
      {"UpdateProperties",
       [](Catalog& catalog) {
         EXPECT_THAT(catalog.UpdateProperties({"ns"}, Doc(R"({"updates":{"x":"1"}})")), IsOk());
       },
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.UpdateProperties(
             {"ns"}, Doc(R"({"removals":["x","y"],"updates":{"z":"1"}})"), options));
       }},
  };
}

std::vector<Operation> TableOperations() {
  return {
      {"CreateTable", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.CreateTable({"ns"}, Doc(TableRequest("new")), options));
       }},
      {"CreateTable, staged", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         Json request = TableRequest("new");
         request["stage-create"] = true;
         return Show(catalog.CreateTable({"ns"}, Doc(request), options));
       }},
      {"RegisterTable",
       [](Catalog& catalog) {
         if (*catalog.TableExists({{"ns"}, "source"})) return;
         EXPECT_THAT(catalog.CreateTable({"ns"}, Doc(TableRequest("source"))), IsOk());
       },
       [](Catalog& catalog, const MutationOptions& options) {
         auto table = catalog.LoadTable({{"ns"}, "source"}, {});
         Json request{{"name", "new"}, {"metadata-location", Dom(*table)["metadata-location"]}};
         return Show(catalog.RegisterTable({"ns"}, Doc(request), options));
       }},
      {"UpdateTable", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.UpdateTable({{"ns"}, "t"}, Doc(AddColumn("extra")), options));
       }},
      {"UpdateTable, which creates", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         const Json request = CreateByUpdates(catalog.warehouse() + "/ns/new");
         return Show(catalog.UpdateTable({{"ns"}, "new"}, Doc(request), options));
       }},
      {"DropTable", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.DropTable({{"ns"}, "t"}, {}, options));
       }},
      {"DropTable, with a purge", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.DropTable({{"ns"}, "t"}, {.purge_requested = true}, options));
       }},
      {"RenameTable", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         Json request{{"source", Identifier("t")}, {"destination", Identifier("new")}};
         return Show(catalog.RenameTable(Doc(request), options));
       }},
      {"CommitTransaction",
       [](Catalog& catalog) {
         EXPECT_THAT(catalog.CreateTable({"ns"}, Doc(TableRequest("u"))), IsOk());
       },
       [](Catalog& catalog, const MutationOptions& options) {
         Json changes = Json::array();
         for (const char* name : {"t", "u"}) {
           changes.push_back(AddColumn("extra"));
           changes.back()["identifier"] = Identifier(name);
         }
         return Show(catalog.CommitTransaction(Doc(Json{{"table-changes", changes}}), options));
       }},
  };
}

std::vector<Operation> ViewOperations() {
  return {
      {"CreateView", PrepareNothing,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.CreateView({"ns"}, Doc(ViewRequest("new")), options));
       }},
      {"RegisterView", MakeView,
       [](Catalog& catalog, const MutationOptions& options) {
         auto view = catalog.LoadView({{"ns"}, "v"});
         Json request{{"name", "new"}, {"metadata-location", Dom(*view)["metadata-location"]}};
         return Show(catalog.RegisterView({"ns"}, Doc(request), options));
       }},
      {"DropView", MakeView,
       [](Catalog& catalog, const MutationOptions& options) {
         return Show(catalog.DropView({{"ns"}, "v"}, options));
       }},
      {"RenameView", MakeView,
       [](Catalog& catalog, const MutationOptions& options) {
         Json request{{"source", Identifier("v")}, {"destination", Identifier("new")}};
         return Show(catalog.RenameView(Doc(request), options));
       }},
  };
}

// Each fails, or does something else, when it is carried out for the second time.
std::vector<Operation> Operations() {
  std::vector<Operation> operations;
  for (auto* some : {NamespaceOperations, TableOperations, ViewOperations}) {
    for (Operation& operation : some()) operations.push_back(std::move(operation));
  }
  return operations;
}

class KeyedOperationsTest : public ::testing::TestWithParam<Operation> {
 protected:
  void SetUp() override {
    ASSERT_THAT(catalog_->CreateNamespace(Doc(R"({"namespace":["ns"]})")), IsOk());
    ASSERT_THAT(catalog_->CreateTable({"ns"}, Doc(TableRequest("t"))), IsOk());
    GetParam().prepare(*catalog_);
  }

  std::unique_ptr<Catalog> Open() {
    return *Catalog::Open(directory_ / "lake.db", {.environment = &environment_});
  }

  // All that a client can see.
  std::string State() {
    std::string state = Show(catalog_->ListNamespaces({}, {})) +
                        Show(catalog_->ListNamespaces({"a"}, {})) +
                        Show(catalog_->LoadNamespaceMetadata({"ns"}));
    Result<Document> tables = catalog_->ListTables({"ns"}, {});
    EXPECT_THAT(tables, IsOk());
    for (const Json& table : Dom(*tables)["identifiers"]) {
      state += Show(catalog_->LoadTable({{"ns"}, table["name"].get<std::string>()}, {}));
    }
    Result<Document> views = catalog_->ListViews({"ns"}, {});
    EXPECT_THAT(views, IsOk());
    for (const Json& view : Dom(*views)["identifiers"]) {
      state += Show(catalog_->LoadView({{"ns"}, view["name"].get<std::string>()}));
    }
    return state;
  }

  std::string Call(const MutationOptions& options) { return GetParam().call(*catalog_, options); }

  TempDir directory_;
  FakeEnvironment environment_;
  std::unique_ptr<Catalog> catalog_ = Open();
};

TEST_P(KeyedOperationsTest, AreCarriedOutOnce) {
  const std::string first = Call(Key(1));
  EXPECT_THAT(first, ::testing::Not(StartsWith("error")));
  const std::string state = State();
  EXPECT_EQ(Call(Key(1)), first);
  EXPECT_EQ(State(), state);
  EXPECT_NE(Call(Key(2)), first) << "carried out again, it has another outcome";
}

TEST_P(KeyedOperationsTest, AreAnsweredAlikeByALaterProcess) {
  const std::string first = Call(Key(1));
  const std::string state = State();
  catalog_ = nullptr;
  catalog_ = Open();
  EXPECT_EQ(Call(Key(1)), first);
  EXPECT_EQ(State(), state);
}

TEST_P(KeyedOperationsTest, AreAnsweredAlikeByAnotherHandle) {
  std::unique_ptr<Catalog> other = Open();
  const std::string first = Call(Key(1));
  EXPECT_EQ(GetParam().call(*other, Key(1)), first);
}

// The second call of the operation fails; what it fails on is then taken away.
TEST_P(KeyedOperationsTest, FailTheSameWayWhateverHappensLater) {
  ASSERT_THAT(Call(Key(1)), ::testing::Not(StartsWith("error")));
  const std::string failed = Call(Key(2));
  if (!failed.starts_with("error")) return;  // it may be carried out twice
  for (const char* name : {"t", "u", "new"}) (void)catalog_->DropTable({{"ns"}, name}).has_value();
  (void)catalog_->DropView({{"ns"}, "new"}).has_value();
  (void)catalog_->DropNamespace({"a", "b"}).has_value();
  (void)catalog_->DropNamespace({"a"}).has_value();
  ASSERT_THAT(catalog_->CreateTable({"ns"}, Doc(TableRequest("t"))), IsOk());
  GetParam().prepare(*catalog_);
  const std::string state = State();
  EXPECT_EQ(Call(Key(2)), failed);
  EXPECT_EQ(State(), state);
  EXPECT_THAT(Call(Key(3)), ::testing::Not(StartsWith("error")));
}

TEST_P(KeyedOperationsTest, RefuseTheKeyOfAnotherRequest) {
  ASSERT_THAT(catalog_->CreateNamespace(Doc(R"({"namespace":["other"]})"), Key(1)), IsOk());
  const std::string state = State();
  EXPECT_THAT(Call(Key(1)), AllOf(StartsWith("error"), HasSubstr("was used for another request")));
  EXPECT_EQ(State(), state);
}

TEST_P(KeyedOperationsTest, RefuseAKeyThatIsNoUuid) {
  const std::string state = State();
  EXPECT_THAT(Call({.idempotency_key = "7"}),
              AllOf(StartsWith("error"), HasSubstr("Invalid Idempotency-Key")));
  EXPECT_EQ(State(), state);
}

// Some threads on this handle, some on another, as another process has it.
TEST_P(KeyedOperationsTest, AreCarriedOutOnceByManyAtATime) {
  constexpr int kThreads = 8;
  std::unique_ptr<Catalog> other = Open();
  std::vector<std::string> outcomes(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Catalog& catalog = i % 2 == 0 ? *catalog_ : *other;
      outcomes[static_cast<size_t>(i)] = GetParam().call(catalog, Key(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(outcomes, ::testing::Each(outcomes.front()));
  EXPECT_THAT(outcomes.front(), ::testing::Not(StartsWith("error")));
}

INSTANTIATE_TEST_SUITE_P(All, KeyedOperationsTest, ::testing::ValuesIn(Operations()),
                         [](const auto& param) {
                           std::string name;
                           for (char c : std::string(param.param.name)) {
                             if (std::isalpha(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

using KeyedTest = CatalogTest;

TEST_F(KeyedTest, ACommitThatChangesNothingIsKept) {
  CreateTable("t");
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v"))), IsOk());
  const std::string first =
      Show(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v")), Key(1)));
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "w"))), IsOk());
  EXPECT_EQ(Show(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "v")), Key(1))), first);
  EXPECT_EQ(Load("t")["metadata"]["properties"]["k"], "w");
}

TEST_F(KeyedTest, ARenameToItselfIsKept) {
  CreateTable("t");
  const Json request{{"source", Identifier("t")}, {"destination", Identifier("t")}};
  ASSERT_THAT(catalog_->RenameTable(Doc(request), Key(1)), IsOk());
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  EXPECT_THAT(catalog_->RenameTable(Doc(request), Key(1)), IsOk());
}

TEST_F(KeyedTest, AFailedRequirementIsKept) {
  CreateTable("t");
  Json request = SetProperty("k", "v");
  request["requirements"] = {{{"type", "assert-current-schema-id"}, {"current-schema-id", 1}}};
  const Result<LoadedTable> failed = catalog_->UpdateTable({{"ns"}, "t"}, Doc(request), Key(1));
  ASSERT_THAT(failed, IsError(ErrorKind::kCommitFailed, HasSubstr("schema")));
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(AddColumn("extra"))), IsOk());
  EXPECT_EQ(Show(catalog_->UpdateTable({{"ns"}, "t"}, Doc(request), Key(1))), Show(failed));
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(request), Key(2)), IsOk());
}

TEST_F(KeyedTest, ARequestThatMakesNoSenseIsKept) {
  const char* text = R"({"table-changes":[{}]})";
  ASSERT_THAT(catalog_->CommitTransaction(Doc(text), Key(1)),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("identifier is required")));
  EXPECT_THAT(catalog_->CommitTransaction(Doc(R"({"table-changes":[]})"), Key(1)),
              IsError(ErrorKind::kUnprocessable, HasSubstr("another request")));
}

// The local file system, on a disk that may be full.
class FullFileIO final : public ForwardingFileIO {
 public:
  explicit FullFileIO(const std::string& root) : ForwardingFileIO(*MakeLocalFileIO({root})) {}
  bool is_full = false;

  Status WriteNew(const std::string& location, std::string_view bytes) override {
    if (is_full) return Error{ErrorKind::kUnavailable, "disk full"};
    return ForwardingFileIO::WriteNew(location, bytes);
  }
};

TEST_F(KeyedTest, WhatFailsForTheStorageIsCarriedOutLater) {
  auto file_io = std::make_shared<FullFileIO>(directory_ / "warehouse");
  catalog_ = *Catalog::Open(directory_ / "lake.db", {.file_io = file_io});
  CreateTable("t");
  const Document request = Doc(AddColumn("extra"));
  file_io->is_full = true;
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1)),
              IsError(ErrorKind::kUnavailable, "disk full"));
  file_io->is_full = false;
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1)), IsOk());
}

TEST_F(KeyedTest, TheAnswerIsThatOfTheCommitAndNotOfALaterOne) {
  CreateTable("t");
  const Document request = Doc(SetProperty("k", "1"));
  const std::string first = Show(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1)));
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "2")), Key(2)), IsOk());
  EXPECT_EQ(Show(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1))), first);
}

TEST_F(KeyedTest, TheAnswerIsTheCurrentStateWhereTheFileIsGone) {
  CreateTable("t");
  const Document request = Doc(SetProperty("k", "1"));
  Result<LoadedTable> first = catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, Doc(SetProperty("k", "2"))), IsOk());
  std::filesystem::remove(PathOf(Dom(*first)["metadata-location"].get<std::string>()));
  Result<LoadedTable> again = catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(Dom(*again)["metadata"], Load("t")["metadata"]);
  EXPECT_EQ(Dom(*again)["metadata"]["properties"]["k"], "2");
  ASSERT_THAT(catalog_->DropTable({{"ns"}, "t"}), IsOk());
  EXPECT_THAT(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(1)),
              IsError(ErrorKind::kNoSuchTable, "Table does not exist: ns.t"));
}

TEST_F(KeyedTest, AReplacedViewIsAnsweredAsItWasThen) {
  CreateNamespace({"ns"});
  ASSERT_THAT(catalog_->CreateView({"ns"}, Doc(ViewRequest("v"))), IsOk());
  const Document request = Doc(ReplaceView("select 2"));
  const Result<Document> first = catalog_->ReplaceView({{"ns"}, "v"}, request, Key(1));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(catalog_->ReplaceView({{"ns"}, "v"}, Doc(ReplaceView("select 3"))), IsOk());
  const std::string state = Show(catalog_->LoadView({{"ns"}, "v"}));
  EXPECT_EQ(Show(catalog_->ReplaceView({{"ns"}, "v"}, request, Key(1))), Show(first));
  EXPECT_EQ(Show(catalog_->LoadView({{"ns"}, "v"})), state);
  EXPECT_THAT(catalog_->ReplaceView({{"ns"}, "v"}, Doc(ReplaceView("select 4")), Key(1)),
              IsError(ErrorKind::kUnprocessable, HasSubstr("another request")));
  std::filesystem::remove(PathOf(Dom(*first)["metadata-location"].get<std::string>()));
  EXPECT_EQ(Show(catalog_->ReplaceView({{"ns"}, "v"}, request, Key(1))), state);
}

// The one that comes second has written its metadata file by then.
TEST_F(KeyedTest, TheLoserOfTwoProcessesLeavesNoFile) {
  const Json table = CreateTable("t");
  std::unique_ptr<Catalog> other = Open();
  for (int i = 0; i < 20; ++i) {
    const Document request = Doc(SetProperty("k", std::to_string(i)));
    std::string theirs;
    std::thread thread([&] { theirs = Show(other->UpdateTable({{"ns"}, "t"}, request, Key(i))); });
    std::string ours = Show(catalog_->UpdateTable({{"ns"}, "t"}, request, Key(i)));
    thread.join();
    EXPECT_EQ(ours, theirs);
  }
  const std::string metadata =
      PathOf(table["metadata"]["location"].get<std::string>()) + "/metadata";
  const auto files = std::filesystem::directory_iterator(metadata);
  EXPECT_EQ(std::distance(begin(files), end(files)), 21);
}

}  // namespace
}  // namespace berglite::testing
