// An application with a catalog of its own: opens the file, creates a namespace and a table,
// commits to it and lists what is there. A berglite server may serve the same file at the same
// time.
//
//   ./embedded [catalog-file]

#include <cstdio>
#include <string>

#include <berglite/catalog.h>

namespace {

using berglite::Catalog;
using berglite::Document;
using berglite::ErrorKind;
using berglite::LoadedTable;
using berglite::Namespace;
using berglite::Result;
using berglite::Status;

Result<Document> Parse(const char* text) { return Document::Parse(text); }

Status Run(const std::string& path) {
  BERGLITE_ASSIGN_OR_RETURN(auto catalog, Catalog::Open(path));
  const Namespace sales{"sales"};

  // Requests are those of the Iceberg REST specification.
  BERGLITE_ASSIGN_OR_RETURN(Document new_namespace,
                            Parse(R"({"namespace": ["sales"], "properties": {"owner": "me"}})"));
  Result<Document> created = catalog->CreateNamespace(new_namespace);
  if (!created && created.error().kind != ErrorKind::kAlreadyExists) return created.error();

  BERGLITE_ASSIGN_OR_RETURN(Document new_table, Parse(R"({
    "name": "orders",
    "schema": {"type": "struct", "fields": [
      {"id": 1, "name": "id", "type": "long", "required": true},
      {"id": 2, "name": "placed_at", "type": "timestamptz", "required": false}]},
    "partition-spec": {"fields": [
      {"source-id": 2, "transform": "day", "name": "placed_day"}]}
  })"));
  Result<LoadedTable> orders = catalog->CreateTable(sales, new_table);
  if (!orders && orders.error().kind == ErrorKind::kAlreadyExists) {
    orders = catalog->LoadTable({sales, "orders"}, {});
  }
  if (!orders) return orders.error();
  BERGLITE_ASSIGN_OR_RETURN(std::string uuid, orders->body->GetString("/metadata/table-uuid"));

  // A commit: it is made only if the table is still the one that was loaded.
  std::string commit = R"({"requirements": [{"type": "assert-table-uuid", "uuid": ")" + uuid +
                       R"("}], "updates": [{"action": "set-properties",
                           "updates": {"comment": "set by an application"}}]})";
  BERGLITE_ASSIGN_OR_RETURN(Document update, Document::Parse(commit));
  BERGLITE_ASSIGN_OR_RETURN(LoadedTable committed, catalog->UpdateTable({sales, "orders"}, update));
  BERGLITE_ASSIGN_OR_RETURN(std::string location, committed.body->GetString("/metadata-location"));
  std::printf("committed %s\n", location.c_str());

  BERGLITE_ASSIGN_OR_RETURN(Document tables, catalog->ListTables(sales, {}));
  std::printf("tables: %s\n", tables.text().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Status status = Run(argc > 1 ? argv[1] : "lake.db");
  if (!status) {
    std::fprintf(stderr, "embedded: %s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
}
