#include "shim/transfer/http_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <httplib.h>

namespace berglite::transfer {
namespace {

constexpr std::chrono::seconds kConnectTimeout{15};
// A server that sends nothing for this long is taken for gone.
constexpr std::chrono::seconds kStallTimeout{120};
// More than any answer of a catalog: the largest metadata document and its frame.
constexpr size_t kBodyBytesMax = size_t{512} << 20U;

// The name of this one says nothing to people.
std::string Describe(httplib::Error error) {
  return error == httplib::Error::Connection ? "cannot connect" : httplib::to_string(error);
}

}  // namespace

// The connection to the server that was asked last.
struct HttpClient::Handle {
  void ConnectTo(const std::string& server) {
    if (client && server == origin) return;
    client = std::make_unique<httplib::Client>(server);
    origin = server;
    client->set_keep_alive(true);
    client->set_url_encode(false);  // targets are escaped already
    client->set_connection_timeout(kConnectTimeout);
    client->set_read_timeout(kStallTimeout);
    client->set_write_timeout(kStallTimeout);
  }

  std::string origin;
  std::unique_ptr<httplib::Client> client;
};

HttpClient::HttpClient() : handle_(std::make_unique<Handle>()) {}

HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::Send(const std::string& method, const std::string& url,
                                      const std::vector<std::string>& headers,
                                      const std::string& body) {
  const size_t path = std::min(url.find('/', url.find("//") + 2), url.size());
  const std::string shown = url.substr(0, url.find('?'));
  handle_->ConnectTo(url.substr(0, path));
  if (!handle_->client->is_valid()) {
    return Error{ErrorKind::kInvalidArgument, "Expected the URI of a server, found " + shown};
  }
  HttpResponse response;
  httplib::Request request;
  request.method = method;
  request.path = path == url.size() ? "/" : url.substr(path);
  request.body = body;
  request.set_header("Accept-Encoding", "gzip");
  for (const std::string& line : headers) {
    const size_t colon = line.find(": ");
    request.set_header(line.substr(0, colon), line.substr(colon + 2));
  }
  request.content_receiver = [&response](const char* data, size_t size, uint64_t, uint64_t) {
    if (response.body.size() + size > kBodyBytesMax) return false;  // ends the transfer
    response.body.append(data, size);
    return true;
  };
  const httplib::Result result = handle_->client->send(request);
  if (!result) {
    return Error{ErrorKind::kUnavailable,
                 "No answer from " + shown + ": " + Describe(result.error())};
  }
  response.status = result->status;
  return response;
}

}  // namespace berglite::transfer
