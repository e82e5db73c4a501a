#include "shim/server/http_server.h"

#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "shim/server/front.h"
#include "shim/server/listener.h"

namespace berglite::server {
namespace {

// More threads than this are a mistake in the unit, not a wish.
constexpr int kWorkersMax = 1024;

class HttpServer final : public Server {
 public:
  HttpServer(int port, std::string uri, const Limits& limits)
      : port_(port), uri_(std::move(uri)), limits_(limits) {}
  ~HttpServer() override { Stop(); }

  Status Start(Listener listener, const ServerOptions& options, Handler handler,
               std::atomic<size_t>* open_connections) {
    BERGLITE_ASSIGN_OR_RETURN(front_,
                              Front::Create(std::move(listener), limits_, open_connections));
    workers_ = std::make_unique<WorkerPool>(
        WorkerPool::Options{
            .workers = options.workers,
            .handler = std::move(handler),
            .on_request = options.on_request,
            .on_finished = [this](Finished finished) { front_->Finish(std::move(finished)); }},
        limits_);
    try {
      workers_->Start();
      thread_ = StartThread([this] { front_->Run(*workers_); });
    } catch (const std::system_error& error) {
      return Error{ErrorKind::kUnavailable, std::string("Cannot start a thread: ") + error.what()};
    }
    return {};
  }

  int port() const override { return port_; }
  std::string uri() const override { return uri_; }

  void Stop() override {
    const std::lock_guard lock(stop_mutex_);
    if (!thread_.joinable()) return;
    front_->Stop();
    thread_.join();
    workers_->Stop();
  }

 private:
  const int port_;
  const std::string uri_;
  const Limits limits_;
  std::unique_ptr<Front> front_;
  std::unique_ptr<WorkerPool> workers_;
  std::thread thread_;
  std::mutex stop_mutex_;
};

}  // namespace

Result<std::unique_ptr<Server>> StartHttpServer(const ServerOptions& options, Handler handler,
                                                const Limits& limits,
                                                std::atomic<size_t>* open_connections) {
  if (options.workers < 1 || options.workers > kWorkersMax) {
    return Error{ErrorKind::kInvalidArgument, "The number of workers is from 1 to " +
                                                  std::to_string(kWorkersMax) + ", not " +
                                                  std::to_string(options.workers)};
  }
  BERGLITE_ASSIGN_OR_RETURN(Listener listener, Listen(options.host, options.port));
  auto server = std::make_unique<HttpServer>(listener.port, listener.uri, limits);
  BERGLITE_RETURN_IF_ERROR(
      server->Start(std::move(listener), options, std::move(handler), open_connections));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace berglite::server
