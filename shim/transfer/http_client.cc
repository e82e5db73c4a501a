#include "shim/transfer/http_client.h"

#include <array>
#include <cstdlib>
#include <curl/curl.h>

namespace berglite::transfer {
namespace {

constexpr long kConnectTimeoutS = 15;
// A server that sends next to nothing for this long is taken for gone.
constexpr long kStallTimeoutS = 120;
// More than any answer of a catalog: the largest metadata document and its frame.
constexpr size_t kBodyBytesMax = size_t{512} << 20U;

size_t Append(char* bytes, size_t one, size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + one * count > kBodyBytesMax) return 0;  // libcurl fails the transfer
  text.append(bytes, one * count);
  return one * count;
}

}  // namespace

struct HttpClient::Handle {
  Handle() : curl(curl_easy_init()) {}
  ~Handle() { curl_easy_cleanup(curl); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  CURL* curl;
};

Status HttpClient::Prepare() {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return {};
  return Error{ErrorKind::kInternal, "libcurl cannot be used"};
}

HttpClient::HttpClient() : handle_(std::make_unique<Handle>()) {}

HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::Send(const std::string& method, const std::string& url,
                                      const std::vector<std::string>& headers,
                                      const std::string& body) {
  CURL* const curl = handle_->curl;
  if (curl == nullptr) return Error{ErrorKind::kInternal, "libcurl cannot be used"};
  curl_easy_reset(curl);
  std::array<char, CURL_ERROR_SIZE> complaint{};
  HttpResponse response;
  curl_slist* lines = nullptr;
  for (const std::string& line : headers) lines = curl_slist_append(lines, line.c_str());
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");  // all that libcurl can decode
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectTimeoutS);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kStallTimeoutS);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, complaint.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
  if (!body.empty()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  }
  const CURLcode code = curl_easy_perform(curl);
  curl_slist_free_all(lines);
  if (code != CURLE_OK) {
    const std::string why = complaint[0] != '\0' ? complaint.data() : curl_easy_strerror(code);
    return Error{ErrorKind::kUnavailable,
                 "No answer from " + url.substr(0, url.find('?')) + ": " + why};
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response.status);
  return response;
}

std::string EscapeForUri(const std::string& text) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kUnreserved.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return escaped;
}

}  // namespace berglite::transfer
