// Service: the Iceberg REST protocol as a function from a request to a reply, without sockets.
//
// Threads: Handle may be called from any thread at the same time.
// Ownership: the Catalog or the Warehouses are borrowed and must outlive the Service.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/document.h"
#include "berglite/result.h"
#include "berglite/warehouses.h"
#include "shim/rest/health.h"
#include "shim/rest/http.h"

namespace berglite::rest {

class Authenticator;

// Which names in the Host header a server answers to besides those that it is told.
enum class HostNames {
  // Loopback alone.
  kLoopback,
  // Every address, and names that nobody can register, so that no web page has them: single labels,
  // as of services in a network of containers, and what ends in .localhost, .local, .internal,
  // .test or .home.arpa.
  kPrivate,
};

struct ServiceOptions {
  // Values of the Host header under which requests are answered, without port, in lower case.
  // Loopback names and addresses are always among them. A `*` allows any.
  std::vector<std::string> allowed_hosts = {};
  HostNames host_names = HostNames::kLoopback;
  // Who may call; borrowed. Null: anybody, and no Authorization header is looked at.
  Authenticator* authenticator = nullptr;
};

class Parameters;
struct Operation;
struct Route;

class Service {
 public:
  // Serves one catalog, whatever warehouse a client asks for.
  Service(Catalog& catalog, ServiceOptions options);
  // Serves all catalogs of a file. As soon as there are several, getConfig tells each client the
  // prefix of the warehouse that it asks for.
  Service(Warehouses& warehouses, ServiceOptions options);

  // Never throws. Every body is JSON; every error body is the specification's IcebergErrorResponse.
  HttpReply Handle(const HttpRequest& request) const;

 private:
  // Sets `*operation` as soon as it is known.
  HttpReply Answer(const HttpRequest& request, const Operation** operation) const;
  Result<HttpReply> Dispatch(const HttpRequest& request, const Route& route,
                             std::string_view raw_query) const;

  // The catalog that a prefix, not decoded, means.
  Result<Catalog*> FindCatalog(const Route& route) const;
  // The answer of getConfig.
  Result<Document> ConfigOf(const Parameters& query) const;

  Catalog& catalog_;              // for requests without a prefix
  Warehouses* const warehouses_;  // null: the one catalog is all
  const ServiceOptions options_;
  // The answer of getConfig where there is one catalog.
  const Document config_;
  mutable Health health_;
};

// An error answer in the error model, for the server's own refusals (a body too large, a bad
// header).
HttpReply MakeErrorReply(int status, std::string_view type, std::string_view message);

}  // namespace berglite::rest
