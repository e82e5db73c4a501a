// A Service over a FakeCatalog, and short ways to ask it and to read its answers.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shim/rest/service.h"
#include "tests/rest/fake_catalog.h"

namespace berglite::rest {

// The value of the one header of that name; `(none)` where it is absent, `(many)` where it is
// repeated.
inline std::string HeaderOf(const HttpReply& reply, std::string_view name) {
  std::string value = "(none)";
  for (const auto& [key, content] : reply.headers) {
    if (key == name) value = value == "(none)" ? content : "(many)";
  }
  return value;
}

// A good error answer: status, `type` and a message.
MATCHER_P3(IsErrorReply, status, type, message_matcher, "is an error answer") {
  nlohmann::json body = nlohmann::json::parse(arg.body(), nullptr, false);
  *result_listener << "its status is " << arg.status << " and its body " << arg.body();
  if (arg.status != status || body.is_discarded() || !body.contains("error")) return false;
  const nlohmann::json& error = body["error"];
  return error.size() == 3 && error["code"] == status && error["type"] == type &&
         HeaderOf(arg, "Content-Type") == "application/json" &&
         ::testing::ExplainMatchResult(message_matcher, error["message"].get<std::string>(),
                                       result_listener);
}

class RestTest : public ::testing::Test {
 protected:
  HttpReply Ask(std::string method, std::string target, Headers headers = {}) {
    HttpRequest request{std::move(method), std::move(target), std::move(headers), {}};
    return service_.Handle(request);
  }
  HttpReply Post(std::string target, std::string body,
                 std::string content_type = "application/json") {
    HttpRequest request{
        "POST", std::move(target), {{"Content-Type", std::move(content_type)}}, std::move(body)};
    return service_.Handle(request);
  }
  std::string LastCall() const { return catalog_.calls.empty() ? "(none)" : catalog_.calls.back(); }

  FakeCatalog catalog_;
  Service service_{catalog_, {}};
};

}  // namespace berglite::rest
