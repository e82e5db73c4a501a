#include "tests/fault/scenarios.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <regex>
#include <unistd.h>

#include "tests/manifest/avro_files.h"

namespace berglite::testing {

namespace fs = std::filesystem;

namespace {

constexpr char kUsedKey[] = "00000000-0000-4000-8000-000000000001";
constexpr char kFreshKey[] = "00000000-0000-4000-8000-000000000002";

template <typename T>
Status StatusOf(const Result<T>& result) {
  return result ? Status() : Status(Error(result.error()));
}

Json Name(const std::string& name) { return Json{{"namespace", {"ns"}}, {"name", name}}; }

Json ViewVersion(const std::string& sql) {
  return Json{
      {"version-id", 1},
      {"timestamp-ms", 1'600'000'000'000},
      {"schema-id", 0},
      {"summary", Json::object()},
      {"default-namespace", {"ns"}},
      {"representations", Json::array({{{"type", "sql"}, {"sql", sql}, {"dialect", "spark"}}})}};
}

Json ViewRequest(const std::string& name) {
  return Json{{"name", name},
              {"schema", TableRequest(name)["schema"]},
              {"view-version", ViewVersion("select 1")},
              {"properties", Json::object()}};
}

Json ReplaceRequest() {
  return Json{{"requirements", Json::array()},
              {"updates",
               {{{"action", "add-view-version"}, {"view-version", ViewVersion("select 2")}},
                {{"action", "set-current-view-version"}, {"view-version-id", -1}}}}};
}

// Adds a column to a table that has none but its first two: it cannot be made twice.
Json AddColumn() {
  Json schema = TableRequest("t")["schema"];
  schema["schema-id"] = 1;
  schema["fields"].push_back(
      {{"id", 3}, {"name", "more"}, {"type", "string"}, {"required", false}});
  return Json{{"requirements",
               {{{"type", "assert-last-assigned-field-id"}, {"last-assigned-field-id", 2}}}},
              {"updates",
               {{{"action", "add-schema"}, {"schema", schema}, {"last-column-id", 3}},
                {{"action", "set-current-schema"}, {"schema-id", -1}}}}};
}

Json TransactionRequest() {
  Json request{{"table-changes", Json::array()}};
  for (const char* name : {"old", "two"}) {
    Json change = AddColumn();
    change["identifier"] = Name(name);
    request["table-changes"].push_back(change);
  }
  return request;
}

Status Commit(Catalog& catalog, const std::string& value, const MutationOptions& options = {}) {
  return StatusOf(catalog.UpdateTable({{"ns"}, "one"}, Doc(SetProperty("k", value)), options));
}

// As a client writes a file: durable before it is committed. Through the calls that are noted down.
void WriteClientFile(const std::string& path, const std::string& bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  EXPECT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(fsync(file), 0);
  close(file);
  const int directory = open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(fsync(directory), 0);
  close(directory);
}

// A snapshot with one data file, in a manifest that is in a manifest list.
Status Append(Catalog& catalog) {
  const std::string location = PathOf(catalog.warehouse()) + "/ns/old";
  const std::string data = location + "/data/a.parquet";
  const std::string manifest = location + "/metadata/a-m0.avro";
  const std::string list = location + "/metadata/snap-a.avro";
  const TempDir elsewhere;
  WriteManifest(elsewhere / "m", 2, {{"file://" + data}});
  WriteManifestList(elsewhere / "l", 2, {{"file://" + manifest}});
  WriteClientFile(data, "rows");
  WriteClientFile(manifest, FileText(elsewhere / "m"));
  WriteClientFile(list, FileText(elsewhere / "l"));
  const Json snapshot{{"snapshot-id", 1},
                      {"sequence-number", 1},
                      {"timestamp-ms", 1'700'000'000'000},
                      {"manifest-list", "file://" + list},
                      {"summary", {{"operation", "append"}}},
                      {"schema-id", 0}};
  return StatusOf(catalog.UpdateTable(
      {{"ns"}, "old"},
      Doc(Json{{"updates", {{{"action", "add-snapshot"}, {"snapshot", snapshot}}}}})));
}

// Lists the directory with calls that do not fail: they are the test's.
Status Register(Catalog& catalog) {
  const std::string directory = PathOf(catalog.warehouse()) + "/left/metadata";
  std::string name;
  DIR* listing = opendir(directory.c_str());
  while (const dirent* entry = readdir(listing)) {
    if (entry->d_name[0] != '.') name = entry->d_name;
  }
  closedir(listing);
  return StatusOf(catalog.RegisterTable(
      {"ns"}, Doc(Json{{"name", "registered"}, {"metadata-location", directory + "/" + name}})));
}

// Each of the names in a list of identifiers.
std::vector<std::string> NamesIn(const Result<Document>& list) {
  std::vector<std::string> names;
  EXPECT_THAT(list, IsOk());
  if (!list) return names;
  for (const Json& item : Dom(*list)["identifiers"]) names.push_back(item["name"]);
  return names;
}

}  // namespace

std::vector<Scenario> Scenarios() {
  return {
      {"CreateNamespace",
       [](Catalog& c) {
         return StatusOf(c.CreateNamespace(Doc(R"({"namespace":["new","child"]})")));
       },
       {ErrorKind::kAlreadyExists}},
      {"CreateTable",
       [](Catalog& c) { return StatusOf(c.CreateTable({"ns"}, Doc(TableRequest("new")))); },
       {ErrorKind::kAlreadyExists}},
      {"UpdateTable",
       [](Catalog& c) {
         return StatusOf(c.UpdateTable({{"ns"}, "one"}, Doc(AddColumn())));
       },
       {ErrorKind::kCommitFailed}},
      {"KeyedUpdateTable",
       [](Catalog& c) { return Commit(c, "changed", {.idempotency_key = kFreshKey}); }},
      {"KeyedCreateTable",
       [](Catalog& c) {
         return StatusOf(
             c.CreateTable({"ns"}, Doc(TableRequest("new")), {.idempotency_key = kFreshKey}));
       }},
      {"RepeatedUpdateTable",
       [](Catalog& c) { return Commit(c, "first", {.idempotency_key = kUsedKey}); }},
      {"CommitTransaction",
       [](Catalog& c) { return c.CommitTransaction(Doc(TransactionRequest())); },
       {ErrorKind::kCommitFailed}},
      {"ReplaceView",
       [](Catalog& c) {
         return StatusOf(c.ReplaceView({{"ns"}, "v"}, Doc(ReplaceRequest())));
       }},
      {"DropTable",
       [](Catalog& c) {
         return c.DropTable({{"ns"}, "old"});
       },
       {ErrorKind::kNoSuchTable}},
      {"DropTableWithPurge",
       [](Catalog& c) {
         const Status dropped = c.DropTable({{"ns"}, "old"}, {.purge_requested = true});
         c.FinishPurges();
         return dropped;
       },
       {ErrorKind::kNoSuchTable},
       "ns/old"},
      {"RegisterTable", Register, {ErrorKind::kAlreadyExists}},
      {"RenameTable",
       [](Catalog& c) {
         return c.RenameTable(Doc(Json{{"source", Name("one")}, {"destination", Name("moved")}}));
       },
       {ErrorKind::kNoSuchTable}},
  };
}

std::vector<Scenario> Furnishing() {
  std::vector<Scenario> steps = {
      {"MakeNamespace", [](Catalog& c) {
         return StatusOf(c.CreateNamespace(Doc(R"({"namespace":["ns"],"properties":{"p":"q"}})")));
       }}};
  for (const std::string name : {"one", "two", "old"}) {
    steps.push_back({"Make." + name, [name](Catalog& c) {
                       return StatusOf(c.CreateTable({"ns"}, Doc(TableRequest(name))));
                     }});
  }
  steps.push_back({"Append", Append});
  steps.push_back({"MakeView", [](Catalog& c) {
                     return StatusOf(c.CreateView({"ns"}, Doc(ViewRequest("v"))));
                   }});
  steps.push_back({"MakeLeft", [](Catalog& c) {
                     Json left = TableRequest("left");
                     left["location"] = c.warehouse() + "/left";
                     return StatusOf(c.CreateTable({"ns"}, Doc(left)));
                   }});
  steps.push_back({"DropLeft", [](Catalog& c) { return c.DropTable({{"ns"}, "left"}); }});
  steps.push_back(
      {"UseKey", [](Catalog& c) { return Commit(c, "first", {.idempotency_key = kUsedKey}); }});
  return steps;
}

std::string Describe(Catalog& catalog) {
  Json all;
  const Result<Document> namespaces = catalog.ListNamespaces({}, {});
  EXPECT_THAT(namespaces, IsOk());
  if (!namespaces) return "";
  for (const Json& levels : Dom(*namespaces)["namespaces"]) {
    const Namespace name_space = levels;
    Json& here = all[name_space.front()];
    const Result<Document> properties = catalog.LoadNamespaceMetadata(name_space);
    EXPECT_THAT(properties, IsOk());
    if (properties) here["metadata"] = Dom(*properties);
    const Result<Document> children = catalog.ListNamespaces(name_space, {});
    EXPECT_THAT(children, IsOk());
    if (children) here["children"] = Dom(*children);
    for (const std::string& name : NamesIn(catalog.ListTables(name_space, {}))) {
      const Result<LoadedTable> table = catalog.LoadTable({name_space, name}, {});
      EXPECT_THAT(table, IsOk()) << name;
      if (!table) continue;
      here["tables"][name] = Dom(*table);
      for (const Json& earlier : Dom(*table)["metadata"]["metadata-log"]) {
        EXPECT_TRUE(fs::exists(PathOf(earlier["metadata-file"]))) << earlier;
      }
    }
    for (const std::string& name : NamesIn(catalog.ListViews(name_space, {}))) {
      const Result<Document> view = catalog.LoadView({name_space, name});
      EXPECT_THAT(view, IsOk()) << name;
      here["views"][name] = view ? Dom(*view) : Json();
    }
  }
  // A table whose directory was left by an earlier attempt has a UUID at the end of its location.
  static const std::regex uuid("-?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return std::regex_replace(all.dump(), uuid, "");
}

std::vector<std::string> FilesBelow(const std::string& directory) {
  std::vector<std::string> paths;
  if (!fs::exists(directory)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace berglite::testing
