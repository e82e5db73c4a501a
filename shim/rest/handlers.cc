#include "shim/rest/handlers.h"

#include <charconv>
#include <limits>
#include <utility>

#include "shim/rest/operations.h"

namespace berglite::rest {

namespace {

HttpReply NoContent(const Call& call) {
  HttpReply reply;
  reply.status = call.operation.success_status;
  return reply;
}

HttpReply Content(const Call& call, Document document) {
  HttpReply reply = NoContent(call);
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.document = std::move(document);
  return reply;
}

Result<HttpReply> ToReply(const Call& call, Result<Document> document) {
  if (!document) return std::move(document).error();
  return Content(call, *std::move(document));
}

Result<HttpReply> ToReply(const Call& call, const Status& status) {
  if (!status) return status.error();
  return NoContent(call);
}

Result<HttpReply> ToReply(const Call& call, Result<LoadedTable> loaded) {
  if (!loaded) return std::move(loaded).error();
  HttpReply reply = loaded->body ? Content(call, *std::move(loaded->body)) : NoContent(call);
  if (!reply.document) reply.status = 304;
  if (!loaded->etag.empty()) reply.headers.emplace_back("ETag", std::move(loaded->etag));
  return reply;
}

// As in the messages of the reference implementation: levels and name, joined by dots.
std::string ToText(const TableIdentifier& target) {
  std::string text;
  for (const std::string& level : target.name_space) text += level + ".";
  text += target.name;
  if (target.name.empty() && !text.empty()) text.pop_back();
  return text;
}

// The body of the request, which must be a JSON object. Requests of other types are refused since
// pages in a browser may send those to any server.
Result<Document> ReadBody(const Call& call) {
  if (call.request.body.empty()) {
    return Error{ErrorKind::kMalformedRequest, "The request has no body; expected a JSON object"};
  }
  if (!HasContentType(call.request, "application/json")) {
    return Error{ErrorKind::kMalformedRequest, "Expected Content-Type: application/json"};
  }
  BERGLITE_ASSIGN_OR_RETURN(Document body, Document::Parse(call.request.body));
  size_t begin = body.text().find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || body.text()[begin] != '{') {
    return Error{ErrorKind::kMalformedRequest, "The body is not a JSON object"};
  }
  return body;
}

Error BadParameter(std::string_view name, std::string_view expected, std::string_view found) {
  std::string message = "Invalid " + std::string(name) + ": expected " + std::string(expected);
  return Error{ErrorKind::kInvalidArgument, message + ", found '" + std::string(found) + "'"};
}

// Page sizes past what a number can hold ask for as much as there is.
Result<int64_t> ParsePageSize(const std::string& text) {
  int64_t size = 0;
  const char* end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, size);
  if (stop == end && code == std::errc::result_out_of_range && text.front() != '-') {
    return std::numeric_limits<int64_t>::max();
  }
  if (stop != end || code != std::errc() || size < 1) {
    return BadParameter("pageSize", "a whole number above 0", text);
  }
  return size;
}

// A page size is checked always, but only heeded with a token: a client that sends none may not
// follow tokens.
Result<ListOptions> ReadListOptions(const Call& call) {
  ListOptions options;
  const std::string* token = call.query.Find("pageToken");
  // The C++ client's spelling.
  if (token == nullptr) token = call.query.Find("page_token");
  if (token != nullptr) options.page_token = *token;
  if (const std::string* size = call.query.Find("pageSize")) {
    BERGLITE_ASSIGN_OR_RETURN(options.page_size, ParsePageSize(*size));
  }
  return options;
}

Result<Document> ListChildren(const Call& call, std::string_view parent,
                              const ListOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(Namespace name_space, SplitNamespace(parent));
  return call.catalog.ListNamespaces(name_space, options);
}

}  // namespace

bool HasContentType(const HttpRequest& request, std::string_view type) {
  const std::string* value = request.FindHeader("Content-Type");
  if (value == nullptr) return false;
  return EqualsIgnoringCase(TrimSpace(std::string_view(*value).substr(0, value->find(';'))), type);
}

Result<HttpReply> GetConfig(const Call& call) { return Content(call, call.config); }

Result<HttpReply> ListNamespaces(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(ListOptions options, ReadListOptions(call));
  const std::string* parent = call.query.Find("parent");
  if (parent == nullptr || parent->empty()) {
    return ToReply(call, call.catalog.ListNamespaces({}, options));
  }
  Result<Document> list = ListChildren(call, *parent, options);
  // Python and C++ encode the parent twice where it has special characters. The first reading comes
  // first, since a name may hold a percent sign.
  bool may_be_encoded_twice = !list && HoldsPercentEscape(*parent) &&
                              (list.error().kind == ErrorKind::kNoSuchNamespace ||
                               list.error().kind == ErrorKind::kInvalidArgument);
  if (may_be_encoded_twice) {
    Result<Document> second = ListChildren(call, PercentDecode(*parent, PlusSign::kPlus), options);
    if (second || second.error().kind != ErrorKind::kNoSuchNamespace) list = std::move(second);
  }
  return ToReply(call, std::move(list));
}

Result<HttpReply> CreateNamespace(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.CreateNamespace(body, call.mutation));
}

Result<HttpReply> LoadNamespaceMetadata(const Call& call) {
  return ToReply(call, call.catalog.LoadNamespaceMetadata(call.target.name_space));
}

Result<HttpReply> NamespaceExists(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, call.catalog.NamespaceExists(call.target.name_space));
  if (exists) return NoContent(call);
  return Error{ErrorKind::kNoSuchNamespace, "Namespace does not exist: " + ToText(call.target)};
}

Result<HttpReply> DropNamespace(const Call& call) {
  return ToReply(call, call.catalog.DropNamespace(call.target.name_space, call.mutation));
}

Result<HttpReply> UpdateProperties(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.UpdateProperties(call.target.name_space, body, call.mutation));
}

Result<HttpReply> ListTables(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(ListOptions options, ReadListOptions(call));
  return ToReply(call, call.catalog.ListTables(call.target.name_space, options));
}

Result<HttpReply> CreateTable(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.CreateTable(call.target.name_space, body, call.mutation));
}

Result<HttpReply> ListFunctions(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(ListOptions options, ReadListOptions(call));
  return ToReply(call, call.catalog.ListFunctions(call.target.name_space, options));
}

Result<HttpReply> LoadFunction(const Call& call) {
  return ToReply(call, call.catalog.LoadFunction(call.target));
}

Result<HttpReply> RegisterTable(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.RegisterTable(call.target.name_space, body, call.mutation));
}

Result<HttpReply> LoadTable(const Call& call) {
  LoadTableOptions options;
  if (const std::string* snapshots = call.query.Find("snapshots")) {
    if (EqualsIgnoringCase(*snapshots, "refs")) {
      options.snapshots = SnapshotMode::kRefs;
    } else if (!EqualsIgnoringCase(*snapshots, "all")) {
      return BadParameter("snapshots", "all or refs", *snapshots);
    }
  }
  if (const std::string* held = call.request.FindHeader("If-None-Match")) {
    options.if_none_match = *held;
  }
  return ToReply(call, call.catalog.LoadTable(call.target, options));
}

// The path alone decides which table is meant: some clients put another identifier into the body.
Result<HttpReply> UpdateTable(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.UpdateTable(call.target, body, call.mutation));
}

Result<HttpReply> DropTable(const Call& call) {
  DropTableOptions options;
  if (const std::string* purge = call.query.Find("purgeRequested")) {
    options.purge_requested = EqualsIgnoringCase(*purge, "true");
    if (!options.purge_requested && !EqualsIgnoringCase(*purge, "false")) {
      return BadParameter("purgeRequested", "true or false", *purge);
    }
  }
  return ToReply(call, call.catalog.DropTable(call.target, options, call.mutation));
}

Result<HttpReply> TableExists(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, call.catalog.TableExists(call.target));
  if (exists) return NoContent(call);
  return Error{ErrorKind::kNoSuchTable, "Table does not exist: " + ToText(call.target)};
}

// The specification gives this request no body; one that comes is not looked at.
Result<HttpReply> UnregisterTable(const Call& call) {
  return ToReply(call, call.catalog.UnregisterTable(call.target, call.mutation));
}

Result<HttpReply> LoadCredentials(const Call& call) {
  return ToReply(call, call.catalog.LoadCredentials(call.target));
}

Result<HttpReply> RenameTable(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.RenameTable(body, call.mutation));
}

Result<HttpReply> ReportMetrics(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.ReportMetrics(call.target, body));
}

Result<HttpReply> CommitTransaction(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.CommitTransaction(body, call.mutation));
}

Result<HttpReply> ListViews(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(ListOptions options, ReadListOptions(call));
  return ToReply(call, call.catalog.ListViews(call.target.name_space, options));
}

Result<HttpReply> CreateView(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.CreateView(call.target.name_space, body, call.mutation));
}

Result<HttpReply> LoadView(const Call& call) {
  return ToReply(call, call.catalog.LoadView(call.target));
}

// As with tables, the path alone decides which view is meant.
Result<HttpReply> ReplaceView(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.ReplaceView(call.target, body, call.mutation));
}

Result<HttpReply> DropView(const Call& call) {
  return ToReply(call, call.catalog.DropView(call.target, call.mutation));
}

Result<HttpReply> ViewExists(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, call.catalog.ViewExists(call.target));
  if (exists) return NoContent(call);
  return Error{ErrorKind::kNoSuchView, "View does not exist: " + ToText(call.target)};
}

Result<HttpReply> RenameView(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.RenameView(body, call.mutation));
}

Result<HttpReply> RegisterView(const Call& call) {
  BERGLITE_ASSIGN_OR_RETURN(Document body, ReadBody(call));
  return ToReply(call, call.catalog.RegisterView(call.target.name_space, body, call.mutation));
}

}  // namespace berglite::rest
