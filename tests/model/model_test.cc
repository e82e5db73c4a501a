// Random operations on a catalog and on its model: the same outcomes, and the same state after each
// step. BERGLITE_MODEL_STEPS and BERGLITE_MODEL_SEED make another run than the short one.
#include "tests/model/model.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include "tests/catalog/fixture.h"
#include "tests/model/settings.h"

namespace berglite::testing {
namespace {

template <typename T>
Outcome OutcomeOf(const Result<T>& result) {
  return result ? Outcome() : Outcome(result.error().kind);
}

Json NameOf(const Model::Name& name) {
  return Json{{"namespace", name.first}, {"name", name.second}};
}

TableIdentifier IdOf(const Model::Name& name) { return {name.first, name.second}; }

Json ViewRequest(const std::string& name) {
  const Json sql{{"type", "sql"}, {"sql", "select 1"}, {"dialect", "spark"}};
  return Json{{"name", name},
              {"schema", TableRequest(name)["schema"]},
              {"view-version",
               {{"version-id", 1},
                {"timestamp-ms", 1'600'000'000'000},
                {"schema-id", 0},
                {"summary", Json::object()},
                {"default-namespace", {"a"}},
                {"representations", Json::array({sql})}}},
              {"properties", Json::object()}};
}

// The catalog as its users see it.
class Observer {
 public:
  explicit Observer(Catalog& catalog) : catalog_(catalog) {}

  Model Observe() {
    AddBelow({});
    return model_;
  }

 private:
  static ModelEntry EntryOf(const Json& loaded, const char* uuid) {
    const Json& metadata = loaded["metadata"];
    const std::string location = loaded["metadata-location"];
    ModelEntry entry{.uuid = metadata[uuid],
                     .version = std::stoi(location.substr(location.rfind('/') + 1))};
    const Json properties = metadata.value("properties", Json::object());
    for (const auto& [key, value] : properties.items()) {
      // The others are the catalog's own.
      if (key.starts_with("test.")) entry.properties[key] = value;
    }
    return entry;
  }

  void AddBelow(const Namespace& parent) {
    const Result<Document> children = catalog_.ListNamespaces(parent, {});
    ASSERT_THAT(children, IsOk());
    for (const Json& child : Dom(*children)["namespaces"]) {
      AddNamespace(child);
      AddBelow(child);
    }
  }

  void AddNamespace(const Namespace& name_space) {
    const Result<Document> loaded = catalog_.LoadNamespaceMetadata(name_space);
    ASSERT_THAT(loaded, IsOk());
    Properties& properties = model_.namespaces[name_space];
    for (const auto& [key, value] : Dom(*loaded)["properties"].items()) {
      if (key.starts_with("test.")) properties[key] = value;
    }
    const Result<Document> tables = catalog_.ListTables(name_space, {});
    ASSERT_THAT(tables, IsOk());
    for (const Json& item : Dom(*tables)["identifiers"]) {
      const Result<LoadedTable> table = catalog_.LoadTable({name_space, item["name"]}, {});
      ASSERT_THAT(table, IsOk());
      model_.tables[{name_space, item["name"]}] = EntryOf(Dom(*table), "table-uuid");
    }
    const Result<Document> views = catalog_.ListViews(name_space, {});
    ASSERT_THAT(views, IsOk());
    for (const Json& item : Dom(*views)["identifiers"]) {
      const Result<Document> view = catalog_.LoadView({name_space, item["name"]});
      ASSERT_THAT(view, IsOk());
      model_.views[{name_space, item["name"]}] = EntryOf(Dom(*view), "view-uuid");
    }
  }

  Catalog& catalog_;
  Model model_;
};

// Does one random thing to both, and compares the outcomes.
class Walk {
 public:
  Walk(Catalog& catalog, uint32_t seed) : catalog_(catalog), random_(seed) {}

  void Step(int number) {
    value_ = std::to_string(number);
    const auto [what, expected, found] = Act();
    const auto number_of = [](const Outcome& o) { return o ? static_cast<int>(*o) : -1; };
    EXPECT_EQ(number_of(found), number_of(expected)) << what;
    EXPECT_EQ(Observer(catalog_).Observe(), model_) << what;
    failures_ += expected ? 1 : 0;
  }

  int failures() const { return failures_; }

 private:
  struct Acted {
    std::string what;
    Outcome expected;
    Outcome found;
  };

  size_t Below(size_t limit) { return random_() % limit; }
  Namespace AnyNamespace() {
    static const std::vector<Namespace> kAll = {{"a"}, {"b"}, {"a", "c"}};
    return kAll[Below(kAll.size())];
  }
  Model::Name AnyName() { return {AnyNamespace(), "x" + std::to_string(Below(3))}; }

  Acted Act() {
    switch (Below(10)) {
      case 0:
        return ChangeNamespaces();
      case 1:
      case 2:
        return CreateTable();
      case 3:
        return CreateView();
      case 4:
        return CommitTransaction();
      case 5:
        return Drop();
      case 6:
        return Rename();
      default:
        return Commit();
    }
  }

  Acted ChangeNamespaces() {
    const Namespace name_space = AnyNamespace();
    const std::string text = ::testing::PrintToString(name_space);
    switch (Below(3)) {
      case 0:
        return {"drop namespace " + text, model_.DropNamespace(name_space),
                OutcomeOf(catalog_.DropNamespace(name_space))};
      case 1:
        return {"set in namespace " + text,
                model_.SetNamespaceProperty(name_space, "test.k", value_),
                OutcomeOf(catalog_.UpdateProperties(name_space,
                                                    Doc(Json{{"updates", {{"test.k", value_}}}})))};
      default:
        return {"create namespace " + text, model_.CreateNamespace(name_space),
                OutcomeOf(catalog_.CreateNamespace(Doc(Json{{"namespace", name_space}})))};
    }
  }

  Acted CreateTable() {
    const Model::Name name = AnyName();
    const auto created = catalog_.CreateTable(name.first, Doc(TableRequest(name.second)));
    const std::string uuid = created ? Dom(*created)["metadata"]["table-uuid"] : Json("");
    return {"create table " + NameOf(name).dump(), model_.Create(ModelKind::kTable, name, uuid),
            OutcomeOf(created)};
  }

  Acted CreateView() {
    const Model::Name name = AnyName();
    const auto created = catalog_.CreateView(name.first, Doc(ViewRequest(name.second)));
    const std::string uuid = created ? Dom(*created)["metadata"]["view-uuid"] : Json("");
    return {"create view " + NameOf(name).dump(), model_.Create(ModelKind::kView, name, uuid),
            OutcomeOf(created)};
  }

  Json Update() { return SetProperty("test.k" + std::to_string(Below(3)), value_); }
  static std::string KeyIn(const Json& update) {
    return update["updates"][0]["updates"].items().begin().key();
  }

  // Now and then with the requirement of a uuid that it may not have.
  Acted Commit() {
    const Model::Name name = AnyName();
    Json update = Update();
    const std::string key = KeyIn(update);
    if (Below(4) == 0) {
      const Outcome expected = model_.Commit(ModelKind::kView, {name}, key, value_);
      return {"replace view " + NameOf(name).dump(), expected,
              OutcomeOf(catalog_.ReplaceView(IdOf(name), Doc(update)))};
    }
    const auto table = model_.tables.find(name);
    const auto other = model_.tables.begin();
    if (other != model_.tables.end() && Below(3) == 0) {
      update["requirements"].push_back(
          {{"type", "assert-table-uuid"}, {"uuid", other->second.uuid}});
      if (table != model_.tables.end() && table != other) {
        return {"commit to another table than " + NameOf(name).dump(), ErrorKind::kCommitFailed,
                OutcomeOf(catalog_.UpdateTable(IdOf(name), Doc(update)))};
      }
    }
    return {"commit " + NameOf(name).dump(), model_.Commit(ModelKind::kTable, {name}, key, value_),
            OutcomeOf(catalog_.UpdateTable(IdOf(name), Doc(update)))};
  }

  Acted CommitTransaction() {
    const std::vector<Model::Name> names = {{AnyNamespace(), "x0"}, {AnyNamespace(), "x1"}};
    Json request{{"table-changes", Json::array()}};
    const Json update = Update();
    for (const Model::Name& name : names) {
      request["table-changes"].push_back(update);
      request["table-changes"].back()["identifier"] = NameOf(name);
    }
    return {"transaction " + request.dump(),
            model_.Commit(ModelKind::kTable, names, KeyIn(update), value_),
            OutcomeOf(catalog_.CommitTransaction(Doc(request)))};
  }

  Acted Drop() {
    const Model::Name name = AnyName();
    if (Below(3) == 0) {
      return {"drop view " + NameOf(name).dump(), model_.Drop(ModelKind::kView, name),
              OutcomeOf(catalog_.DropView(IdOf(name)))};
    }
    const DropTableOptions options{.purge_requested = Below(2) == 0};
    return {"drop table " + NameOf(name).dump(), model_.Drop(ModelKind::kTable, name),
            OutcomeOf(catalog_.DropTable(IdOf(name), options))};
  }

  Acted Rename() {
    const Model::Name from = AnyName();
    const Model::Name to = AnyName();
    const Document request = Doc(Json{{"source", NameOf(from)}, {"destination", NameOf(to)}});
    if (Below(3) == 0) {
      return {"rename view " + request.text(), model_.Rename(ModelKind::kView, from, to),
              OutcomeOf(catalog_.RenameView(request))};
    }
    return {"rename table " + request.text(), model_.Rename(ModelKind::kTable, from, to),
            OutcomeOf(catalog_.RenameTable(request))};
  }

  Catalog& catalog_;
  std::mt19937 random_;
  Model model_;
  std::string value_;
  int failures_ = 0;
};

void Compare(const std::string& file, const std::string& warehouse, int steps) {
  const uint32_t seed = SeedOfThisRun();
  std::cout << "seed " << seed << ", " << steps << " steps\n";
  auto catalog = Catalog::Open(file, {.warehouse = warehouse});
  ASSERT_THAT(catalog, IsOk());
  Walk walk(**catalog, seed);
  for (int i = 0; i < steps; ++i) {
    walk.Step(i);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "step " << i << " of seed " << seed;
  }
  // Neither a walk of failures nor one without any says much.
  EXPECT_GT(walk.failures(), steps / 10);
  EXPECT_LT(walk.failures(), steps * 9 / 10);
}

TEST(Model, IsWhatACatalogInMemoryIsLike) {
  TempDir directory;
  Compare(":memory:", directory / "warehouse", StepsOfThisRun(1000));
}

TEST(Model, IsWhatACatalogInAFileIsLike) {
  TempDir directory;
  Compare(directory / "lake.db", directory / "warehouse", StepsOfThisRun(500));
}

}  // namespace
}  // namespace berglite::testing
