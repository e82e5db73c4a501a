#include "berglite/server.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "shim/rest/principal_authenticator.h"
#include "shim/rest/service.h"
#include "shim/server/http_server.h"
#include "shim/server/listener.h"

namespace berglite {
namespace {

std::string ToLower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> AllowedHosts(const ServerOptions& options) {
  std::vector<std::string> hosts;
  for (const std::string& host : options.allowed_hosts) hosts.push_back(ToLower(host));
  for (std::string& host : server::NamesOf(options.host)) hosts.push_back(ToLower(std::move(host)));
  return hosts;
}

// A Server with the service that answers its requests.
class RestServer final : public Server {
 public:
  // `authenticator` may be null.
  template <typename Served>
  RestServer(Served& served, std::unique_ptr<rest::Authenticator> authenticator,
             const ServerOptions& options)
      : authenticator_(std::move(authenticator)),
        service_(served,
                 {.allowed_hosts = AllowedHosts(options),
                  .host_names = server::IsWildcard(options.host) ? rest::HostNames::kPrivate
                                                                 : rest::HostNames::kLoopback,
                  .authenticator = authenticator_.get()}) {}

  Status Start(const ServerOptions& options) {
    BERGLITE_ASSIGN_OR_RETURN(
        http_, server::StartHttpServer(options, [this](const rest::HttpRequest& request) {
          return service_.Handle(request);
        }));
    return {};
  }

  int port() const override { return http_->port(); }
  std::string uri() const override { return http_->uri(); }
  void Stop() override { http_->Stop(); }

 private:
  const std::unique_ptr<rest::Authenticator> authenticator_;
  rest::Service service_;
  // After the service: it answers requests until it is gone.
  std::unique_ptr<Server> http_;
};

std::unique_ptr<rest::Authenticator> MakeAuthenticator(Principals* principals) {
  if (principals == nullptr) return nullptr;
  return std::make_unique<rest::PrincipalAuthenticator>(*principals);
}

template <typename Served>
Result<std::unique_ptr<Server>> StartServer(Served& served, const ServerOptions& options) {
  auto server =
      std::make_unique<RestServer>(served, MakeAuthenticator(options.principals), options);
  BERGLITE_RETURN_IF_ERROR(server->Start(options));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(Catalog& catalog, const ServerOptions& options) {
  return StartServer(catalog, options);
}

Result<std::unique_ptr<Server>> Server::Start(Warehouses& warehouses,
                                              const ServerOptions& options) {
  return StartServer(warehouses, options);
}

}  // namespace berglite
