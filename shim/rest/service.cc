#include "shim/rest/service.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "shim/rest/authenticator.h"
#include "shim/rest/authorization.h"
#include "shim/rest/compression.h"
#include "shim/rest/encoding.h"
#include "shim/rest/error_reply.h"
#include "shim/rest/handlers.h"
#include "shim/rest/router.h"
#include "shim/rest/token.h"

namespace berglite::rest {

namespace {

std::string Iso8601(std::chrono::minutes duration) {
  return "PT" + std::to_string(duration.count()) + "M";
}

// The answer of getConfig. It names nothing of the inside: clients take `uri`, `io-impl` and
// `warehouse` as orders. Without a prefix where that is empty: some clients ignore one.
Document MakeConfig(const std::string& prefix) {
  nlohmann::json endpoints = nlohmann::json::array();
  for (const Operation& operation : Operations()) {
    if (operation.handler == nullptr) continue;
    endpoints.push_back(std::string(operation.method) + " " + std::string(operation.path));
  }
  nlohmann::json config = {{"defaults", nlohmann::json::object()},
                           {"overrides", {{"namespace-separator", "%1F"}}},
                           {"endpoints", std::move(endpoints)},
                           {"idempotency-key-lifetime", Iso8601(kIdempotencyKeyLifetime)}};
  if (!prefix.empty()) config["overrides"]["prefix"] = prefix;
  return *Document::Parse(config.dump());
}

// An IPv4 address in its usual form. A mere prefix would let `127.0.0.1.example.org` in.
bool IsIpv4Address(std::string_view host) {
  int octets = 0;
  while (octets < 4) {
    unsigned value = 0;
    auto [stop, code] = std::from_chars(host.data(), host.data() + host.size(), value);
    if (code != std::errc() || value > 255) return false;
    host.remove_prefix(static_cast<size_t>(stop - host.data()));
    ++octets;
    if (octets == 4 || !host.starts_with('.')) break;
    host.remove_prefix(1);
  }
  return octets == 4 && host.empty();
}

bool IsLoopbackAddress(std::string_view host) {
  return host.starts_with("127.") && IsIpv4Address(host);
}

// Top levels that are kept from registration: RFC 6761, RFC 6762, RFC 8375, and ICANN's .internal.
// In a page under an address, the address is the origin; there is no name to be pointed elsewhere.
bool IsPrivateName(std::string_view host) {
  constexpr std::array<std::string_view, 5> kTopLevels = {".localhost", ".local", ".internal",
                                                          ".test", ".home.arpa"};
  if (host.empty()) return false;
  if (host.find('.') == std::string_view::npos || IsIpv4Address(host)) return true;
  return std::any_of(kTopLevels.begin(), kTopLevels.end(), [host](std::string_view level) {
    return host.size() > level.size() &&
           EqualsIgnoringCase(host.substr(host.size() - level.size()), level);
  });
}

// The host of a Host header: no port, no brackets, no dot at the end.
std::string_view HostOf(std::string_view value) {
  value = TrimSpace(value);
  if (value.starts_with('[')) return value.substr(1, value.find(']') - 1);
  value = value.substr(0, value.find(':'));
  if (value.ends_with('.')) value.remove_suffix(1);
  return value;
}

bool IsAllowedHost(std::string_view value, const ServiceOptions& options) {
  const std::vector<std::string>& allowed = options.allowed_hosts;
  std::string_view host = HostOf(value);
  if (EqualsIgnoringCase(host, "localhost") || host == "::1" || IsLoopbackAddress(host)) {
    return true;
  }
  if (options.host_names == HostNames::kPrivate && IsPrivateName(host)) return true;
  return std::any_of(allowed.begin(), allowed.end(), [host](const std::string& candidate) {
    return candidate == "*" || EqualsIgnoringCase(candidate, host) ||
           EqualsIgnoringCase(candidate, "[" + std::string(host) + "]");
  });
}

// Java encodes a space as `+`, in paths too. Its HTTP client can be replaced, its headers not.
bool IsJava(const HttpRequest& request) {
  const std::string* agent = request.FindHeader("User-Agent");
  return (agent != nullptr && agent->starts_with("Apache-HttpClient")) ||
         request.FindHeader("X-Client-Git-Commit-Short") != nullptr;
}

bool NamesNothing(const Error& error) {
  return error.kind == ErrorKind::kNoSuchNamespace || error.kind == ErrorKind::kNoSuchTable ||
         error.kind == ErrorKind::kNoSuchView || error.kind == ErrorKind::kNoSuchFunction;
}

bool HoldsPlus(const Route& route) {
  constexpr std::string_view kNone;
  return route.name_space.value_or(kNone).find('+') != std::string_view::npos ||
         route.name.value_or(kNone).find('+') != std::string_view::npos;
}

// Whether it asks for a table of no namespace, which an empty segment stands for. Java does, where
// it finds no table `a.files`: that may be the metadata table `files` of the table `a`. It takes
// nothing but NoSuchTable for a no, and could make no table of that name after any other answer.
bool AsksInNoNamespace(const Route& route) {
  const Handler handler = route.operation->handler;
  return (handler == LoadTable || handler == TableExists) && route.name_space->empty();
}

// Runs the handler with the names of the path in one reading.
Result<HttpReply> Run(const Route& route, Call& call, PlusSign plus) {
  if (route.name) {
    BERGLITE_ASSIGN_OR_RETURN(call.target.name, DecodeName(*route.name, plus));
  }
  if (AsksInNoNamespace(route)) {
    return Error{ErrorKind::kNoSuchTable, "Table does not exist: " + call.target.name};
  }
  if (route.name_space) {
    BERGLITE_ASSIGN_OR_RETURN(call.target.name_space, DecodeNamespace(*route.name_space, plus));
  }
  return route.operation->handler(call);
}

std::optional<std::string> IdempotencyKeyOf(const HttpRequest& request) {
  const std::string* key = request.FindHeader("Idempotency-Key");
  if (key == nullptr) return std::nullopt;
  return std::string(TrimSpace(*key));
}

// The key for a second reading of one request, which to the catalog is another request: always the
// same, and nobody else's. It differs in the digit of the UUID's version, of which there are eight.
std::string KeyOfSecondReading(std::string key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr size_t kVersionAt = 14;
  if (key.size() <= kVersionAt) return key;
  size_t version = kDigits.find(AsciiLower(key[kVersionAt]));
  if (version < kDigits.size()) key[kVersionAt] = kDigits[version ^ 8];
  return key;
}

// Runs the handler. A `+` of a client that is not known to be Java is a plus; where that names
// nothing, which also means that nothing was changed, it is a space.
Result<HttpReply> RunEitherReading(const Route& route, Call& call) {
  if (IsJava(call.request)) return Run(route, call, PlusSign::kSpace);
  Result<HttpReply> reply = Run(route, call, PlusSign::kPlus);
  if (reply || !NamesNothing(reply.error()) || !HoldsPlus(route)) return reply;
  std::optional<std::string>& key = call.mutation.idempotency_key;
  if (key) key = KeyOfSecondReading(*std::move(key));
  Result<HttpReply> second = Run(route, call, PlusSign::kSpace);
  return !second && NamesNothing(second.error()) ? std::move(reply) : std::move(second);
}

// What must hold before a request is looked at; absent where it does.
std::optional<HttpReply> Refuse(const HttpRequest& request, const ServiceOptions& options) {
  // Programs may send none (HTTP/1.0); browsers always do, and it tells under which name a page
  // reached this server.
  const std::string* host = request.FindHeader("Host");
  if (host != nullptr && !IsAllowedHost(*host, options)) {
    return MakeErrorReply(403, "ForbiddenException",
                          "This server is not reached under the host name " +
                              std::string(HostOf(*host)) +
                              "; --allow-host, or allowed_hosts in a program, makes it one");
  }
  const std::string* encoding = request.FindHeader("Content-Encoding");
  if (encoding != nullptr && !EqualsIgnoringCase(TrimSpace(*encoding), "gzip") &&
      !EqualsIgnoringCase(TrimSpace(*encoding), "identity")) {
    return MakeErrorReply(415, "UnsupportedMediaTypeException",
                          "Expected Content-Encoding gzip or identity");
  }
  return std::nullopt;
}

HttpReply RefuseSender(const HttpRequest& request, const Operation* operation, const Error& error) {
  HttpReply reply = MakeErrorReply(error, operation);
  if (reply.status != 401) return reply;
  // RFC 6750, 3.1: no code for who brought nothing.
  ChallengeBearer(reply, request.FindHeader("Authorization") == nullptr ? "" : "invalid_token");
  return reply;
}

// What keeps the sender of a request from what the route names; absent where nothing does. It comes
// before everything that the path may or may not name, so that strangers learn nothing of it.
std::optional<HttpReply> RefuseAccess(const HttpRequest& request, const Operation* operation,
                                      Authenticator* authenticator) {
  if (authenticator == nullptr) return std::nullopt;
  if (operation != nullptr && (operation->traits & kOpen) != 0) return std::nullopt;
  Result<Access> access = authenticator->Authenticate(request);
  if (!access) return RefuseSender(request, operation, access.error());
  if (operation == nullptr || !Writes(*operation) || *access == Access::kWrite) return std::nullopt;
  HttpReply reply =
      MakeErrorReply(403, "NotAuthorizedException",
                     "Not authorized to make this request: the principal may only read");
  ChallengeBearer(reply, "insufficient_scope");
  return reply;
}

// Whether the errors of the operation are those of OAuth.
bool SpeaksOAuth(const Operation* operation) {
  return operation != nullptr && operation->handler == GetToken;
}

HttpReply RefuseRoute(const HttpRequest& request, std::string_view path, const Route& route) {
  std::string what = request.method + " " + std::string(path);
  if (route.allow.empty()) {
    return MakeErrorReply(404, "NotFoundException", "No route for request: " + what);
  }
  return MakeMethodReply(what, route.allow);
}

}  // namespace

Service::Service(Catalog& catalog, ServiceOptions options)
    : catalog_(catalog),
      warehouses_(nullptr),
      options_(std::move(options)),
      config_(MakeConfig("")),
      health_(catalog_) {}

Service::Service(Warehouses& warehouses, ServiceOptions options)
    : catalog_(warehouses.default_catalog()),
      warehouses_(&warehouses),
      options_(std::move(options)),
      config_(MakeConfig("")),
      health_(catalog_) {}

HttpReply Service::Handle(const HttpRequest& request) const {
  const Operation* operation = nullptr;
  HttpReply reply;
  const auto start = std::chrono::steady_clock::now();
  bool counts = true;
  try {
    std::optional<HttpReply> to_watcher = AnswerWatcher(request);
    counts = !to_watcher;
    reply = to_watcher ? *std::move(to_watcher) : Answer(request, &operation);
    if (request.method != "HEAD") CompressBody(request, reply);
  } catch (const std::exception& e) {
    // Out of memory, most likely, and at a point that is not known: 500 is right for commits too.
    const Error error{ErrorKind::kInternal, e.what()};
    reply = SpeaksOAuth(operation) ? TokenError(error) : MakeErrorReply(error, nullptr);
  }
  if (counts) {
    metrics_.Count(operation, reply.status,
                   std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::steady_clock::now() - start));
  }
  if (operation != nullptr) reply.operation = operation->id;
  if (request.method == "HEAD") {
    reply.document.reset();
    reply.text.clear();
    std::erase_if(reply.headers, [](const auto& header) { return header.first == "Content-Type"; });
  }
  return reply;
}

// Nobody who watches shows credentials. Probes come under any name too, and learn nothing of the
// catalog. Metrics tell how busy it is, which is not for a web page.
std::optional<HttpReply> Service::AnswerWatcher(const HttpRequest& request) const {
  std::string_view path = SplitTarget(request.target).path;
  if (path == "/metrics") return AnswerMetrics(request, path);
  return health_.Answer(request.method, path);
}

HttpReply Service::AnswerMetrics(const HttpRequest& request, std::string_view path) const {
  if (std::optional<HttpReply> refusal = Refuse(request, options_)) return *std::move(refusal);
  if (request.method != "GET" && request.method != "HEAD") {
    return MakeMethodReply(request.method + " " + std::string(path), "GET, HEAD");
  }
  const Counters counters =
      warehouses_ != nullptr ? warehouses_->ReadCounters() : catalog_.ReadCounters();
  HttpReply reply;
  reply.headers.emplace_back("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  reply.headers.emplace_back("Cache-Control", "no-store");
  reply.text = metrics_.Text(counters, options_.open_connections);
  return reply;
}

HttpReply Service::Answer(const HttpRequest& request, const Operation** operation) const {
  TargetParts target = SplitTarget(request.target);
  if (std::optional<HttpReply> refusal = Refuse(request, options_)) return *std::move(refusal);
  Route route = FindRoute(request.method, target.path);
  *operation = route.operation;
  if (std::optional<HttpReply> refusal =
          RefuseAccess(request, route.operation, options_.authenticator)) {
    return *std::move(refusal);
  }
  if (route.operation == nullptr) return RefuseRoute(request, target.path, route);
  Result<HttpReply> reply = Dispatch(request, route, target.query);
  if (reply) return *std::move(reply);
  return SpeaksOAuth(route.operation) ? TokenError(reply.error())
                                      : MakeErrorReply(reply.error(), route.operation);
}

Result<Catalog*> Service::FindCatalog(const Route& route) const {
  if (!route.prefix) return &catalog_;
  std::string name = PercentDecode(*route.prefix, PlusSign::kPlus);
  for (const std::string& reading : {name, PercentDecode(*route.prefix, PlusSign::kSpace)}) {
    if (reading == catalog_.name()) return &catalog_;
    if (warehouses_ == nullptr) continue;
    Result<Catalog*> found = warehouses_->Find(reading);
    if (found || found.error().kind != ErrorKind::kNoSuchWarehouse) return found;
  }
  return Error{ErrorKind::kNoSuchWarehouse, "No catalog has the name of the prefix: " + name};
}

Result<Document> Service::ConfigOf(const Parameters& query) const {
  if (warehouses_ == nullptr) return config_;
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> names, warehouses_->Names());
  if (names.size() == 1) return config_;
  const std::string* wanted = query.Find("warehouse");
  if (wanted == nullptr || wanted->empty()) wanted = &names.front();
  if (std::find(names.begin(), names.end(), *wanted) == names.end()) {
    return Error{ErrorKind::kNoSuchWarehouse, "Warehouse does not exist: " + *wanted};
  }
  return MakeConfig(PercentEncode(*wanted));
}

Result<HttpReply> Service::Dispatch(const HttpRequest& request, const Route& route,
                                    std::string_view raw_query) const {
  BERGLITE_ASSIGN_OR_RETURN(Catalog * catalog, FindCatalog(route));
  if (route.operation->handler == nullptr) {
    return Error{ErrorKind::kUnsupported,
                 "The server does not support this operation: " + std::string(route.operation->id)};
  }
  BERGLITE_ASSIGN_OR_RETURN(Parameters query, Parameters::Parse(raw_query));
  Document config = config_;
  if (route.operation->handler == GetConfig) {
    BERGLITE_ASSIGN_OR_RETURN(config, ConfigOf(query));
  }
  MutationOptions mutation;
  if ((route.operation->traits & kTakesKey) != 0)
    mutation.idempotency_key = IdempotencyKeyOf(request);
  Call call{*catalog, *route.operation, request, query, config, std::move(mutation), {}};
  call.authenticator = options_.authenticator;
  return RunEitherReading(route, call);
}

}  // namespace berglite::rest
