#include "shim/server/request_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace berglite::server {
namespace {

// `tchar` of RFC 9110 5.6.2: what methods and header names are made of.
constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<size_t>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kIsToken = MakeTokenTable();

bool IsTokenByte(char c) { return kIsToken[static_cast<unsigned char>(c)]; }

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte);
}

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `lower` is in lower case.
bool EqualsLower(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(),
                                                   [](char a, char b) { return ToLower(a) == b; });
}

std::string_view Trim(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// Whether a comma-separated list, such as the value of Connection, has the item.
bool ListHas(std::string_view list, std::string_view lower) {
  while (true) {
    const size_t comma = list.find(',');
    if (EqualsLower(Trim(list.substr(0, comma)), lower)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

// Control characters have no place in a header value, but for the tab.
bool IsValueByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7F) || c == '\t';
}

// Clients send a raw 0x1F between the levels of a namespace, and raw UTF-8.
bool IsTargetByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte > 0x20 && byte != 0x7F) || byte == 0x1F;
}

// The one value of a header; `count` says how often the header is there.
struct Found {
  size_t count = 0;
  std::string_view value;
};

Found Find(const rest::Headers& headers, std::string_view lower) {
  Found found;
  for (const auto& [name, value] : headers) {
    if (!EqualsLower(name, lower)) continue;
    if (found.count++ == 0) found.value = value;
  }
  return found;
}

constexpr size_t kMethodBytesMax = 32;
// Method, two spaces and the version beside the target.
constexpr size_t kRequestLineRest = kMethodBytesMax + 16;

}  // namespace

RequestReader::State RequestReader::Feed(std::string_view bytes) {
  if (state_ == State::kRefused) return state_;
  if (rest_.empty()) {
    input_ = bytes;
  } else {
    rest_.append(bytes);
    input_ = rest_;
  }
  const size_t size = input_.size();
  Run();
  if (rest_.empty()) {
    rest_.assign(input_);
  } else {
    rest_.erase(0, size - input_.size());
    // Thousands of idle connections must not keep what one busy moment needed.
    if (rest_.empty()) rest_.shrink_to_fit();
  }
  input_ = {};
  return state_;
}

void RequestReader::Run() {
  while (state_ != State::kComplete && state_ != State::kRefused && DoStep()) {
  }
  const bool is_between = state_ == State::kIdle || state_ == State::kHead;
  if (is_between && step_ == Step::kRequestLine) {
    // What has come may have been a CRLF too many, in two pieces.
    state_ = input_.empty() ? State::kIdle : State::kHead;
  }
}

bool RequestReader::DoStep() {
  switch (step_) {
    case Step::kRequestLine:
      return ReadRequestLine();
    case Step::kHeaders:
      return ReadHeader();
    case Step::kLength:
    case Step::kChunk:
      return ReadBody();
    case Step::kChunkSize:
      return ReadChunkSize();
    case Step::kChunkEnd:
      return ReadChunkEnd();
    case Step::kTrailers:
      return ReadTrailer();
  }
  return false;
}

bool RequestReader::Refuse(int status, std::string message) {
  state_ = State::kRefused;
  keep_alive_ = false;
  wants_continue_ = false;
  refusal_.status = status;
  refusal_.type = status == 501 ? "UnsupportedOperationException" : "BadRequestException";
  refusal_.message = std::move(message);
  input_ = {};
  rest_.clear();
  return false;
}

// Takes the next line, without its CRLF, off the input. All lines of a head together, and those
// between the chunks of a body, are bounded.
RequestReader::Line RequestReader::NextLine(std::string_view& line) {
  const size_t end = input_.find('\n', searched_);
  const size_t size = end == std::string_view::npos ? input_.size() : end + 1;
  if (line_bytes_ + size > limits_.head_bytes_max) {
    Refuse(431,
           "The request head is longer than " + std::to_string(limits_.head_bytes_max) + " bytes");
    return Line::kRefused;
  }
  if (end == std::string_view::npos) {
    searched_ = size;
    return Line::kPartial;
  }
  if (end == 0 || input_[end - 1] != '\r') {
    Refuse(400, "A line of the request head does not end with CR LF");
    return Line::kRefused;
  }
  line = input_.substr(0, end - 1);
  input_.remove_prefix(size);
  searched_ = 0;
  line_bytes_ += size;
  return Line::kWhole;
}

bool RequestReader::ReadRequestLine() {
  // Old clients send a CRLF too many after a body (RFC 9112 2.2).
  if (input_.starts_with("\r\n")) {
    input_.remove_prefix(2);
    return true;
  }
  if (input_.empty() || input_ == "\r") return false;
  if (!IsTokenByte(input_[0])) return Refuse(400, "The request does not begin with a method");
  const size_t line_max = limits_.target_bytes_max + kRequestLineRest;
  if (input_.substr(0, line_max + 1).find('\n') == std::string_view::npos &&
      input_.size() > line_max) {
    return Refuse(414, "The request target is longer than " +
                           std::to_string(limits_.target_bytes_max) + " bytes");
  }
  std::string_view line;
  if (NextLine(line) != Line::kWhole) return false;
  state_ = State::kHead;
  if (!ParseRequestLine(line)) return false;
  held_head_bytes_ = line_bytes_;
  step_ = Step::kHeaders;
  return true;
}

bool RequestReader::ParseRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refuse(400, "The request line is not `METHOD target HTTP/1.1`");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!IsToken(method) || method.size() > kMethodBytesMax) {
    return Refuse(400, "The method is not one of HTTP");
  }
  request_.method = method;
  if (!ParseVersion(line.substr(last + 1))) return false;
  if (target.size() > limits_.target_bytes_max) {
    return Refuse(414, "The request target is longer than " +
                           std::to_string(limits_.target_bytes_max) + " bytes");
  }
  if (target.empty() || !std::all_of(target.begin(), target.end(), IsTargetByte)) {
    return Refuse(400, "The request target holds a space or a control character");
  }
  request_.target = target;
  return true;
}

bool RequestReader::ParseVersion(std::string_view version) {
  http_1_0_ = version == "HTTP/1.0";
  if (http_1_0_ || version == "HTTP/1.1") return true;
  if (version.starts_with("HTTP/")) {
    return Refuse(505, "The server speaks HTTP/1.1 and HTTP/1.0");
  }
  return Refuse(400, "The request line does not end with an HTTP version");
}

bool RequestReader::ReadHeader() {
  std::string_view line;
  if (NextLine(line) != Line::kWhole) return false;
  held_head_bytes_ = line_bytes_;
  return line.empty() ? FinishHead() : ParseHeader(line);
}

bool RequestReader::ParseHeader(std::string_view line) {
  if (++fields_ > limits_.header_fields_max) {
    return Refuse(431, "The request has more than " + std::to_string(limits_.header_fields_max) +
                           " header fields");
  }
  const size_t colon = line.find(':');
  // This also refuses a name with a space before the colon and a value folded over two lines: both
  // have been used to show two servers two different requests (RFC 9112 5.1, 5.2).
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
    return Refuse(400, "A header field is not `Name: value`");
  }
  const std::string_view value = Trim(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), IsValueByte)) {
    return Refuse(400, "A header value holds a control character");
  }
  request_.headers.emplace_back(line.substr(0, colon), value);
  return true;
}

bool RequestReader::FinishHead() {
  if (!FinishHost()) return false;
  bool asked_keep = false;
  bool asked_close = false;
  for (const auto& [name, value] : request_.headers) {
    if (!EqualsLower(name, "connection")) continue;
    asked_keep |= ListHas(value, "keep-alive");
    asked_close |= ListHas(value, "close");
  }
  keep_alive_ = !asked_close && (asked_keep || !http_1_0_);
  if (!FinishFraming()) return false;
  state_ = State::kBody;
  line_bytes_ = 0;
  fields_ = 0;
  if (!FinishExpect()) return false;
  if (step_ == Step::kLength && missing_ == 0) FinishRequest();
  return true;
}

// One Host (RFC 9112 3.2). The absolute form `http://host/path` names it a second time, and wins.
bool RequestReader::FinishHost() {
  const Found host = Find(request_.headers, "host");
  if (host.count > 1 || (host.count == 0 && !http_1_0_)) {
    return Refuse(400, "The request must have exactly one Host header");
  }
  std::string& target = request_.target;
  if (target[0] == '/' || target == "*") return true;
  constexpr std::string_view kScheme = "http://";
  if (!EqualsLower(std::string_view(target).substr(0, kScheme.size()), kScheme)) {
    return Refuse(400, "The request target does not begin with /");
  }
  const size_t end = std::min(target.find_first_of("/?", kScheme.size()), target.size());
  const std::string authority = target.substr(kScheme.size(), end - kScheme.size());
  if (authority.empty()) return Refuse(400, "The request target names no host");
  target.erase(0, end);
  if (target.empty() || target[0] != '/') target.insert(0, "/");
  std::erase_if(request_.headers,
                [](const auto& header) { return EqualsLower(header.first, "host"); });
  request_.headers.emplace_back("Host", authority);
  return true;
}

// How the body is framed (RFC 9112 6.3). Neither header: there is none.
bool RequestReader::FinishFraming() {
  const Found coding = Find(request_.headers, "transfer-encoding");
  const Found length = Find(request_.headers, "content-length");
  step_ = Step::kLength;
  missing_ = 0;
  if (coding.count > 0 && length.count > 0) {
    return Refuse(400, "The request has both Content-Length and Transfer-Encoding");
  }
  if (coding.count > 0) {
    if (coding.count > 1 || http_1_0_) {
      return Refuse(400, "Transfer-Encoding is given twice or in HTTP/1.0");
    }
    if (!EqualsLower(coding.value, "chunked")) {
      return Refuse(501, "The only Transfer-Encoding that is understood is chunked");
    }
    step_ = Step::kChunkSize;
    return true;
  }
  if (length.count > 1) return Refuse(400, "The request has more than one Content-Length");
  return length.count == 0 || ParseContentLength(length.value);
}

bool RequestReader::ParseContentLength(std::string_view value) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) {
    return Refuse(400, "Content-Length is not a number");
  }
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), missing_);
  if (error != std::errc() || missing_ > limits_.body_bytes_max) {
    return Refuse(413, "The request body is longer than " + std::to_string(limits_.body_bytes_max) +
                           " bytes");
  }
  return true;
}

bool RequestReader::FinishExpect() {
  const Found expect = Find(request_.headers, "expect");
  if (expect.count == 0 || http_1_0_) return true;
  if (!EqualsLower(expect.value, "100-continue")) {
    return Refuse(417, "The only Expect that is understood is 100-continue");
  }
  wants_continue_ = step_ != Step::kLength || missing_ > 0;
  return true;
}

bool RequestReader::TakeContinue() {
  return state_ == State::kBody && std::exchange(wants_continue_, false);
}

// Moves what has come of the body or chunk from the input to the request.
bool RequestReader::ReadBody() {
  const size_t size = static_cast<size_t>(std::min<uint64_t>(missing_, input_.size()));
  std::string& body = request_.body;
  if (body.size() + size > body.capacity()) {
    // A claimed length reserves nothing by itself: memory follows what was really sent.
    const uint64_t doubled = 2 * static_cast<uint64_t>(body.size() + size);
    body.reserve(static_cast<size_t>(std::min<uint64_t>(body.size() + missing_, doubled)));
  }
  body.append(input_.substr(0, size));
  input_.remove_prefix(size);
  missing_ -= size;
  if (missing_ > 0) return false;
  if (step_ == Step::kLength) {
    FinishRequest();
  } else {
    step_ = Step::kChunkEnd;
  }
  return true;
}

bool RequestReader::ReadChunkSize() {
  std::string_view line;
  if (NextLine(line) != Line::kWhole) return false;
  // Extensions, after `;`, mean nothing to us.
  const std::string_view digits = Trim(line.substr(0, line.find(';')));
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, missing_, 16);
  if (digits.empty() || stop != end || error == std::errc::invalid_argument) {
    return Refuse(400, "The size of a chunk is not a hexadecimal number");
  }
  if (error != std::errc() || missing_ > limits_.body_bytes_max - request_.body.size()) {
    return Refuse(413, "The request body is longer than " + std::to_string(limits_.body_bytes_max) +
                           " bytes");
  }
  step_ = missing_ == 0 ? Step::kTrailers : Step::kChunk;
  // Only extensions count: a body of many small chunks is slow, not wrong.
  line_bytes_ -= std::min(line_bytes_, digits.size() + 2);
  return true;
}

bool RequestReader::ReadChunkEnd() {
  if (input_.size() < 2 && std::string_view("\r\n").starts_with(input_)) return false;
  if (!input_.starts_with("\r\n")) return Refuse(400, "A chunk is longer than its size");
  input_.remove_prefix(2);
  step_ = Step::kChunkSize;
  return true;
}

// Trailers are read past: no field that matters here may come in one.
bool RequestReader::ReadTrailer() {
  std::string_view line;
  if (NextLine(line) != Line::kWhole) return false;
  if (line.empty()) FinishRequest();
  return true;
}

void RequestReader::FinishRequest() { state_ = State::kComplete; }

rest::HttpRequest RequestReader::TakeRequest() {
  rest::HttpRequest request = TakeRemains();
  state_ = State::kIdle;
  step_ = Step::kRequestLine;
  wants_continue_ = false;
  line_bytes_ = held_head_bytes_ = searched_ = fields_ = 0;
  return request;
}

rest::HttpRequest RequestReader::TakeRemains() { return std::exchange(request_, {}); }

}  // namespace berglite::server
