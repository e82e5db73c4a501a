// A catalog in memory that knows which namespaces, tables and views exist, notes what it was called
// with and answers what a test asks for.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "berglite/catalog.h"

namespace berglite::rest {

class FakeCatalog final : public Catalog {
 public:
  // Set by tests.
  std::set<Namespace> namespaces;
  std::set<std::pair<Namespace, std::string>> tables;
  std::set<std::pair<Namespace, std::string>> views;
  // What every method fails with.
  std::optional<Error> failure;
  // Every method throws, as where memory runs out.
  bool throws = false;
  std::string etag = "\"v1\"";
  std::string table_body = R"({"metadata-location":"file:///m","metadata":{},"config":{}})";

  Counters counters;

  // Noted for tests. `calls` holds an entry such as `LoadTable a/b/t` for each call.
  std::vector<std::string> calls;
  std::string last_body;
  ListOptions last_list;
  LoadTableOptions last_load;
  DropTableOptions last_drop;
  std::optional<std::string> last_key;

  const std::string& name() const override { return name_; }
  const std::string& warehouse() const override { return warehouse_; }
  Status CheckWritable() override { return Note("CheckWritable", Namespace()); }

  Result<CheckReport> Check(const CheckOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("Check", Namespace()));
    return CheckReport{};
  }
  Result<OrphanFilesReport> FindOrphanFiles(const OrphanFilesOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("FindOrphanFiles", Namespace()));
    return OrphanFilesReport{};
  }
  Result<OrphanFilesReport> RemoveOrphanFiles(const OrphanFilesOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("RemoveOrphanFiles", Namespace()));
    return OrphanFilesReport{};
  }
  Result<RelocationReport> PlanRelocation(const RelocationOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("PlanRelocation", Namespace()));
    return RelocationReport();
  }
  Result<RelocationReport> Relocate(const RelocationOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("Relocate", Namespace()));
    return RelocationReport();
  }
  Status Backup(const std::string& path, const BackupOptions&) override {
    return Note("Backup " + path, Namespace());
  }
  Counters ReadCounters() override { return counters; }

  Result<Document> ListNamespaces(const Namespace& parent, const ListOptions& options) override {
    last_list = options;
    BERGLITE_RETURN_IF_ERROR(Note("ListNamespaces", parent));
    if (!parent.empty()) BERGLITE_RETURN_IF_ERROR(FindNamespace(parent));
    return Document::Parse(R"({"namespaces":[]})");
  }
  Result<Document> CreateNamespace(const Document& request,
                                   const MutationOptions& options) override {
    last_key = options.idempotency_key;
    return NoteBody("CreateNamespace", {}, request);
  }
  Result<Document> LoadNamespaceMetadata(const Namespace& name_space) override {
    BERGLITE_RETURN_IF_ERROR(Note("LoadNamespaceMetadata", name_space));
    BERGLITE_RETURN_IF_ERROR(FindNamespace(name_space));
    return Document();
  }
  Result<bool> NamespaceExists(const Namespace& name_space) override {
    BERGLITE_RETURN_IF_ERROR(Note("NamespaceExists", name_space));
    return namespaces.contains(name_space);
  }
  Status DropNamespace(const Namespace& name_space, const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(Note("DropNamespace", name_space));
    return FindNamespace(name_space);
  }
  Result<Document> UpdateProperties(const Namespace& name_space, const Document& request,
                                    const MutationOptions& options) override {
    last_key = options.idempotency_key;
    return NoteBody("UpdateProperties", name_space, request);
  }
  Result<Document> ListTables(const Namespace& name_space, const ListOptions& options) override {
    last_list = options;
    BERGLITE_RETURN_IF_ERROR(Note("ListTables", name_space));
    BERGLITE_RETURN_IF_ERROR(FindNamespace(name_space));
    return Document::Parse(R"({"identifiers":[]})");
  }
  Result<LoadedTable> CreateTable(const Namespace& name_space, const Document& request,
                                  const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(NoteBody("CreateTable", name_space, request));
    BERGLITE_RETURN_IF_ERROR(FindNamespace(name_space));
    return Loaded();
  }
  Result<LoadedTable> RegisterTable(const Namespace& name_space, const Document& request,
                                    const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(NoteBody("RegisterTable", name_space, request));
    return Loaded();
  }
  Result<LoadedTable> LoadTable(const TableIdentifier& table,
                                const LoadTableOptions& options) override {
    last_load = options;
    BERGLITE_RETURN_IF_ERROR(Note("LoadTable", table));
    BERGLITE_RETURN_IF_ERROR(FindTable(table));
    if (options.if_none_match == etag) return LoadedTable{std::nullopt, etag};
    return Loaded();
  }
  Result<bool> TableExists(const TableIdentifier& table) override {
    BERGLITE_RETURN_IF_ERROR(Note("TableExists", table));
    return tables.contains({table.name_space, table.name});
  }
  Result<LoadedTable> UpdateTable(const TableIdentifier& table, const Document& request,
                                  const MutationOptions& options) override {
    last_key = options.idempotency_key;
    last_body = request.text();
    BERGLITE_RETURN_IF_ERROR(Note("UpdateTable", table));
    return Loaded();
  }
  Status DropTable(const TableIdentifier& table, const DropTableOptions& drop,
                   const MutationOptions& options) override {
    last_drop = drop;
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(Note("DropTable", table));
    return FindTable(table);
  }
  PurgeTotals FinishPurges() override { return {}; }
  Result<Document> UnregisterTable(const TableIdentifier& table,
                                   const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(Note("UnregisterTable", table));
    BERGLITE_RETURN_IF_ERROR(FindTable(table));
    return Document::Parse(table_body);
  }
  Result<Document> LoadCredentials(const TableIdentifier& table) override {
    BERGLITE_RETURN_IF_ERROR(Note("LoadCredentials", table));
    BERGLITE_RETURN_IF_ERROR(FindTable(table));
    return Document::Parse(R"({"storage-credentials":[]})");
  }
  Status RenameTable(const Document& request, const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(NoteBody("RenameTable", {}, request));
    return {};
  }
  Status CommitTransaction(const Document& request, const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(NoteBody("CommitTransaction", {}, request));
    return {};
  }
  Status ReportMetrics(const TableIdentifier& table, const Document& request) override {
    last_body = request.text();
    return Note("ReportMetrics", table);
  }
  Result<std::vector<MetricsReport>> ListMetrics(const TableIdentifier& table) override {
    BERGLITE_RETURN_IF_ERROR(Note("ListMetrics", table));
    return std::vector<MetricsReport>();
  }
  Result<Document> ListFunctions(const Namespace& name_space, const ListOptions& options) override {
    last_list = options;
    BERGLITE_RETURN_IF_ERROR(Note("ListFunctions", name_space));
    BERGLITE_RETURN_IF_ERROR(FindNamespace(name_space));
    return Document::Parse(R"({"identifiers":[]})");
  }
  Result<Document> LoadFunction(const TableIdentifier& function) override {
    BERGLITE_RETURN_IF_ERROR(Note("LoadFunction", function));
    return Document();
  }
  Result<Document> RegisterFunction(const TableIdentifier& function, const std::string&,
                                    const RegisterFunctionOptions&) override {
    BERGLITE_RETURN_IF_ERROR(Note("RegisterFunction", function));
    return Document();
  }
  Status DropFunction(const TableIdentifier& function) override {
    return Note("DropFunction", function);
  }
  Result<Document> ListViews(const Namespace& name_space, const ListOptions& options) override {
    last_list = options;
    BERGLITE_RETURN_IF_ERROR(Note("ListViews", name_space));
    BERGLITE_RETURN_IF_ERROR(FindNamespace(name_space));
    return Document::Parse(R"({"identifiers":[]})");
  }
  Result<Document> CreateView(const Namespace& name_space, const Document& request,
                              const MutationOptions& options) override {
    last_key = options.idempotency_key;
    return NoteBody("CreateView", name_space, request);
  }
  Result<Document> RegisterView(const Namespace& name_space, const Document& request,
                                const MutationOptions& options) override {
    last_key = options.idempotency_key;
    return NoteBody("RegisterView", name_space, request);
  }
  Result<Document> LoadView(const TableIdentifier& view) override {
    BERGLITE_RETURN_IF_ERROR(Note("LoadView", view));
    BERGLITE_RETURN_IF_ERROR(FindView(view));
    return Document();
  }
  Result<bool> ViewExists(const TableIdentifier& view) override {
    BERGLITE_RETURN_IF_ERROR(Note("ViewExists", view));
    return views.contains({view.name_space, view.name});
  }
  Result<Document> ReplaceView(const TableIdentifier& view, const Document& request,
                               const MutationOptions& options) override {
    last_key = options.idempotency_key;
    last_body = request.text();
    BERGLITE_RETURN_IF_ERROR(Note("ReplaceView", view));
    return request;
  }
  Status DropView(const TableIdentifier& view, const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(Note("DropView", view));
    return FindView(view);
  }
  Status RenameView(const Document& request, const MutationOptions& options) override {
    last_key = options.idempotency_key;
    BERGLITE_RETURN_IF_ERROR(NoteBody("RenameView", {}, request));
    return {};
  }

 private:
  Status Note(std::string call, const Namespace& name_space) {
    for (size_t i = 0; i < name_space.size(); ++i) call += (i == 0 ? " " : "/") + name_space[i];
    calls.push_back(std::move(call));
    if (throws) throw std::runtime_error("thrown inside");
    if (failure) return *failure;
    return {};
  }
  Status Note(std::string call, const TableIdentifier& table) {
    Namespace path = table.name_space;
    path.push_back(table.name);
    return Note(std::move(call), path);
  }
  Result<Document> NoteBody(std::string call, const Namespace& name_space,
                            const Document& request) {
    last_body = request.text();
    BERGLITE_RETURN_IF_ERROR(Note(std::move(call), name_space));
    return request;
  }
  Status FindNamespace(const Namespace& name_space) const {
    if (namespaces.contains(name_space)) return {};
    return Error{ErrorKind::kNoSuchNamespace, "Namespace does not exist: " + name_space.front()};
  }
  Status FindTable(const TableIdentifier& table) const {
    if (tables.contains({table.name_space, table.name})) return {};
    return Error{ErrorKind::kNoSuchTable, "Table does not exist: " + table.name};
  }
  Status FindView(const TableIdentifier& view) const {
    if (views.contains({view.name_space, view.name})) return {};
    return Error{ErrorKind::kNoSuchView, "View does not exist: " + view.name};
  }
  Result<LoadedTable> Loaded() const {
    BERGLITE_ASSIGN_OR_RETURN(Document body, Document::Parse(table_body));
    return LoadedTable{std::move(body), etag};
  }

  const std::string name_ = "default";
  const std::string warehouse_ = "file:///warehouse";
};

}  // namespace berglite::rest
