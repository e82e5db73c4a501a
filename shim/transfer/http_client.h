// HttpClient: requests over HTTP and HTTPS, on cpp-httplib.
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <berglite/result.h>

namespace berglite::transfer {

struct HttpResponse {
  long status = 0;
  std::string body;
};

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `headers` are lines such as `Accept: application/json`; `body` is sent where it is not empty.
  // An answer of any status is a success. Errors: kUnavailable where there is no answer, naming the
  // URL without its query and why.
  Result<HttpResponse> Send(const std::string& method, const std::string& url,
                            const std::vector<std::string>& headers, const std::string& body);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace berglite::transfer
