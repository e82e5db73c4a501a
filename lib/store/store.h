// Store: the rows of a catalog file. Knows namespaces, names and pointers; nothing of metadata.
//
// The rows are those of the shared SQL-catalog layout (iceberg_tables and
// iceberg_namespace_properties, as Java's JdbcCatalog V1 has them), so other Iceberg SQL catalogs
// may read and write the same file at the same time. Rows of ours are in tables named berglite_*.
//
// All SQL of berglite is in this module.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berglite/result.h"

namespace berglite::store {

using Namespace = std::vector<std::string>;
using Properties = std::map<std::string, std::string>;

// kOther: a kind of a later Iceberg, whose rows other programs write. Its name is taken.
enum class EntryKind { kTable, kView, kOther };

// A table or view as the file has it.
struct Entry {
  EntryKind kind = EntryKind::kTable;
  std::string metadata_location;
};

// A dropped table whose files are still to be removed.
struct OwedDeletion {
  int64_t id = 0;
  std::string metadata_location;
  int64_t attempts = 0;  // that did not succeed
  std::string obstacle;  // why the last of them did not
};

// Who needs a metadata file: a table, view or function; something of a kind that is not known here;
// or an owed deletion, which starts from it.
enum class PointerKind { kLive, kOther, kOwed };

struct EntryKey {
  Namespace name_space;
  std::string name;
  friend bool operator==(const EntryKey&, const EntryKey&) = default;
};

// What has become of writes since the file was opened.
struct WriteCounters {
  uint64_t groups = 0;      // of writes, each one transaction
  uint64_t writes = 0;      // in those groups
  uint64_t waiting = 0;     // now, for their group
  uint64_t busy_waits = 0;  // of groups for another process
};

// What keeps a namespace from being dropped.
struct NamespaceContents {
  int64_t child_namespaces = 0;
  int64_t tables = 0;
  int64_t views = 0;
  int64_t functions = 0;
};

// A catalog of the file.
struct CatalogRecord {
  std::string name;
  std::string location;  // of its warehouse; empty where none was recorded
};

// What a client reported about its work on a table.
struct MetricsRecord {
  EntryKey table;
  int64_t received_ms = 0;
  std::string text;  // JSON; the store does not look into it
};

// What became of a request that carried an Idempotency-Key. The store does not look into it.
struct KeyRecord {
  std::string fingerprint;  // of the request
  std::string outcome;
  std::string answer;
  friend bool operator==(const KeyRecord&, const KeyRecord&) = default;
};

// Someone who may call a server on the file. The store does not look into hash and generation.
struct PrincipalRecord {
  std::string name;
  std::string secret_hash;
  std::string generation;  // another one for each secret
  bool read_only = false;
  int64_t created_ms = 0;
  friend bool operator==(const PrincipalRecord&, const PrincipalRecord&) = default;
};

// A row of a table, view or function as it stands in the file, whatever is wrong with it.
struct EntryRow {
  std::string namespace_text;
  std::optional<Namespace> name_space;  // nullopt where the text is not that of one
  std::string name;
  std::string type;  // as the file has it; `TABLE` for a row of before there were views
  std::string metadata_location;
};

// What a check of the file looks at.
struct Inventory {
  std::vector<EntryRow> entries;                 // of this catalog, as all that follow
  std::vector<EntryRow> functions;               // their type is `FUNCTION`
  std::vector<Namespace> namespaces;             // that have a row of their own
  std::vector<std::string> bad_namespace_texts;  // of rows that are of no namespace
};

// What is wrong with the file as a database, and what of it is nobody's that berglite knows.
struct FileReport {
  std::vector<std::string> damage;   // in SQLite's words; the first hundred
  std::vector<std::string> foreign;  // such as `table x`
};

// Reads of one consistent state of the file.
//
// Threads: one Reader is used by one thread, inside the call that handed it out.
class Reader {
 public:
  virtual ~Reader() = default;

  // A namespace exists when a row of either table names it or something below it: other catalogs
  // leave parents without a row.
  virtual Result<bool> NamespaceExists(const Namespace& name_space) = 0;
  // The properties without the marker `exists`; nullopt where the namespace does not exist.
  virtual Result<std::optional<Properties>> FindNamespace(const Namespace& name_space) = 0;
  virtual Result<NamespaceContents> CountContents(const Namespace& name_space) = 0;
  // Names of direct children of `parent` (empty: the top level), in byte order, those greater than
  // `after` where it is given, `limit` at most (0: all).
  virtual Result<std::vector<std::string>> ListChildren(const Namespace& parent,
                                                        const std::optional<std::string>& after,
                                                        size_t limit) = 0;
  // Names of tables or views directly in the namespace; order, `after` and `limit` as above.
  virtual Result<std::vector<std::string>> ListEntries(const Namespace& name_space, EntryKind kind,
                                                       const std::optional<std::string>& after,
                                                       size_t limit) = 0;
  // Whether any table, view, function or owed deletion, in any catalog of the file, points to that
  // metadata file. Looks at every row: no key leads from a location to its row.
  virtual Result<bool> IsPointedAt(const std::string& metadata_location) = 0;
  // What has that name; nullopt where it is free.
  virtual Result<std::optional<Entry>> FindEntry(const EntryKey& key) = 0;
  // Calls `visit` with each metadata location in the file, of all catalogs, until it returns an
  // error. It must not call the Reader.
  virtual Status VisitPointers(
      const std::function<Status(PointerKind, const std::string&)>& visit) = 0;

  // The owed deletions of this catalog that are due at `now_ms`, the longest due first, `limit` at
  // most.
  virtual Result<std::vector<OwedDeletion>> ListOwedDeletions(int64_t now_ms, size_t limit) = 0;
  // Whether, in any catalog of the file, the files of a dropped table with that metadata file or
  // that uuid (where it is not empty) are still to be removed.
  virtual Result<bool> IsDeletionOwed(const std::string& metadata_location,
                                      const std::string& table_uuid) = 0;
  // The names of catalogs of the file that have owed deletions.
  virtual Result<std::vector<std::string>> ListOwingCatalogs() = 0;
  // How many deletions are owed, in all catalogs of the file.
  virtual Result<int64_t> CountOwedDeletions() = 0;

  // The metadata location of the function of that name; nullopt where there is none.
  virtual Result<std::optional<std::string>> FindFunction(const EntryKey& key) = 0;
  // Names of functions directly in the namespace; order, `after` and `limit` as above.
  virtual Result<std::vector<std::string>> ListFunctions(const Namespace& name_space,
                                                         const std::optional<std::string>& after,
                                                         size_t limit) = 0;

  // All rows of this catalog, for a check: they are read into memory.
  virtual Result<Inventory> TakeInventory() = 0;
  // Reads the whole file. Errors: kUnavailable; damage is no error.
  virtual Result<FileReport> InspectDatabase() = 0;

  // The catalogs of the file, whichever is open: those recorded in the order in which they were,
  // then those that other programs have made, in byte order.
  virtual Result<std::vector<CatalogRecord>> ListCatalogs() = 0;

  // The reports on a table that are kept, the newest first.
  virtual Result<std::vector<MetricsRecord>> ListMetrics(const EntryKey& table) = 0;
  // The record of an Idempotency-Key; nullopt where there is none, and where it has expired by the
  // wall time `now_ms`.
  virtual Result<std::optional<KeyRecord>> FindKeyRecord(const std::string& key,
                                                         int64_t now_ms) = 0;

  // Principals belong to the file, whichever of its catalogs is open. nullopt where there is none.
  virtual Result<std::optional<PrincipalRecord>> FindPrincipal(const std::string& name) = 0;
  // In byte order of their names.
  virtual Result<std::vector<PrincipalRecord>> ListPrincipals() = 0;
  // The key that signs tokens; nullopt in a file that never had one.
  virtual Result<std::optional<std::string>> FindSigningKey() = 0;
};

// Writes inside one transaction, which also sees its own changes. An error that a method returns
// leaves the transaction usable; the body that got it decides.
class Writer : public Reader {
 public:
  // Inserts the namespace with the marker `exists`, and every missing parent.
  virtual Status InsertNamespace(const Namespace& name_space, const Properties& properties) = 0;
  virtual Status SetNamespaceProperties(const Namespace& name_space, const Properties& updates,
                                        const std::vector<std::string>& removals) = 0;
  // Removes the property rows of the namespace (and nothing below it).
  virtual Status DeleteNamespace(const Namespace& name_space) = 0;

  // false where a table or view already has that name.
  virtual Result<bool> InsertEntry(const EntryKey& key, const Entry& entry) = 0;
  // Compare-and-swap of the pointer: `from` becomes previous_metadata_location. false where the row
  // is gone, of the other kind, or points elsewhere than `from`.
  virtual Result<bool> MovePointer(const EntryKey& key, EntryKind kind, const std::string& from,
                                   const std::string& to) = 0;
  // false where there is no such row of that kind.
  virtual Result<bool> DeleteEntry(const EntryKey& key, EntryKind kind) = 0;
  // false where there is no row `from` of that kind. The caller has checked that `to` is free.
  virtual Result<bool> RenameEntry(const EntryKey& from, const EntryKey& to, EntryKind kind) = 0;

  // Notes that the files of a dropped table are to be removed.
  virtual Status OweDeletion(const std::string& metadata_location, const std::string& table_uuid,
                             int64_t due_ms) = 0;
  // Notes that it could not be done for now, and why. Success where it is not owed any more.
  virtual Status PostponeDeletion(int64_t id, int64_t due_ms, const std::string& obstacle) = 0;
  // Forgets it. Success where it is not owed any more.
  virtual Status SettleDeletion(int64_t id) = 0;
  // Adds the function or lets it point elsewhere. Its namespace has been found to exist; it gets a
  // row of its own, so that it outlives the tables in it.
  virtual Status PutFunction(const EntryKey& key, const std::string& metadata_location) = 0;
  // false where there is no such function.
  virtual Result<bool> DeleteFunction(const EntryKey& key) = 0;

  // A change of no meaning, which takes what any other does: the lock, room, and a sync.
  virtual Status Touch() = 0;

  // Records a catalog, unless one of its name is recorded.
  virtual Status RecordCatalog(const CatalogRecord& record) = 0;
  // Lets a recorded catalog have its warehouse elsewhere. Success where none of its name is
  // recorded.
  virtual Status MoveWarehouse(const CatalogRecord& record) = 0;

  // Keeps the reports, in their order, in the place of the oldest ones where there are too many.
  virtual Status AddMetrics(const std::vector<MetricsRecord>& reports) = 0;
  // false where the key has a record that has not expired. Removes some of those that have.
  virtual Result<bool> InsertKeyRecord(const std::string& key, const KeyRecord& record,
                                       int64_t now_ms) = 0;

  // false where a principal already has that name.
  virtual Result<bool> InsertPrincipal(const PrincipalRecord& record) = 0;
  // false where there is no principal of that name.
  virtual Result<bool> SetPrincipalSecret(const std::string& name, const std::string& secret_hash,
                                          const std::string& generation) = 0;
  virtual Result<bool> DeletePrincipal(const std::string& name) = 0;
  // Leaves the key that is there already.
  virtual Status InsertSigningKey(const std::string& key) = 0;
};

// Which catalog a Store without a chosen name is for, where the file holds several.
enum class SeveralCatalogs { kRefuse, kTakeFirst };

// What may be opened that is not there: a file, the tables in it, a catalog among them.
enum class NotThere { kBegin, kRefuse };

// Who may read a file that is made: whom the umask lets, or its owner alone, as for one that is to
// hold secrets. The files that SQLite keeps beside it are like it.
enum class NewFileReaders { kByUmask, kOwner };

struct StoreOptions {
  // Empty: the one name in the file, or `default`.
  std::string catalog_name = {};
  SeveralCatalogs several = SeveralCatalogs::kRefuse;
  NotThere not_there = NotThere::kBegin;
  NewFileReaders new_file_readers = NewFileReaders::kByUmask;
  int busy_timeout_ms = 10'000;
};

// Threads: every method may be called from any thread at the same time. Reads never wait for
// writes. Writes of one process queue in arrival order and share transactions (group commit); the
// body of a write may run on the thread of another caller of Write while its own waits.
//
// A body should not call the Store that runs it: in memory it would wait for itself.
class Store {
 public:
  // Opens, creates or migrates the file. Errors: kInvalidArgument (not a database; with
  // NotThere::kRefuse: no tables of a catalog), kNoSuchWarehouse (several catalog names and none
  // chosen, or with NotThere::kRefuse one that is not there: all are named), kUnsupported (a newer
  // berglite's file), kUnavailable (it cannot be opened or written, or is not there). `:memory:` is
  // private to this Store.
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options);
  virtual ~Store() = default;

  virtual const std::string& catalog_name() const = 0;
  // Whether the file was another program's alone until it was opened here.
  virtual bool was_foreign() const { return false; }

  // A Store for another catalog of the same file. It shares the connections and the queue of
  // writes, and may outlive this one.
  virtual std::unique_ptr<Store> Sibling(const std::string& catalog_name) = 0;

  // Runs `body` on one consistent state and returns its status. Errors of its own: kUnavailable,
  // kInternal.
  virtual Status Read(const std::function<Status(Reader&)>& body) = 0;

  // Writes a copy of the whole file, with all its catalogs, as it is at one instant, to a new file
  // at `path`. Neither reads nor writes of the file wait for it. Errors: those of
  // sqlite::CopyDatabase.
  virtual Status CopyTo(const std::string& path,
                        const std::function<void(size_t done, size_t total)>& on_progress) = 0;

  // Runs `body` in a serialized transaction, together with other waiting bodies but with a
  // savepoint of its own: where it returns an error, its changes alone are undone and the error is
  // returned. Success means committed and durable. `body` may run more than once (each time on a
  // fresh state, its earlier changes undone) and must not touch anything else that matters.
  //
  // `landed` tells from the rows whether the change of `body` is there. It is asked only when
  // COMMIT itself failed. Then: there, success; not there, kUnavailable; cannot tell,
  // kCommitStateUnknown.
  virtual Status Write(const std::function<Status(Writer&)>& body,
                       const std::function<Result<bool>(Reader&)>& landed) = 0;

  // Runs `body` once on the committed state while nobody else can change it, in this process or in
  // another: for a change outside of the file that must agree with it. All writers wait meanwhile.
  // Errors as in Read.
  virtual Status ReadAlone(const std::function<Status(Reader&)>& body) = 0;

  // What became of the writes of this Store and its siblings. Zeros where they do not queue.
  virtual WriteCounters ReadCounters() { return {}; }

  // The paths of the files that it is kept in or may be at times; none in memory.
  virtual std::vector<std::string> FilePaths() const = 0;
};

// Copies a catalog file that need not be berglite's, and stays as it is. Errors: kUnavailable where
// it cannot be opened, kInvalidArgument where it is no SQLite database; those of CopyDatabase.
Status CopyCatalogFile(const std::string& from, const std::string& to);

}  // namespace berglite::store
