// Server: serves a Catalog, or all of a file, as an Iceberg REST endpoint from inside a process.
//
// Needs the library `berglite_server`; the catalog alone does not.
//
// Threads: Start and Stop may be called from any thread; the Server runs threads of its own.
// Ownership: the Catalog or the Warehouses, and the Principals, are borrowed and must outlive the
// Server.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/principals.h"
#include "berglite/result.h"
#include "berglite/warehouses.h"

namespace berglite {

// One answered request, for a log.
struct RequestRecord {
  std::string method;
  std::string target;  // as sent, but for the query of the token endpoint, which may hold a secret
  std::string operation;  // the specification's operationId, or empty
  int status = 0;
  size_t response_bytes = 0;
  std::chrono::microseconds duration{};
  std::string error;  // `type: message` of an error answer, or empty
};

struct ServerOptions {
  // `localhost` listens on 127.0.0.1 and, where the machine has it, ::1. Any other value is one
  // address. With `0.0.0.0` or `::` clients may call under every address and under names that
  // nobody can register, such as `rest`.
  std::string host = "localhost";
  // 0: any free port.
  int port = 8181;
  // How many requests are worked on at once.
  int workers = 16;
  // Host names and addresses, besides those it listens on, under which clients may call.
  std::vector<std::string> allowed_hosts = {};
  // Who may call: each request shows a token of theirs, or id and secret. Null: anybody may do
  // everything, and any credential is accepted.
  Principals* principals = nullptr;
  // Called after each answer, from a worker thread. May be empty.
  std::function<void(const RequestRecord&)> on_request = {};
};

class Server {
 public:
  // Listens and serves. Errors: kUnavailable where the port is in use, kInvalidArgument for a host
  // that is none; each names the address.
  static Result<std::unique_ptr<Server>> Start(Catalog& catalog, const ServerOptions& options = {});
  static Result<std::unique_ptr<Server>> Start(Warehouses& warehouses,
                                               const ServerOptions& options = {});
  // As Stop.
  virtual ~Server() = default;

  virtual int port() const = 0;
  // The catalog URI for clients, such as `http://127.0.0.1:8181`.
  virtual std::string uri() const = 0;
  // Stops accepting, answers what it has begun, closes idle connections and returns.
  virtual void Stop() = 0;
};

}  // namespace berglite
