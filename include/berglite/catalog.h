// Catalog: an Apache Iceberg catalog in one SQLite file.
//
// Each operation is named after the operationId of the Iceberg REST specification that it carries
// out; requests and results are Documents in that specification's shapes. A Catalog in a process
// and a berglite server beside it may share one file; so may the SQL catalogs of other Iceberg
// libraries.
//
// Threads: every method may be called from any thread at the same time. A call returns when its
// effect is durable.
// Ownership: the Catalog owns its connections; arguments are only borrowed for the call.
// Errors: besides those named at a method, every method may return kInvalidArgument (a name, a
// location or a request field that is not allowed), kUnavailable (the file is locked by another
// program for longer than the busy timeout, the disk is full or read-only; nothing was changed) and
// kInternal (the file is damaged). A call that fails changes nothing, with the one exception of
// kCommitStateUnknown.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/counters.h"
#include "berglite/document.h"
#include "berglite/file_io.h"
#include "berglite/result.h"

namespace berglite {

class Environment;

// The levels of a namespace, outermost first. A level may contain any character but NUL.
using Namespace = std::vector<std::string>;

// The name of a table, or of a view: both share one space of names.
struct TableIdentifier {
  Namespace name_space;
  std::string name;
};

// What an operator adds to the properties in the requests for new tables, or new views.
struct NewProperties {
  // Where the request does not name the property.
  std::map<std::string, std::string> defaults = {};
  // Whatever the request says.
  std::map<std::string, std::string> overrides = {};
};

// When the directory of a warehouse is made: as the catalog is opened, so that one that cannot be
// is refused, or with the first table.
enum class WarehouseDirectory { kAtOnce, kWhenNeeded };

// Whether a Catalog removes the files of dropped tables that an earlier one has left owed. A
// program that is not the one which keeps the file, and may have other allowed locations, should
// not.
enum class OwedPurges { kCarryOut, kLeave };

// Whether opening may begin a catalog: make the file, make a catalog file of another SQLite
// database, or open a name that the file does not hold, all of which look like a catalog with
// nothing in it. A program that only looks should not, or a mistyped name looks like lost tables.
enum class NewCatalog { kBegin, kRefuse };

struct CatalogOptions {
  // The name under which this catalog's rows stand in the file (`catalog_name`). Empty: the one
  // name that the file holds, or `default` in a new file.
  std::string name = {};
  // Where new tables are put: a directory or `file:` URI. Empty: where the file has it recorded, or
  // else `warehouse` beside the file. Of a file that another program has made, and that is opened
  // for the first time, the directory is recorded that its tables are in.
  std::string warehouse = {};
  WarehouseDirectory warehouse_directory = WarehouseDirectory::kAtOnce;
  // Further directories or URIs below which clients may place tables.
  std::vector<std::string> allowed_locations = {};
  NewProperties table_properties = {};
  NewProperties view_properties = {};
  // How long a write waits for another process, in milliseconds, before it fails with kUnavailable.
  int busy_timeout_ms = 10'000;
  // Storage of the caller's; null: the local file system, confined to the warehouse and
  // allowed_locations.
  std::shared_ptr<FileIO> file_io = nullptr;
  OwedPurges owed_purges = OwedPurges::kCarryOut;
  NewCatalog new_catalog = NewCatalog::kBegin;
  // Clock and randomness; null: the machine's. Must outlive the Catalog. For tests.
  Environment* environment = nullptr;
};

// What part of a long list to return.
struct ListOptions {
  // nullopt: everything at once. Empty: the first page. Otherwise next-page-token of the last page.
  std::optional<std::string> page_token = std::nullopt;
  // The most entries of a page; nullopt: the page limit. Only heeded when page_token is present.
  std::optional<int64_t> page_size = std::nullopt;
};

// How long a request may be repeated under its idempotency key, from when it was first made.
inline constexpr std::chrono::minutes kIdempotencyKeyLifetime{30};

// What goes with every method that changes the catalog.
struct MutationOptions {
  // A UUID in its form of 36 characters that the caller uses for this request alone. A call that is
  // repeated with it, be it after a crash of either side, at the same time or in another process,
  // is carried out once and has the same outcome each time; for a table or view whose files are
  // gone the answer shows its current state instead. That holds for successes and for errors that
  // the caller has caused. After kUnavailable, kCommitStateUnknown and kInternal a repeated call is
  // carried out, unless it has been. Errors, besides those of the method: kInvalidArgument for a
  // key of another form, kUnprocessable for one that was used with another request.
  std::optional<std::string> idempotency_key = std::nullopt;
};

enum class SnapshotMode { kAll, kRefs };

struct LoadTableOptions {
  SnapshotMode snapshots = SnapshotMode::kAll;
  // The ETag values that the caller already holds a table for, as in the If-None-Match header.
  std::string if_none_match = {};
};

struct DropTableOptions {
  // Also removes the files of the table: data and delete files, manifests, statistics and metadata,
  // as far as its metadata reaches them, and directories that become empty. Never the catalog file
  // itself, files that a table, view or function in it needs as well (whichever catalog of the file
  // that is in, and wherever it lies), or those that are outside of the allowed locations; where
  // the table has gc.enabled=false, no data files, manifests and manifest lists. While something in
  // the catalog file cannot be read, or is not understood, nobody knows what it needs: nothing is
  // removed, and the purge waits. A table that other catalog files hold as well should have
  // gc.enabled=false: nothing is known of them.
  bool purge_requested = false;
};

// What purges did since the Catalog was opened. For people; not kept.
struct PurgeTotals {
  int64_t tables = 0;         // that are done with
  int64_t files_removed = 0;  // those that were missing already too
  int64_t files_kept = 0;     // as another table needs them
  int64_t files_refused = 0;  // as they are outside of the allowed locations, or links
  std::string obstacle = {};  // why the latest purge that has to wait does; empty where none had to
};

// A table as LoadTable, CreateTable, RegisterTable and UpdateTable return it.
struct LoadedTable {
  // LoadTableResult or CommitTableResponse of the specification; absent where if_none_match named
  // it.
  std::optional<Document> body;
  // Stands for the metadata and the snapshot mode; quoted as in the ETag header. Empty for a staged
  // table.
  std::string etag;
};

struct RegisterFunctionOptions {
  // Whether a function of that name gets the new metadata; otherwise it is kAlreadyExists.
  bool overwrite = false;
};

// A ReportMetricsRequest that is kept, and when it came, in milliseconds since 1970-01-01T00:00Z.
struct MetricsReport {
  int64_t received_ms = 0;
  Document report;
};

// What a check looks at: all of the catalog and the file; a namespace with what is below it; or,
// where there is a name too, one table or view.
struct CheckOptions {
  Namespace name_space = {};
  std::string name = {};
  // Mend what can be mended without losing anything: namespaces get the rows they lack.
  bool repair = false;
  // Told how many of how many tables and views have been looked at. May be empty.
  std::function<void(size_t done, size_t total)> on_progress = {};
};

// One thing that a check has found.
struct CheckFinding {
  enum class Severity {
    kNote,     // worth knowing; everything works
    kProblem,  // something does not work, or will not
  };
  Severity severity = Severity::kProblem;
  // For programs; one of
  //   damaged-file           SQLite finds the file damaged
  //   bad-namespace          a row is of a namespace that no client can name
  //   bad-name               so is a row of a table or view
  //   missing-namespace      a namespace with tables, views or functions has no row of its own
  //   no-metadata-location   a row has no pointer
  //   metadata-missing       a pointer leads nowhere
  //   metadata-unreadable    a metadata file cannot be read from here
  //   metadata-invalid       a metadata file breaks the rules of its kind
  //   manifest-list-missing  so do snapshots lead nowhere
  // and, as notes,
  //   foreign-object         a table, index, view or trigger of another program
  //   unknown-type           a row of a kind that is neither table nor view
  //   implied-namespace      a namespace without a row of its own, above others
  //   outside-locations      a table or view is where this catalog may not write
  //   same-metadata          two names have one metadata file
  //   orphan-metadata        a metadata file that no pointer and no metadata log names; a commit
  //                          that is under way may have written it
  std::string code;
  // The levels of a namespace, and the name of a table, view or function where it is about one.
  // Empty: the file as a whole.
  Namespace name;
  std::string message;
  bool repaired = false;
};

struct CheckReport {
  int64_t tables = 0;  // that were looked at
  int64_t views = 0;
  std::vector<CheckFinding> findings;
};

// Which files nothing needs are looked for: those where the tables of the whole catalog are; of a
// namespace with what is below it; or, where there is a name too, of one table.
struct OrphanFilesOptions {
  Namespace name_space = {};
  std::string name = {};
  // Younger files stay: a writer may be about to commit them. The age is told by when a file was
  // last modified.
  std::chrono::milliseconds older_than = std::chrono::hours(3 * 24);
  // Whether an age under kOrphanAgeMin is taken, which is good only while nothing is written.
  enum class ShortAge { kRefuse, kTake } short_age = ShortAge::kRefuse;
  // Told how far each step has come. May be empty.
  enum class Step { kReadTables, kRemoveFiles };
  std::function<void(Step step, size_t done, size_t total)> on_progress = {};
};

inline constexpr std::chrono::hours kOrphanAgeMin{24};

// A file where a table is that nothing in the catalog file reaches.
struct OrphanFile {
  std::string location;  // `file:` URI of where it really is
  int64_t bytes = 0;
  int64_t modified_ms = 0;  // since 1970-01-01T00:00Z
  bool removed = false;
  std::string obstacle = {};  // why it could not be removed
};

struct OrphanFilesReport {
  // A place where it was not looked, and why.
  struct Passed {
    TableIdentifier table;
    std::string reason;
  };
  int64_t tables = 0;  // whose places were looked through
  std::vector<OrphanFile> orphans;
  std::vector<Passed> passed_over;
};

// A directory that holds files of tables and is now somewhere else.
struct RelocationOptions {
  // Where it was and where it is: directories or `file:` URIs.
  std::string from;
  std::string to;
  // Told how many of how many tables, views and functions have been looked at. May be empty.
  std::function<void(size_t done, size_t total)> on_progress = {};
};

struct RelocationReport {
  enum class Kind { kTable, kView, kFunction, kNamespace };
  // What has locations in the directory.
  struct Item {
    Kind kind = Kind::kTable;
    TableIdentifier name = {};    // of a namespace: without a name
    int64_t rewritten_files = 0;  // manifest lists, manifests and deletion vectors
    int64_t missing_files = 0;    // data and delete files in use that are not where they should be
    std::string first_missing = {};
    // Why it stays as it was; empty where it is, or could be, relocated.
    std::string obstacle = {};
  };
  std::vector<Item> items;
  // The recorded location of the warehouse, where that is in the directory, and the new one.
  std::string warehouse_from = {};
  std::string warehouse_to = {};
  // Dropped tables whose files are still to be removed, and are looked for where the directory was.
  // Nothing is done about them.
  int64_t stranded_purges = 0;
};

struct BackupOptions {
  // Told how many pages of how many have been copied. May be empty.
  std::function<void(size_t done, size_t total)> on_progress = {};
};

// What CheckWritable finds, in words that give no path away.
inline constexpr std::string_view kFileTakesNoWrites = "The catalog file takes no writes";
inline constexpr std::string_view kWarehouseTakesNoFiles = "The warehouse takes no new files";

class Catalog {
 public:
  // Opens the catalog file at `path`, creating it where there is none, and brings an older one up
  // to date. `:memory:` is a catalog that lives as long as this object. Errors: kInvalidArgument
  // for a file that is not a SQLite database and for a warehouse that cannot be; kNoSuchWarehouse
  // for a file that holds several catalogs while options.name is empty (all are named);
  // kUnsupported for a file that a newer berglite wrote; kUnavailable where the file cannot be
  // opened or written. With NewCatalog::kRefuse also kUnavailable for a file that is not there,
  // kInvalidArgument for one that is not a catalog (its tables are named) and kNoSuchWarehouse for
  // a name that it does not hold (all are named); such a file is left as it is.
  static Result<std::unique_ptr<Catalog>> Open(const std::string& path,
                                               const CatalogOptions& options = {});
  virtual ~Catalog() = default;

  // The name of this catalog in the file, and its warehouse as a `file:///` URI without a final
  // `/`.
  virtual const std::string& name() const = 0;
  virtual const std::string& warehouse() const = 0;

  // Success where a change could be stored now: the file takes a write and the warehouse a new
  // file, which is removed again. For probes of the server's readiness; waits as any write does.
  // Errors begin with one of the two above: kUnavailable, also where it is for good;
  // kInvalidArgument for a warehouse that is no directory any more, or that a link has led out of
  // what is allowed; kCommitStateUnknown where the disk of the file fails.
  virtual Status CheckWritable() = 0;

  // What has been done since the catalog was opened. Reads one row count of the file.
  virtual Counters ReadCounters() = 0;

  // ListNamespacesResponse: the direct children of `parent` (empty: the top level), ordered by
  // name. Errors: kNoSuchNamespace.
  virtual Result<Document> ListNamespaces(const Namespace& parent, const ListOptions& options) = 0;
  // Takes CreateNamespaceRequest. Missing parents are created too. Errors: kAlreadyExists.
  virtual Result<Document> CreateNamespace(const Document& request,
                                           const MutationOptions& options = {}) = 0;
  // GetNamespaceResponse. Errors: kNoSuchNamespace.
  virtual Result<Document> LoadNamespaceMetadata(const Namespace& name_space) = 0;
  virtual Result<bool> NamespaceExists(const Namespace& name_space) = 0;
  // Errors: kNoSuchNamespace, kNamespaceNotEmpty.
  virtual Status DropNamespace(const Namespace& name_space,
                               const MutationOptions& options = {}) = 0;
  // Takes UpdateNamespacePropertiesRequest. Errors: kNoSuchNamespace, kUnprocessable.
  virtual Result<Document> UpdateProperties(const Namespace& name_space, const Document& request,
                                            const MutationOptions& options = {}) = 0;

  // ListTablesResponse, ordered by name. Errors: kNoSuchNamespace.
  virtual Result<Document> ListTables(const Namespace& name_space, const ListOptions& options) = 0;
  // Takes CreateTableRequest. With `stage-create` nothing is stored and the result has no
  // metadata-location. Errors: kNoSuchNamespace, kAlreadyExists, kValidation.
  virtual Result<LoadedTable> CreateTable(const Namespace& name_space, const Document& request,
                                          const MutationOptions& options = {}) = 0;
  // Takes RegisterTableRequest. Errors: kNoSuchNamespace, kAlreadyExists, kNotFound; kUnavailable
  // also while the table's files are to be removed, as it was dropped with a purge.
  virtual Result<LoadedTable> RegisterTable(const Namespace& name_space, const Document& request,
                                            const MutationOptions& options = {}) = 0;
  // Errors: kNoSuchTable (also where the namespace is missing), kNotFound.
  virtual Result<LoadedTable> LoadTable(const TableIdentifier& table,
                                        const LoadTableOptions& options) = 0;
  virtual Result<bool> TableExists(const TableIdentifier& table) = 0;
  // Takes CommitTableRequest; returns CommitTableResponse. Errors: kNoSuchTable, kNoSuchNamespace
  // and kAlreadyExists (a create), kCommitFailed, kValidation, kCommitStateUnknown.
  virtual Result<LoadedTable> UpdateTable(const TableIdentifier& table, const Document& request,
                                          const MutationOptions& options = {}) = 0;
  // Removes the table from the catalog; its files stay, unless a purge is requested. That is owed
  // durably with the drop itself, and carried out by a thread of the Catalog: the call waits a
  // second for it, and returns. What a crash or the end of the Catalog leaves is taken up when the
  // catalog is opened again (with OwedPurges::kCarryOut); what fails is tried again after ten
  // minutes, and later less often. Until then the table cannot be registered again. Errors:
  // kNoSuchTable.
  virtual Status DropTable(const TableIdentifier& table, const DropTableOptions& drop = {},
                           const MutationOptions& options = {}) = 0;
  // Carries out the purges that are owed and due, also those of earlier processes, and returns when
  // no purge is left that can be carried out now. A program that ends soon after a drop calls it so
  // as not to leave files to the next one; otherwise there is no need to.
  virtual PurgeTotals FinishPurges() = 0;
  // UnregisterTableResult: the table's last metadata and its location. The table is no longer in
  // the catalog and all its files stay, so that another catalog can register it. Errors:
  // kNoSuchTable, kNotFound.
  virtual Result<Document> UnregisterTable(const TableIdentifier& table,
                                           const MutationOptions& options = {}) = 0;
  // LoadCredentialsResponse: credentials for the storage of the table; none for local files.
  // Errors: kNoSuchTable.
  virtual Result<Document> LoadCredentials(const TableIdentifier& table) = 0;
  // Takes RenameTableRequest. Errors: kNoSuchTable, kNoSuchNamespace, kAlreadyExists.
  virtual Status RenameTable(const Document& request, const MutationOptions& options = {}) = 0;
  // Takes CommitTransactionRequest: all of its table changes are made, or none. Errors: as
  // UpdateTable.
  virtual Status CommitTransaction(const Document& request,
                                   const MutationOptions& options = {}) = 0;

  // ListFunctionsResponse, ordered by name. Errors: kNoSuchNamespace.
  virtual Result<Document> ListFunctions(const Namespace& name_space,
                                         const ListOptions& options) = 0;
  // LoadFunctionResult. Errors: kNoSuchNamespace, kNoSuchFunction, kNotFound.
  virtual Result<Document> LoadFunction(const TableIdentifier& function) = 0;
  // Adds a function whose metadata (UDF) is in the file at `metadata_location`; returns
  // LoadFunctionResult. Not an operation of the specification, as the next one. Errors:
  // kNoSuchNamespace, kAlreadyExists, kNotFound, kValidation.
  virtual Result<Document> RegisterFunction(const TableIdentifier& function,
                                            const std::string& metadata_location,
                                            const RegisterFunctionOptions& options = {}) = 0;
  // Removes the function from the catalog; its file stays. Errors: kNoSuchFunction.
  virtual Status DropFunction(const TableIdentifier& function) = 0;

  // Takes ReportMetricsRequest. The file keeps the last hundred reports of a table and the last ten
  // thousand in all. Unlike everything else, they are written a second later, for one sync of the
  // disk many: a crash may lose them. Errors: kNoSuchTable.
  virtual Status ReportMetrics(const TableIdentifier& table, const Document& request) = 0;
  // The reports on the table that are kept, newest first; not an operation of the specification.
  // Errors: kNoSuchTable.
  virtual Result<std::vector<MetricsReport>> ListMetrics(const TableIdentifier& table) = 0;

  // ListTablesResponse with the views, ordered by name. Errors: kNoSuchNamespace.
  virtual Result<Document> ListViews(const Namespace& name_space, const ListOptions& options) = 0;
  // Takes CreateViewRequest; returns LoadViewResult, as the next three that return a Document do.
  // Errors: kNoSuchNamespace, kAlreadyExists, kValidation.
  virtual Result<Document> CreateView(const Namespace& name_space, const Document& request,
                                      const MutationOptions& options = {}) = 0;
  // Takes RegisterViewRequest. Errors: kNoSuchNamespace, kAlreadyExists, kNotFound.
  virtual Result<Document> RegisterView(const Namespace& name_space, const Document& request,
                                        const MutationOptions& options = {}) = 0;
  // Errors: kNoSuchView (also where the namespace is missing), kNotFound.
  virtual Result<Document> LoadView(const TableIdentifier& view) = 0;
  virtual Result<bool> ViewExists(const TableIdentifier& view) = 0;
  // Takes CommitViewRequest. Errors: kNoSuchView, kCommitFailed, kValidation, kCommitStateUnknown.
  virtual Result<Document> ReplaceView(const TableIdentifier& view, const Document& request,
                                       const MutationOptions& options = {}) = 0;
  // Removes the view from the catalog; its files stay. Errors: kNoSuchView.
  virtual Status DropView(const TableIdentifier& view, const MutationOptions& options = {}) = 0;
  // Takes RenameTableRequest. Errors: kNoSuchView, kNoSuchNamespace, kAlreadyExists.
  virtual Status RenameView(const Document& request, const MutationOptions& options = {}) = 0;

  // Looks whether what the catalog points to is there and is as it should be. Reads every metadata
  // file in question; others may change the catalog meanwhile. Not an operation of the
  // specification, as the next one. Errors: kNoSuchNamespace, kNoSuchTable; what is wrong with the
  // catalog is in the report.
  virtual Result<CheckReport> Check(const CheckOptions& options = {}) = 0;
  // Looks through the locations of tables for orphan files: those that no table, view or function
  // of the whole catalog file reaches, by whatever snapshot, statistics or metadata log, and no
  // purge that is owed. Nothing is an orphan because something could not be read: then the call
  // fails, naming what. Links are not followed, and hidden files (`.x`, `_x`, but for directories
  // of partitions) not looked at, as with Iceberg's own procedure. Passed over, with a reason, are
  // tables with gc.enabled=false, which other catalogs need; locations that this catalog may not
  // write; and what write.data.path and its like name outside of a location. Tables that another
  // catalog file holds as well should have that property: nothing is known of them. Not an
  // operation of the specification, as the next one. Errors: kNoSuchNamespace, kNoSuchTable;
  // kInvalidArgument for an age under kOrphanAgeMin; kUnavailable where it cannot be told what is
  // needed.
  virtual Result<OrphanFilesReport> FindOrphanFiles(const OrphanFilesOptions& options = {}) = 0;
  // Finds and removes them. Each is removed while nobody can write to the catalog file, after a
  // look whether a commit has taken it up meanwhile. Directories stay. A failure on the way leaves
  // the rest, with the obstacle in the report.
  virtual Result<OrphanFilesReport> RemoveOrphanFiles(const OrphanFilesOptions& options = {}) = 0;
  // Makes the catalog agree with a directory that has been moved, or copied, with its files: what
  // Relocate would do, changing nothing.
  virtual Result<RelocationReport> PlanRelocation(const RelocationOptions& options) = 0;
  // Writes anew what holds locations in the directory: the metadata of tables, views and functions;
  // manifest lists, manifests and deletion vectors; properties of namespaces; the recorded location
  // of the warehouse. Each table is a commit of its own, after which all its snapshots are read
  // from the new place; old files stay, as orphans. Can be called again after a failure. `to` must
  // be one of the allowed locations, and clients should be at rest. An obstacle, which leaves that
  // table alone as it was: a metadata file that cannot be read; files of position deletes in use,
  // whose rows hold locations that only an engine can rewrite (deletion vectors are no obstacle);
  // a commit that came between. Where no metadata file of those in `from` is found at `to`,
  // namespaces and warehouse stay as they were, too. Not an operation of the specification, as the
  // one before. Errors: kInvalidArgument where `from` or `to` is no directory's location, both are
  // the same, or nothing is at `to`.
  virtual Result<RelocationReport> Relocate(const RelocationOptions& options) = 0;
  // Writes a copy of the catalog file, with all its catalogs, to a new file at `path`: its state at
  // one instant, while others go on reading and writing. The copy is whole and durable before it
  // gets its name, and can be opened as a catalog. Metadata and data of the tables are not in it.
  // Errors: kAlreadyExists where something has that name; kInvalidArgument for a folder that does
  // not exist.
  virtual Status Backup(const std::string& path, const BackupOptions& options = {}) = 0;
};

// Writes a copy of the catalog file at `from`, as Catalog::Backup does, without opening it as a
// catalog: it may be another program's, and stays as it is. Errors: those of Backup; kUnavailable
// where `from` cannot be opened, kInvalidArgument where it is no SQLite database.
Status CopyCatalogFile(const std::string& from, const std::string& to);

}  // namespace berglite
