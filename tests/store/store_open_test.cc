// Opening files of every sort: new, old, foreign, newer, and no catalog at all.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

namespace fs = std::filesystem;

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::TempDir;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kV0Tables[] =
    "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL,"
    " metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key));";

std::vector<std::string> FilesIn(const TempDir& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Status TryOpen(const std::string& path, const StoreOptions& options = {}) {
  Result<std::unique_ptr<Store>> store = Store::Open(path, options);
  if (!store) return Error(store.error());
  return {};
}

TEST(Open, MakesTheSharedTablesInJavasOrder) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  RawDatabase raw(dir / "lake.db");
  EXPECT_THAT(
      raw.Run("SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || pk"
              " FROM pragma_table_info('iceberg_tables')"),
      ElementsAre("catalog_name VARCHAR(255) 1 1", "table_namespace VARCHAR(255) 1 2",
                  "table_name VARCHAR(255) 1 3", "metadata_location VARCHAR(1000) 0 0",
                  "previous_metadata_location VARCHAR(1000) 0 0", "iceberg_type VARCHAR(5) 0 0"));
  EXPECT_THAT(raw.Run("SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || pk"
                      " FROM pragma_table_info('iceberg_namespace_properties')"),
              ElementsAre("catalog_name VARCHAR(255) 1 1", "namespace VARCHAR(255) 1 2",
                          "property_key VARCHAR(255) 1 3", "property_value VARCHAR(1000) 0 0"));
  EXPECT_THAT(raw.Run("PRAGMA journal_mode"), ElementsAre("wal"));
  EXPECT_THAT(raw.Run("SELECT name FROM sqlite_schema"
                      " WHERE type = 'table' AND name NOT LIKE 'iceberg_%'"
                      " AND name NOT LIKE 'sqlite_%'"),
              AllOf(SizeIs(Ge(2)), Each(StartsWith("berglite_"))));
}

TEST(Open, LeavesOnlyTheFileOnceClosed) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  EXPECT_THAT(FilesIn(dir), ElementsAre("lake.db"));
}

TEST(Open, OfAnUpToDateFileDoesNotWrite) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  std::string before = ReadAll(dir / "lake.db");
  OpenOrDie(dir / "lake.db");
  EXPECT_EQ(ReadAll(dir / "lake.db"), before);
}

TEST(Open, AddsTheKindToAnOldFileAndChangesNothingElse) {
  TempDir dir;
  std::string properties_before;
  {
    RawDatabase raw(dir / "old.db");
    raw.Run(kV0Tables);
    raw.Run("INSERT INTO iceberg_tables VALUES ('jdbc', 'ns', 't', 'm/1', 'm/0')");
    raw.Run("INSERT INTO iceberg_namespace_properties VALUES ('jdbc', 'ns', 'k', 'v')");
    properties_before =
        raw.Run("SELECT sql FROM sqlite_schema WHERE name = 'iceberg_namespace_properties'")[0];
  }
  {
    std::unique_ptr<Store> store = OpenOrDie(dir / "old.db");
    EXPECT_EQ(store->catalog_name(), "jdbc");
    auto entry = ReadOne(*store, [](Reader& r) { return r.FindEntry({{"ns"}, "t"}); });
    ASSERT_TRUE(entry && *entry);
    EXPECT_EQ((*entry)->kind, EntryKind::kTable);
  }
  RawDatabase raw(dir / "old.db");
  EXPECT_THAT(raw.Run("SELECT * FROM iceberg_tables"), ElementsAre("jdbc|ns|t|m/1|m/0|NULL"));
  EXPECT_THAT(raw.Run("SELECT * FROM iceberg_namespace_properties"), ElementsAre("jdbc|ns|k|v"));
  EXPECT_THAT(raw.Run("SELECT name FROM pragma_table_info('iceberg_tables') WHERE cid = 5"),
              ElementsAre("iceberg_type"));
  EXPECT_THAT(raw.Run("SELECT sql FROM sqlite_schema WHERE name = 'iceberg_namespace_properties'"),
              ElementsAre(properties_before));
  EXPECT_THAT(raw.Run("SELECT count(*) FROM sqlite_schema WHERE tbl_name = 'iceberg_tables'"),
              ElementsAre("2"));  // the table and the index of its key
}

// iceberg-go's order of columns, without NOT NULL on most and with another type.
TEST(Open, TakesTheSharedTablesAsOthersMadeThem) {
  TempDir dir;
  {
    RawDatabase raw(dir / "go.db");
    raw.Run(
        "CREATE TABLE iceberg_tables (catalog_name VARCHAR NOT NULL, table_namespace VARCHAR NOT"
        " NULL, table_name VARCHAR NOT NULL, iceberg_type VARCHAR, metadata_location VARCHAR,"
        " previous_metadata_location VARCHAR,"
        " PRIMARY KEY (catalog_name, table_namespace, table_name));"
        "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR NOT NULL, namespace"
        " VARCHAR NOT NULL, property_key VARCHAR NOT NULL, property_value VARCHAR,"
        " PRIMARY KEY (catalog_name, namespace, property_key));"
        "INSERT INTO iceberg_namespace_properties VALUES ('sql', 'ns', 'null', NULL)");
  }
  std::unique_ptr<Store> store = OpenOrDie(dir / "go.db");
  ASSERT_THAT(WriteOne(*store,
                       [](Writer& w) {
                         return w.InsertEntry({{"ns"}, "t"}, {EntryKind::kTable, "m/0"});
                       }),
              testing::IsOkAndHolds(true));
  auto properties = ReadOne(*store, [](Reader& r) { return r.FindNamespace({"ns"}); });
  EXPECT_THAT(properties,
              testing::IsOkAndHolds(::testing::Optional(ElementsAre(::testing::Pair("null", "")))));
  RawDatabase raw(dir / "go.db");
  EXPECT_THAT(raw.Run("SELECT catalog_name, iceberg_type, metadata_location FROM iceberg_tables"),
              ElementsAre("sql|TABLE|m/0"));
}

TEST(Open, TakesTheOneCatalogNameOfTheFile) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  RawDatabase raw(dir / "lake.db");
  raw.Run("INSERT INTO iceberg_tables VALUES ('mine', 'a', 't', 'm', NULL, NULL)");
  raw.Run("INSERT INTO iceberg_tables VALUES ('mine', 'b', 't', 'm', NULL, NULL)");
  EXPECT_EQ(OpenOrDie(dir / "lake.db")->catalog_name(), "mine");
  EXPECT_EQ(OpenOrDie(dir / "lake.db", {.catalog_name = "new"})->catalog_name(), "new");
}

TEST(Open, NamesTheCatalogsWhereThereAreSeveralAndLeavesTheFileAlone) {
  TempDir dir;
  {
    RawDatabase raw(dir / "lake.db");
    raw.Run(kV0Tables);
    raw.Run("INSERT INTO iceberg_tables VALUES ('b', 'ns', 't', 'm', NULL)");
    raw.Run("INSERT INTO iceberg_namespace_properties VALUES ('a', 'ns', 'exists', 'true')");
    raw.Run("INSERT INTO iceberg_namespace_properties VALUES ('c', 'ns', 'exists', 'true')");
  }
  std::string before = ReadAll(dir / "lake.db");
  EXPECT_THAT(TryOpen(dir / "lake.db"),
              IsError(ErrorKind::kNoSuchWarehouse,
                      (dir / "lake.db") + " holds several catalogs, and none was chosen: a, b, c"));
  EXPECT_EQ(ReadAll(dir / "lake.db"), before);
  EXPECT_EQ(OpenOrDie(dir / "lake.db", {.catalog_name = "b"})->catalog_name(), "b");
}

TEST(Open, BeginsNothingWhereToldNotTo) {
  TempDir dir;
  StoreOptions options{.not_there = NotThere::kRefuse};
  EXPECT_THAT(TryOpen(dir / "lake.db", options),
              IsError(ErrorKind::kUnavailable, HasSubstr("unable to open")));
  EXPECT_THAT(FilesIn(dir), ElementsAre());
  RawDatabase(dir / "lake.db").Run("CREATE TABLE songs (title)");
  std::string before = ReadAll(dir / "lake.db");
  EXPECT_THAT(TryOpen(dir / "lake.db", options),
              IsError(ErrorKind::kInvalidArgument,
                      (dir / "lake.db") + " is not an Iceberg catalog: it has the tables songs"));
  EXPECT_EQ(ReadAll(dir / "lake.db"), before);
  OpenOrDie(dir / "lake.db");
  // With nothing in it, it is as good under any name.
  options.catalog_name = "other";
  EXPECT_EQ(OpenOrDie(dir / "lake.db", options)->catalog_name(), "other");
  RawDatabase(dir / "lake.db")
      .Run("INSERT INTO iceberg_tables VALUES ('mine', 'a', 't', 'm', NULL, NULL)");
  EXPECT_THAT(TryOpen(dir / "lake.db", options),
              IsError(ErrorKind::kNoSuchWarehouse,
                      (dir / "lake.db") + " holds no catalog named other, but mine"));
}

TEST(Open, MakesAFileThatOnlyItsOwnerCanReadWhereAsked) {
  TempDir dir;
  const mode_t before = umask(0);
  OpenOrDie(dir / "secret.db", {.new_file_readers = NewFileReaders::kOwner});
  OpenOrDie(dir / "lake.db", {});
  umask(before);
  const auto mode = [](const std::string& path) { return fs::status(path).permissions(); };
  EXPECT_EQ(mode(dir / "secret.db"), static_cast<fs::perms>(0600));
  EXPECT_EQ(mode(dir / "lake.db"), static_cast<fs::perms>(0644));
  // One that is there keeps what it has.
  OpenOrDie(dir / "lake.db", {.new_file_readers = NewFileReaders::kOwner});
  EXPECT_EQ(mode(dir / "lake.db"), static_cast<fs::perms>(0644));
}

TEST(Open, RefusesAFileOfANewerVersionAndLeavesItAlone) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  RawDatabase(dir / "lake.db").Run("INSERT INTO berglite_schema_version VALUES (41)");
  std::string before = ReadAll(dir / "lake.db");
  EXPECT_THAT(TryOpen(dir / "lake.db"),
              IsError(ErrorKind::kUnsupported, AllOf(HasSubstr("its schema version is 41"),
                                                     HasSubstr("knows versions up to"))));
  EXPECT_EQ(ReadAll(dir / "lake.db"), before);
}

TEST(Open, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
  TempDir dir;
  const std::string text(5000, 'x');
  std::ofstream(dir / "notes.txt") << text;
  EXPECT_THAT(
      TryOpen(dir / "notes.txt"),
      IsError(ErrorKind::kInvalidArgument, "Cannot open catalog file " + (dir / "notes.txt") +
                                               ": it is not an SQLite database"));
  EXPECT_EQ(ReadAll(dir / "notes.txt"), text);
  EXPECT_THAT(FilesIn(dir), ElementsAre("notes.txt"));
}

TEST(Open, RefusesTablesOfTheSharedNamesThatAreSomethingElse) {
  TempDir dir;
  RawDatabase(dir / "app.db").Run("CREATE TABLE iceberg_tables (name TEXT, kind TEXT)");
  std::string before = ReadAll(dir / "app.db");
  EXPECT_THAT(TryOpen(dir / "app.db"),
              IsError(ErrorKind::kInvalidArgument,
                      HasSubstr("its table iceberg_tables has no column catalog_name")));
  EXPECT_EQ(ReadAll(dir / "app.db"), before);
}

TEST(Open, RefusesWhatIsNoFile) {
  TempDir dir;
  EXPECT_THAT(TryOpen(dir.path().string()),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("it is a directory")));
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(TryOpen(dir / "pipe"),
              IsError(ErrorKind::kInvalidArgument, HasSubstr("it is not a regular file")));
  EXPECT_THAT(TryOpen(""), IsError(ErrorKind::kInvalidArgument, HasSubstr("expected the path")));
  EXPECT_THAT(FilesIn(dir), ElementsAre("pipe"));
}

TEST(Open, MakesNoFolder) {
  TempDir dir;
  EXPECT_THAT(TryOpen(dir / "missing/lake.db"),
              IsError(ErrorKind::kUnavailable, HasSubstr("its folder does not exist")));
  std::ofstream(dir / "file") << "x";
  EXPECT_THAT(TryOpen(dir / "file/lake.db"), IsError(ErrorKind::kUnavailable, HasSubstr("folder")));
  EXPECT_THAT(FilesIn(dir), ElementsAre("file"));
}

// Runs `body` in a child process whom permissions bind, and returns what it returns.
std::string AsNobody(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) _exit(1);
    std::string text = body();
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char c = 0;
  while (read(ends[0], &c, 1) == 1) text += c;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

std::string OpenAsNobody(const std::string& path) {
  return AsNobody([&]() -> std::string {
    Status status = TryOpen(path);
    if (status) return "success";
    bool is_unavailable = status.error().kind == ErrorKind::kUnavailable;
    return (is_unavailable ? "unavailable: " : "other: ") + status.error().message;
  });
}

TEST(Open, ExplainsWhatPermissionsForbid) {
  TempDir dir;
  OpenOrDie(dir / "lake.db");
  RawDatabase(dir / "old.db").Run(kV0Tables);
  std::string before = ReadAll(dir / "old.db");
  ASSERT_EQ(chmod(dir.path().c_str(), 0555), 0);
  chmod((dir / "old.db").c_str(), 0666);
  const std::string prefix = "unavailable: Cannot open catalog file ";

  EXPECT_EQ(OpenAsNobody(dir / "new.db"),
            prefix + (dir / "new.db") + ": its folder cannot be written");
  chmod((dir / "lake.db").c_str(), 0000);
  EXPECT_EQ(OpenAsNobody(dir / "lake.db"),
            prefix + (dir / "lake.db") +
                ": lake.db: unable to open database file: Permission denied (SQLite code 14)");
  chmod((dir / "lake.db").c_str(), 0444);
  EXPECT_EQ(OpenAsNobody(dir / "lake.db"), prefix + (dir / "lake.db") + ": it cannot be written");
  // Its folder takes neither a log nor a journal.
  EXPECT_THAT(OpenAsNobody(dir / "old.db"), StartsWith(prefix + (dir / "old.db")));
  EXPECT_EQ(ReadAll(dir / "old.db"), before);
  EXPECT_THAT(FilesIn(dir), ElementsAre("lake.db", "old.db"));
  chmod(dir.path().c_str(), 0755);
}

TEST(Open, GivesUpWhereAnotherProgramKeepsTheFileLocked) {
  TempDir dir;
  RawDatabase raw(dir / "old.db");
  raw.Run(kV0Tables);
  raw.Run("BEGIN EXCLUSIVE");
  EXPECT_THAT(TryOpen(dir / "old.db", {.busy_timeout_ms = 20}),
              IsError(ErrorKind::kUnavailable, HasSubstr("database is locked")));
  raw.Run("ROLLBACK");
  // A mere reader keeps the journal mode from being changed.
  raw.Run("BEGIN; SELECT * FROM iceberg_tables; SELECT count(*) FROM iceberg_tables");
  EXPECT_THAT(TryOpen(dir / "old.db", {.busy_timeout_ms = 20}),
              IsError(ErrorKind::kUnavailable, HasSubstr("database is locked")));
  raw.Run("COMMIT");
  EXPECT_THAT(TryOpen(dir / "old.db"), IsOk());
}

// Whoever removes the file of a running server takes it for stopped; nothing may be acknowledged
// that is in no file, and the next one to open the path must not find an empty file of ours.
TEST(Open, IsOverForAFileThatIsGoneUntilItIsBack) {
  TempDir directory;
  std::string path = directory / "lake.db";
  std::unique_ptr<Store> store = OpenOrDie(path);
  auto insert = [&](const char* name) {
    return store->Write([&](Writer& writer) { return writer.InsertNamespace({name}, {}); },
                        [&](Reader& reader) { return reader.NamespaceExists({name}); });
  };
  auto look = [&] {
    return store->Read([](Reader& reader) -> Status {
      BERGLITE_RETURN_IF_ERROR(reader.NamespaceExists({"before"}));
      return {};
    });
  };
  ASSERT_THAT(insert("before"), IsOk());
  ASSERT_THAT(look(), IsOk());
  std::filesystem::rename(path, path + ".away");
  EXPECT_THAT(insert("between"), IsError(ErrorKind::kUnavailable, HasSubstr("lake.db")));
  EXPECT_THAT(look(), IsError(ErrorKind::kUnavailable, HasSubstr("lake.db")));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::rename(path + ".away", path);
  EXPECT_THAT(insert("after"), IsOk());
  EXPECT_THAT(look(), IsOk());
  EXPECT_THAT(RawDatabase(path).Run("SELECT namespace FROM iceberg_namespace_properties"),
              ElementsAre("after", "before"));
}

TEST(Open, KeepsWhatIsWrittenAndIsPrivateInMemory) {
  TempDir dir;
  auto insert = [](Store& store) {
    return store.Write([](Writer& w) { return w.InsertNamespace({"kept"}, {}); }, NeverAsked);
  };
  auto list = [](Store& store) {
    return ReadOne(store, [](Reader& r) { return r.ListChildren({}, std::nullopt, 0); });
  };
  ASSERT_THAT(insert(*OpenOrDie(dir / "lake.db")), IsOk());
  EXPECT_THAT(list(*OpenOrDie(dir / "lake.db")), testing::IsOkAndHolds(ElementsAre("kept")));

  std::unique_ptr<Store> memory = OpenOrDie(":memory:", {.catalog_name = "m"});
  EXPECT_EQ(memory->catalog_name(), "m");
  ASSERT_THAT(insert(*memory), IsOk());
  EXPECT_THAT(list(*memory), testing::IsOkAndHolds(ElementsAre("kept")));
  EXPECT_THAT(list(*OpenOrDie(":memory:")), testing::IsOkAndHolds(IsEmpty()));
  EXPECT_FALSE(std::filesystem::exists(":memory:"));
}

}  // namespace
}  // namespace berglite::store
