#include "shim/rest/operations.h"

#include "shim/rest/handlers.h"

namespace berglite::rest {

namespace {

#define BERGLITE_NAMESPACES "/v1/{prefix}/namespaces"
#define BERGLITE_NAMESPACE BERGLITE_NAMESPACES "/{namespace}"
#define BERGLITE_TABLE BERGLITE_NAMESPACE "/tables/{table}"
#define BERGLITE_VIEW BERGLITE_NAMESPACE "/views/{view}"

// In the order of the specification.
constexpr std::array<Operation, kOperationCount> kOperations = {{
    {"getConfig", "GET", "/v1/config", 200, kPlain, GetConfig},
    {"getToken", "POST", "/v1/oauth/tokens", 200, kReads | kOpen, GetToken},
    {"listNamespaces", "GET", BERGLITE_NAMESPACES, 200, kPlain, ListNamespaces},
    {"createNamespace", "POST", BERGLITE_NAMESPACES, 200, kTakesKey, CreateNamespace},
    {"loadNamespaceMetadata", "GET", BERGLITE_NAMESPACE, 200, kPlain, LoadNamespaceMetadata},
    {"namespaceExists", "HEAD", BERGLITE_NAMESPACE, 204, kPlain, NamespaceExists},
    {"dropNamespace", "DELETE", BERGLITE_NAMESPACE, 204, kTakesKey, DropNamespace},
    {"updateProperties", "POST", BERGLITE_NAMESPACE "/properties", 200, kTakesKey,
     UpdateProperties},
    {"listTables", "GET", BERGLITE_NAMESPACE "/tables", 200, kPlain, ListTables},
    {"createTable", "POST", BERGLITE_NAMESPACE "/tables", 200, kTakesKey, CreateTable},
    {"listFunctions", "GET", BERGLITE_NAMESPACE "/functions", 200, kPlain, ListFunctions},
    {"loadFunction", "GET", BERGLITE_NAMESPACE "/functions/{function}", 200, kPlain, LoadFunction},
    {"planTableScan", "POST", BERGLITE_TABLE "/plan", 200, kTakesKey | kReads, nullptr},
    {"fetchPlanningResult", "GET", BERGLITE_TABLE "/plan/{plan-id}", 200, kPlain, nullptr},
    {"cancelPlanning", "DELETE", BERGLITE_TABLE "/plan/{plan-id}", 204, kTakesKey | kReads,
     nullptr},
    {"fetchScanTasks", "POST", BERGLITE_TABLE "/tasks", 200, kTakesKey | kReads, nullptr},
    {"registerTable", "POST", BERGLITE_NAMESPACE "/register", 200, kTakesKey, RegisterTable},
    {"loadTable", "GET", BERGLITE_TABLE, 200, kPlain, LoadTable},
    {"updateTable", "POST", BERGLITE_TABLE, 200, kTakesKey | kCommits, UpdateTable},
    {"dropTable", "DELETE", BERGLITE_TABLE, 204, kTakesKey, DropTable},
    {"tableExists", "HEAD", BERGLITE_TABLE, 204, kPlain, TableExists},
    {"unregisterTable", "POST", BERGLITE_TABLE "/unregister", 200, kTakesKey, UnregisterTable},
    {"loadCredentials", "GET", BERGLITE_TABLE "/credentials", 200, kPlain, LoadCredentials},
    {"signRequest", "POST", BERGLITE_TABLE "/sign", 200, kPlain, nullptr},
    {"renameTable", "POST", "/v1/{prefix}/tables/rename", 204, kTakesKey, RenameTable},
    {"reportMetrics", "POST", BERGLITE_TABLE "/metrics", 204, kReads, ReportMetrics},
    {"commitTransaction", "POST", "/v1/{prefix}/transactions/commit", 204, kTakesKey | kCommits,
     CommitTransaction},
    {"listViews", "GET", BERGLITE_NAMESPACE "/views", 200, kPlain, ListViews},
    {"createView", "POST", BERGLITE_NAMESPACE "/views", 200, kTakesKey, CreateView},
    {"loadView", "GET", BERGLITE_VIEW, 200, kPlain, LoadView},
    {"replaceView", "POST", BERGLITE_VIEW, 200, kTakesKey | kCommits, ReplaceView},
    {"dropView", "DELETE", BERGLITE_VIEW, 204, kTakesKey, DropView},
    {"viewExists", "HEAD", BERGLITE_VIEW, 204, kPlain, ViewExists},
    {"renameView", "POST", "/v1/{prefix}/views/rename", 204, kTakesKey, RenameView},
    {"registerView", "POST", BERGLITE_NAMESPACE "/register-view", 200, kTakesKey, RegisterView},
}};

#undef BERGLITE_NAMESPACES
#undef BERGLITE_NAMESPACE
#undef BERGLITE_TABLE
#undef BERGLITE_VIEW

}  // namespace

bool Writes(const Operation& operation) {
  return operation.method != "GET" && operation.method != "HEAD" &&
         (operation.traits & kReads) == 0;
}

const std::array<Operation, kOperationCount>& Operations() { return kOperations; }

}  // namespace berglite::rest
