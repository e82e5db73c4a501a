#include "berglite/server.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "shim/rest/service.h"
#include "shim/server/http_server.h"
#include "shim/server/listener.h"

namespace berglite {
namespace {

// A Server with the service that answers its requests.
class RestServer final : public Server {
 public:
  template <typename Served>
  RestServer(Served& served, rest::ServiceOptions options) : service_(served, std::move(options)) {}

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
  rest::Service service_;
  // After the service: it answers requests until it is gone.
  std::unique_ptr<Server> http_;
};

std::string ToLower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

rest::ServiceOptions MakeServiceOptions(const ServerOptions& options) {
  rest::ServiceOptions service;
  for (const std::string& host : options.allowed_hosts) {
    service.allowed_hosts.push_back(ToLower(host));
  }
  for (std::string& host : server::NamesOf(options.host)) {
    service.allowed_hosts.push_back(ToLower(std::move(host)));
  }
  return service;
}

template <typename Served>
Result<std::unique_ptr<Server>> StartServer(Served& served, const ServerOptions& options) {
  auto server = std::make_unique<RestServer>(served, MakeServiceOptions(options));
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
