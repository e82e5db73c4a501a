#include "shim/transfer/remote_catalog.h"

#include <algorithm>
#include <set>
#include <utility>

#include "shim/rest/encoding.h"
#include "shim/transfer/http_client.h"
#include "shim/transfer/json.h"

namespace berglite::transfer {
namespace {

constexpr const char* kRegisterView = "POST /v1/{prefix}/namespaces/{namespace}/register-view";

// What an answer that is no success means to a transfer.
ErrorKind KindOf(long status, const std::string& type) {
  if (type == "NoSuchNamespaceException") return ErrorKind::kNoSuchNamespace;
  if (type == "NoSuchTableException") return ErrorKind::kNoSuchTable;
  if (type == "NoSuchViewException") return ErrorKind::kNoSuchView;
  if (type == "NoSuchWarehouseException") return ErrorKind::kNoSuchWarehouse;
  switch (status) {
    case 401:
    case 403:
      return ErrorKind::kNotAuthorized;
    case 404:
      return ErrorKind::kNotFound;
    case 405:
    case 406:
    case 501:
      return ErrorKind::kUnsupported;
    case 409:
      return ErrorKind::kAlreadyExists;
    case 429:
    case 503:
      return ErrorKind::kUnavailable;
    default:
      return status < 500 ? ErrorKind::kInvalidArgument : ErrorKind::kInternal;
  }
}

// Reads IcebergErrorResponse, or what a proxy has said instead.
Error ToError(const HttpResponse& response) {
  const Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  std::string type;
  std::string message = "HTTP status " + std::to_string(response.status);
  if (body.is_object() && body.contains("error") && body["error"].is_object()) {
    const Json& error = body["error"];
    if (error.contains("type") && error["type"].is_string()) type = error["type"];
    if (error.contains("message") && error["message"].is_string()) {
      message += ", " + type + ": " + error["message"].get<std::string>();
    }
  }
  return Error{KindOf(response.status, type), message};
}

// The one door for what a stranger sends: encoding and depth are checked before anything walks
// through it.
Result<Document> ToCheckedDocument(HttpResponse response, const std::string& url) {
  const size_t size = response.body.size();
  Result<Document> document = Document::Parse(std::move(response.body), size);
  if (document) return document;
  return Error{ErrorKind::kInternal, "Expected JSON from " + url + ": " + document.error().message};
}

Result<Json> ToObject(HttpResponse response, const std::string& url) {
  BERGLITE_ASSIGN_OR_RETURN(const Document document, ToCheckedDocument(std::move(response), url));
  Json body = ToJson(document);
  if (body.is_object()) return body;
  return Error{ErrorKind::kInternal, "Expected a JSON object from " + url};
}

// A text member of an object, or `otherwise`.
std::string TextOf(const Json& object, const char* member, std::string otherwise) {
  const auto found = object.find(member);
  if (found == object.end() || !found->is_string()) return otherwise;
  return found->get<std::string>();
}

class RemoteEndpoint final : public Endpoint {
 public:
  explicit RemoteEndpoint(const RemoteOptions& options) : options_(options), base_(options.uri) {
    while (base_.ends_with('/')) base_.pop_back();
    if (base_.ends_with("/v1")) base_.resize(base_.size() - 3);
    token_ = options.token;
  }

  Status Connect();

  std::string name() const override { return options_.uri; }
  bool CanRegisterViews() const override { return endpoints_.contains(kRegisterView); }

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    const std::string query = parent.empty() ? "" : "parent=" + Join(parent);
    return ListAll<Namespace>("/namespaces", query, NamespacesOf);
  }
  Result<std::vector<TableIdentifier>> ListTables(const Namespace& name_space) override {
    return ListAll<TableIdentifier>(PathOf(name_space) + "/tables", "", IdentifiersOf);
  }
  Result<std::vector<TableIdentifier>> ListViews(const Namespace& name_space) override {
    auto views = ListAll<TableIdentifier>(PathOf(name_space) + "/views", "", IdentifiersOf);
    // A catalog without views has no such path.
    const bool knows_none = !views && (views.error().kind == ErrorKind::kUnsupported ||
                                       views.error().kind == ErrorKind::kNotFound);
    if (knows_none) return std::vector<TableIdentifier>();
    return views;
  }

  Result<Document> LoadNamespace(const Namespace& name_space) override {
    return Get(PathOf(name_space));
  }
  Result<Document> LoadTable(const TableIdentifier& table) override {
    return Get(PathOf(table.name_space) + "/tables/" + rest::PercentEncode(table.name));
  }
  Result<Document> LoadView(const TableIdentifier& view) override {
    return Get(PathOf(view.name_space) + "/views/" + rest::PercentEncode(view.name));
  }

  Status CreateNamespace(const Document& request) override { return Post("/namespaces", request); }
  Status RegisterTable(const Namespace& name_space, const Document& request) override {
    return Post(PathOf(name_space) + "/register", request);
  }
  Status RegisterView(const Namespace& name_space, const Document& request) override {
    return Post(PathOf(name_space) + "/register-view", request);
  }
  Status CreateView(const Namespace& name_space, const Document& request) override {
    return Post(PathOf(name_space) + "/views", request);
  }

 private:
  Status GetToken();

  std::string Join(const Namespace& name_space) const {
    std::string joined;
    for (const std::string& level : name_space) {
      if (!joined.empty()) joined += separator_;
      joined += rest::PercentEncode(level);
    }
    return joined;
  }
  std::string PathOf(const Namespace& name_space) const {
    return "/namespaces/" + Join(name_space);
  }

  Result<HttpResponse> Send(const std::string& method, const std::string& url,
                            const std::string& body);
  Result<Json> GetObject(const std::string& url);
  Result<Document> Get(const std::string& path) {
    BERGLITE_ASSIGN_OR_RETURN(HttpResponse response, Send("GET", root_ + path, ""));
    if (response.status != 200) return ToError(response);
    return ToCheckedDocument(std::move(response), root_ + path);
  }
  Status Post(const std::string& path, const Document& request) {
    BERGLITE_ASSIGN_OR_RETURN(const HttpResponse response,
                              Send("POST", root_ + path, request.text()));
    if (response.status < 300) return {};
    return ToError(response);
  }

  // All pages of a list.
  template <typename T>
  Result<std::vector<T>> ListAll(const std::string& path, const std::string& query,
                                 Result<std::vector<T>> (*read)(const Json&)) {
    std::vector<T> all;
    std::string token;
    std::set<std::string> seen;
    do {
      std::string url = root_ + path;
      if (!query.empty() || !token.empty()) url += "?" + query;
      if (!token.empty())
        url += (query.empty() ? "" : "&") + ("pageToken=" + rest::PercentEncode(token));
      BERGLITE_ASSIGN_OR_RETURN(const Json page, GetObject(url));
      BERGLITE_ASSIGN_OR_RETURN(const std::vector<T> some, read(page));
      all.insert(all.end(), some.begin(), some.end());
      token = TextOf(page, "next-page-token", "");
      if (!token.empty() && !seen.insert(token).second) {
        return Error{ErrorKind::kInternal, "The page tokens of " + root_ + path + " go round"};
      }
    } while (!token.empty());
    return all;
  }

  const RemoteOptions options_;
  HttpClient http_;
  std::string base_;  // without a final `/` and the version
  std::string root_;  // with the version and the prefix
  std::string token_;
  std::string separator_ = "%1F";  // escaped, as the server names it
  std::set<std::string> endpoints_;
};

Status RemoteEndpoint::Connect() {
  if (!base_.starts_with("http://") && !base_.starts_with("https://")) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected a URI that begins with http:// or https://, found '" + base_ + "'"};
  }
  if (base_.substr(0, base_.find('/', base_.find("//") + 2)).find('@') != std::string::npos) {
    return Error{ErrorKind::kInvalidArgument,
                 "Expected a URI without a user and a password: both would be shown"};
  }
  const bool is_visible = std::all_of(token_.begin(), token_.end(),
                                      [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  if (!is_visible) return Error{ErrorKind::kInvalidArgument, "Expected a token of visible ASCII"};
  if (token_.empty() && !options_.credential.empty()) BERGLITE_RETURN_IF_ERROR(GetToken());
  std::string url = base_ + "/v1/config";
  if (!options_.warehouse.empty()) url += "?warehouse=" + rest::PercentEncode(options_.warehouse);
  BERGLITE_ASSIGN_OR_RETURN(const Json config, GetObject(url));
  Json settings = Json::object();
  for (const char* part : {"defaults", "overrides"}) {
    if (config.contains(part) && config[part].is_object()) settings.update(config[part]);
  }
  const std::string prefix = TextOf(settings, "prefix", "");
  root_ = base_ + "/v1" + (prefix.empty() ? "" : "/" + prefix);
  separator_ = TextOf(settings, "namespace-separator", separator_);
  if (config.contains("endpoints") && config["endpoints"].is_array()) {
    for (const Json& endpoint : config["endpoints"]) {
      if (endpoint.is_string()) endpoints_.insert(endpoint.get<std::string>());
    }
  }
  return {};
}

// RFC 6749, 4.4.
Status RemoteEndpoint::GetToken() {
  const size_t colon = options_.credential.find(':');
  const std::string id = colon == std::string::npos ? "" : options_.credential.substr(0, colon);
  const std::string secret =
      colon == std::string::npos ? options_.credential : options_.credential.substr(colon + 1);
  const std::string url =
      options_.oauth2_server_uri.empty() ? base_ + "/v1/oauth/tokens" : options_.oauth2_server_uri;
  std::string form = "grant_type=client_credentials&scope=" + rest::PercentEncode(options_.scope);
  if (!id.empty()) form += "&client_id=" + rest::PercentEncode(id);
  form += "&client_secret=" + rest::PercentEncode(secret);
  BERGLITE_ASSIGN_OR_RETURN(
      HttpResponse response,
      http_.Send("POST", url, {"Content-Type: application/x-www-form-urlencoded"}, form));
  if (response.status != 200) {
    return Error{ErrorKind::kNotAuthorized,
                 url + " refuses the credential: HTTP status " + std::to_string(response.status)};
  }
  BERGLITE_ASSIGN_OR_RETURN(const Json answer, ToObject(std::move(response), url));
  token_ = TextOf(answer, "access_token", "");
  if (token_.empty()) return Error{ErrorKind::kNotAuthorized, url + " gives no access_token"};
  return {};
}

Result<HttpResponse> RemoteEndpoint::Send(const std::string& method, const std::string& url,
                                          const std::string& body) {
  std::vector<std::string> headers{"Accept: application/json"};
  if (!body.empty()) headers.emplace_back("Content-Type: application/json");
  if (!token_.empty()) headers.push_back("Authorization: Bearer " + token_);
  return http_.Send(method, url, headers, body);
}

Result<Json> RemoteEndpoint::GetObject(const std::string& url) {
  BERGLITE_ASSIGN_OR_RETURN(HttpResponse response, Send("GET", url, ""));
  if (response.status != 200) return ToError(response);
  return ToObject(std::move(response), url.substr(0, url.find('?')));
}

}  // namespace

Result<std::unique_ptr<Endpoint>> ConnectToRemote(const RemoteOptions& options) {
  auto endpoint = std::make_unique<RemoteEndpoint>(options);
  BERGLITE_RETURN_IF_ERROR(endpoint->Connect());
  return std::unique_ptr<Endpoint>(std::move(endpoint));
}

}  // namespace berglite::transfer
