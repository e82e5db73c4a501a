#include "lib/store/file_store.h"

#include <chrono>
#include <filesystem>
#include <thread>
#include <unistd.h>
#include <utility>

#include "lib/sqlite/backup.h"
#include "lib/sqlite/statement.h"
#include "lib/store/schema.h"

namespace berglite::store {
namespace {

namespace fs = std::filesystem;

Error InvalidPath(const std::string& path, const std::string& what) {
  return Error{ErrorKind::kInvalidArgument, "Cannot open catalog file " + path + ": " + what};
}

Error Unavailable(const std::string& path, const std::string& what) {
  return Error{ErrorKind::kUnavailable, "Cannot open catalog file " + path + ": " + what};
}

// Finds what SQLite would report as no more than "unable to open", and what it should not be let
// at: it would wait for a pipe's other end. The path is made absolute, as later connections are
// opened by it and the process may have changed its directory by then.
Result<std::string> CheckPath(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return InvalidPath("'" + path.substr(0, path.find('\0')) + "'", "expected the path of a file");
  }
  std::error_code failure;
  std::string absolute = fs::absolute(path, failure).string();
  if (failure) return Unavailable(path, failure.message());
  fs::file_status status = fs::status(absolute, failure);
  if (fs::is_directory(status)) return InvalidPath(path, "it is a directory");
  if (fs::is_regular_file(status)) return absolute;
  if (fs::exists(status)) return InvalidPath(path, "it is not a regular file");
  fs::file_status folder = fs::status(fs::path(absolute).parent_path(), failure);
  if (!fs::exists(folder)) return Unavailable(path, "its folder does not exist");
  if (!fs::is_directory(folder)) return Unavailable(path, "its folder is a file");
  if (access(fs::path(absolute).parent_path().c_str(), W_OK | X_OK) != 0) {
    return Unavailable(path, "its folder cannot be written");
  }
  return absolute;
}

Result<std::string> ChooseCatalogName(const std::string& path, const StoreOptions& options,
                                      const std::vector<std::string>& found) {
  if (!options.catalog_name.empty()) return options.catalog_name;
  if (found.empty()) return std::string(kDefaultCatalogName);
  if (found.size() == 1 || options.several == SeveralCatalogs::kTakeFirst) return found.front();
  std::string names;
  for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
  return Error{ErrorKind::kInvalidArgument,
               path + " holds several catalogs, and none was chosen: " + names};
}

Result<std::string> SetJournalMode(sqlite::Connection& connection) {
  sqlite::Statement statement(connection, "PRAGMA journal_mode = WAL");
  sqlite::Rows rows = statement.Query();
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  return rows.Text(0);
}

// Taking a file over from another journal mode needs a moment in which nobody else uses it, and
// SQLite does not wait for that by itself.
Status UseWriteAheadLog(sqlite::Connection& connection, int busy_timeout_ms) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  while (true) {
    Result<std::string> mode = SetJournalMode(connection);
    if (mode && *mode == "wal") return {};
    if (mode) {
      return Error{ErrorKind::kUnavailable, "its file system does not allow a write-ahead log"};
    }
    bool is_busy = connection.last_failure() == sqlite::Failure::kBusy;
    if (!is_busy || std::chrono::steady_clock::now() >= deadline) return Error(mode.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Makes a catalog file of the file behind a fresh connection and returns the catalog's name.
// Whatever is refused is refused before the first change.
Result<std::string> Prepare(sqlite::Connection& connection, const std::string& path,
                            const StoreOptions& options) {
  BERGLITE_RETURN_IF_ERROR(Configure(connection));
  BERGLITE_ASSIGN_OR_RETURN(FileState state, InspectFile(connection, path));
  BERGLITE_ASSIGN_OR_RETURN(std::string catalog_name,
                            ChooseCatalogName(path, options, state.catalog_names));
  BERGLITE_RETURN_IF_ERROR(UseWriteAheadLog(connection, options.busy_timeout_ms));
  if (!state.is_current) BERGLITE_RETURN_IF_ERROR(PrepareFile(connection, path));
  return catalog_name;
}

// The error of a step of opening, in words for whoever chose the path.
Error Explain(const std::string& path, const sqlite::Connection& connection, const Error& error) {
  if (connection.last_failure() == sqlite::Failure::kNotADatabase) {
    return InvalidPath(path, "it is not an SQLite database");
  }
  bool is_of_sqlite = error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kInternal;
  if (!is_of_sqlite) return error;
  return Error{error.kind, "Cannot open catalog file " + path + ": " + error.message};
}

}  // namespace

Result<std::unique_ptr<Store>> FileStore::Open(const std::string& path,
                                               const StoreOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(std::string absolute, CheckPath(path));
  Result<std::unique_ptr<sqlite::Connection>> opened =
      sqlite::Connection::Open(absolute, options.busy_timeout_ms);
  if (!opened) return Unavailable(path, opened.error().message);
  std::unique_ptr<sqlite::Connection> connection = *std::move(opened);
  if (connection->read_only()) return Unavailable(path, "it cannot be written");

  Result<std::string> catalog_name = Prepare(*connection, path, options);
  if (!catalog_name) return Explain(path, *connection, catalog_name.error());
  SessionOptions session_options{absolute, *std::move(catalog_name), options.busy_timeout_ms};
  auto writer = std::make_unique<Session>(std::move(connection), session_options.catalog_name);
  auto connections = std::make_shared<Connections>(session_options, std::move(writer));
  std::unique_ptr<Store> store =
      std::make_unique<FileStore>(session_options.catalog_name, std::move(connections));
  return store;
}

Status FileStore::CopyTo(const std::string& path,
                         const std::function<void(size_t done, size_t total)>& on_progress) {
  // A connection of its own: it may be in use for long.
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                            Session::Open(connections_->session));
  return sqlite::CopyDatabase(session->connection(), path, on_progress);
}

Status FileStore::Read(const std::function<Status(Reader&)>& body) {
  return connections_->readers.Read([&](CatalogRows& rows) {
    rows.SelectCatalog(catalog_name_);
    return body(rows);
  });
}

Status FileStore::Write(const std::function<Status(Writer&)>& body,
                        const std::function<Result<bool>(Reader&)>& landed) {
  return connections_->commits.Write(
      [&](CatalogRows& rows) {
        rows.SelectCatalog(catalog_name_);
        return body(rows);
      },
      [&](CatalogRows& rows) {
        rows.SelectCatalog(catalog_name_);
        return landed(rows);
      });
}

Status FileStore::ReadAlone(const std::function<Status(Reader&)>& body) {
  return connections_->commits.ReadAlone([&](CatalogRows& rows) {
    rows.SelectCatalog(catalog_name_);
    return body(rows);
  });
}

// SQLite names the files beside it after where a link leads.
std::vector<std::string> FileStore::FilePaths() const {
  std::error_code failure;
  const std::string real = fs::weakly_canonical(connections_->session.path, failure).string();
  std::vector<std::string> paths;
  for (const std::string& path : {connections_->session.path, real}) {
    if (path.empty()) continue;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) paths.push_back(path + suffix);
  }
  return paths;
}

Status CopyCatalogFile(const std::string& from, const std::string& to) {
  constexpr int kBusyTimeoutMs = 10'000;
  BERGLITE_ASSIGN_OR_RETURN(const std::string absolute, CheckPath(from));
  const Result<std::unique_ptr<sqlite::Connection>> opened =
      sqlite::Connection::Open(absolute, kBusyTimeoutMs, sqlite::IfMissing::kFail);
  if (!opened) return Unavailable(from, opened.error().message);
  const Status copied = sqlite::CopyDatabase(**opened, to, nullptr);
  return copied ? Status() : Explain(from, **opened, copied.error());
}

}  // namespace berglite::store
