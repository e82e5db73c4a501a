// Requests to a catalog, one after the other. None is answered as a fault of the server, and
// whatever they did, all that is listed afterwards can be loaded.
//
// The input is text, a block for each request, with an empty line between two: method and target,
// lines of headers, and the body. What has no Content-Type is JSON; what has an Authorization goes
// to a server that asks for it.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "berglite/principals.h"
#include "shim/rest/principal_authenticator.h"
#include "shim/rest/service.h"
#include "tests/fuzz/fuzz.h"

namespace berglite::fuzz {
namespace {

using Json = nlohmann::json;

// Takes what stands before `end`, or all.
std::string_view TakeUntil(std::string_view& text, std::string_view end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return taken;
}

rest::HttpRequest ToRequest(std::string_view block) {
  rest::HttpRequest request;
  std::string_view line = TakeUntil(block, "\n");
  request.method = TakeUntil(line, " ");
  request.target = line;
  while (!block.empty() && !block.starts_with('{')) {
    const std::string_view body = block;
    std::string_view header = TakeUntil(block, "\n");
    if (header.find(": ") == header.npos) {
      block = body;
      break;
    }
    const std::string name(TakeUntil(header, ": "));
    request.headers.emplace_back(name, header);
  }
  request.body = block;
  if (request.FindHeader("Content-Type") == nullptr) {
    request.headers.emplace_back("Content-Type", "application/json");
  }
  return request;
}

struct Server {
  explicit Server(Catalog& catalog)
      : open(catalog, {.host_names = rest::HostNames::kPrivate}),
        guarded(catalog, {.authenticator = &Guard()}) {}

  static rest::Authenticator& Guard() {
    static const std::unique_ptr<Principals> principals =
        *Principals::Open(":memory:", {.static_token = "t"});
    static rest::PrincipalAuthenticator guard(*principals);
    return guard;
  }

  rest::Service open;
  rest::Service guarded;
};

void Ask(const Server& server, const rest::HttpRequest& request) {
  const bool is_guarded = request.FindHeader("Authorization") != nullptr;
  const rest::HttpReply reply = (is_guarded ? server.guarded : server.open).Handle(request);
  // The one 503 is for a table whose files a purge has not removed yet.
  const bool is_good = reply.status >= 200 && reply.status < 500;
  const bool is_purge = reply.status == 503 && reply.error.ends_with("still to be removed");
  Require(is_good || is_purge, "an answer is no fault of the server: " +
                                   std::to_string(reply.status) + " " + reply.error);
}

// Everything in `name_space`, and below it.
void LoadAll(Catalog& catalog, const Namespace& name_space) {
  if (!name_space.empty()) {
    Require(catalog.LoadNamespaceMetadata(name_space).has_value(), "a namespace is loaded");
    const Json tables = Json::parse(catalog.ListTables(name_space, {})->text());
    for (const Json& table : tables.at("identifiers")) {
      Require(catalog.LoadTable({name_space, table.at("name")}, {}).has_value(),
              "a table is loaded: " + table.dump());
    }
    const Json views = Json::parse(catalog.ListViews(name_space, {})->text());
    for (const Json& view : views.at("identifiers")) {
      Require(catalog.LoadView({name_space, view.at("name")}).has_value(),
              "a view is loaded: " + view.dump());
    }
  }
  const Json children = Json::parse(catalog.ListNamespaces(name_space, {})->text());
  for (const Json& child : children.at("namespaces")) LoadAll(catalog, child.get<Namespace>());
}

}  // namespace
}  // namespace berglite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  const fuzz::Lake lake;
  const fuzz::Server server(*lake.catalog);
  std::string_view rest = fuzz::ToText(data, size);
  while (!rest.empty()) fuzz::Ask(server, fuzz::ToRequest(fuzz::TakeUntil(rest, "\n\n")));
  fuzz::LoadAll(*lake.catalog, {});
  return 0;
}
