// The handlers: one function for each served operation, named after its operationId. A handler
// reads the parameters of its operation, calls the Catalog and wraps the result.
//
// Threads: a handler keeps nothing between calls.
// Errors: those of the Catalog, and kInvalidArgument or kMalformedRequest for a parameter or a body
// that cannot be taken. A thing that does not exist is an error also for the HEAD operations.
#pragma once

#include <string>

#include "berglite/catalog.h"
#include "berglite/document.h"
#include "berglite/result.h"
#include "shim/rest/encoding.h"
#include "shim/rest/http.h"

namespace berglite::rest {

class Authenticator;
struct Operation;

// All that a handler may look at. Borrowed for the call.
struct Call {
  Catalog& catalog;
  const Operation& operation;
  const HttpRequest& request;
  const Parameters& query;
  // The answer of getConfig.
  const Document& config;
  // With the key of the request where the operation takes one.
  MutationOptions mutation;
  // From the path; empty where the operation's path names none.
  TableIdentifier target;
  // Null where anybody may call.
  Authenticator* authenticator = nullptr;
};

Result<HttpReply> GetConfig(const Call& call);
Result<HttpReply> GetToken(const Call& call);
Result<HttpReply> ListNamespaces(const Call& call);
Result<HttpReply> CreateNamespace(const Call& call);
Result<HttpReply> LoadNamespaceMetadata(const Call& call);
Result<HttpReply> NamespaceExists(const Call& call);
Result<HttpReply> DropNamespace(const Call& call);
Result<HttpReply> UpdateProperties(const Call& call);
Result<HttpReply> ListTables(const Call& call);
Result<HttpReply> CreateTable(const Call& call);
Result<HttpReply> ListFunctions(const Call& call);
Result<HttpReply> LoadFunction(const Call& call);
Result<HttpReply> RegisterTable(const Call& call);
Result<HttpReply> LoadTable(const Call& call);
Result<HttpReply> UpdateTable(const Call& call);
Result<HttpReply> DropTable(const Call& call);
Result<HttpReply> TableExists(const Call& call);
Result<HttpReply> UnregisterTable(const Call& call);
Result<HttpReply> LoadCredentials(const Call& call);
Result<HttpReply> RenameTable(const Call& call);
Result<HttpReply> ReportMetrics(const Call& call);
Result<HttpReply> CommitTransaction(const Call& call);
Result<HttpReply> ListViews(const Call& call);
Result<HttpReply> CreateView(const Call& call);
Result<HttpReply> LoadView(const Call& call);
Result<HttpReply> ReplaceView(const Call& call);
Result<HttpReply> DropView(const Call& call);
Result<HttpReply> ViewExists(const Call& call);
Result<HttpReply> RenameView(const Call& call);
Result<HttpReply> RegisterView(const Call& call);

// Whether the Content-Type of the request is `type`; parameters such as a charset do not matter.
bool HasContentType(const HttpRequest& request, std::string_view type);

}  // namespace berglite::rest
