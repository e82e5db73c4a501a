// The HTTP server below the REST service: a function from requests to replies behind a socket.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "berglite/result.h"
#include "berglite/server.h"
#include "shim/server/limits.h"
#include "shim/server/worker_pool.h"

namespace berglite::server {

// Listens and serves. The handler is called from the workers, several at a time, until the Server
// is stopped. `options.allowed_hosts` is the handler's business. The number of open connections is
// kept in `open_connections`, borrowed, where that is not null. Errors: those of Server::Start.
Result<std::unique_ptr<Server>> StartHttpServer(const ServerOptions& options, Handler handler,
                                                const Limits& limits = {},
                                                std::atomic<size_t>* open_connections = nullptr);

}  // namespace berglite::server
