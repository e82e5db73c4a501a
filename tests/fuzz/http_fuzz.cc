// The bytes of a connection. However they are cut into pieces, the same requests come out; and what
// comes out is answered in the error model, never with a 500.
//
// The first byte of the input says how long the pieces are.
#include <algorithm>
#include <vector>

#include "shim/rest/service.h"
#include "shim/server/request_reader.h"
#include "tests/fuzz/fuzz.h"

namespace berglite::fuzz {
namespace {

using server::RequestReader;
using State = RequestReader::State;

struct Outcome {
  std::vector<rest::HttpRequest> requests;
  State state = State::kIdle;
  int refusal = 0;

  std::string Describe() const {
    std::string text = std::to_string(static_cast<int>(state)) + " " + std::to_string(refusal);
    for (const rest::HttpRequest& request : requests) {
      text += "\n" + request.method + " " + request.target;
      for (const auto& [name, value] : request.headers) text += "\n" + name + ": " + value;
      text += "\n\n" + request.body;
    }
    return text;
  }
};

Outcome ReadInPieces(std::string_view bytes, size_t piece) {
  static const server::Limits limits;
  RequestReader reader(limits);
  Outcome outcome;
  while (!bytes.empty() && outcome.state != State::kRefused) {
    const size_t size = std::min(piece, bytes.size());
    outcome.state = reader.Feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
    while (outcome.state == State::kComplete) {
      outcome.requests.push_back(reader.TakeRequest());
      outcome.state = reader.Feed({});
    }
  }
  if (outcome.state == State::kRefused) outcome.refusal = reader.refusal().status;
  return outcome;
}

void CheckReply(const rest::Service& service, const rest::HttpRequest& request) {
  const rest::HttpReply reply = service.Handle(request);
  Require(
      reply.status >= 200 && reply.status < 500,
      "an answer is no fault of the server: " + std::to_string(reply.status) + " " + reply.body());
  if (reply.body().empty() || request.FindHeader("Accept-Encoding") != nullptr) return;
  // Metrics are plain text.
  const bool is_json =
      std::any_of(reply.headers.begin(), reply.headers.end(), [](const auto& header) {
        return header.first == "Content-Type" && header.second.starts_with("application/json");
      });
  if (!is_json) return;
  Require(Document::Parse(reply.body()).has_value(), "a body is JSON: " + reply.body());
}

}  // namespace
}  // namespace berglite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  static fuzz::Lake lake;
  static const rest::Service service(*lake.catalog, {.allowed_hosts = {"*"}});
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::ToText(data + 1, size - 1);
  const fuzz::Outcome whole = fuzz::ReadInPieces(bytes, bytes.size());
  const fuzz::Outcome pieces = fuzz::ReadInPieces(bytes, size_t{1} + data[0]);
  fuzz::Require(whole.Describe() == pieces.Describe(), "requests do not depend on how they arrive");
  fuzz::Require(whole.refusal == 0 || (whole.refusal >= 400 && whole.refusal < 600),
                "a refusal has a status");
  for (const rest::HttpRequest& request : whole.requests) fuzz::CheckReply(service, request);
  return 0;
}
