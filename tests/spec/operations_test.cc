// Compares the operation table with the specification's OpenAPI file: the one that the environment
// variable BERGLITE_OPENAPI_YAML names, or else the one beside the source directory. It reads the
// few lines it needs by their indentation: paths are at two blanks, methods at four, what belongs
// to an operation at six and more.
#include "shim/rest/operations.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berglite::rest {
namespace {

struct SpecOperation {
  std::string method;
  std::string path;
  int success_status = 0;
  unsigned traits = kPlain;
};

std::ostream& operator<<(std::ostream& out, const SpecOperation& operation) {
  return out << operation.method << " " << operation.path << " -> " << operation.success_status
             << ", traits " << operation.traits;
}

bool operator==(const SpecOperation& a, const SpecOperation& b) {
  return a.method == b.method && a.path == b.path && a.success_status == b.success_status &&
         a.traits == b.traits;
}

using SpecOperations = std::map<std::string, SpecOperation>;

// The text after `head`, where `line` begins with it.
std::optional<std::string> After(const std::string& line, const std::string& head) {
  if (!line.starts_with(head)) return std::nullopt;
  return line.substr(head.size());
}

// `post:` at four blanks gives `POST`; nothing for another line.
std::optional<std::string> MethodOf(const std::string& line) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}) {
    std::string key = "    ";
    for (const char* c = method; *c != '\0'; ++c) key += static_cast<char>(*c - 'A' + 'a');
    if (line == key + ":") return method;
  }
  return std::nullopt;
}

// `200:` at eight blanks, and any other success.
bool IsStatus(const std::string& line) {
  std::optional<std::string> key = After(line, "        ");
  return key && key->size() == 4 && key->front() == '2' && key->back() == ':';
}

class SpecReader {
 public:
  explicit SpecReader(std::istream& in) {
    bool in_paths = false;
    for (std::string line; std::getline(in, line);) {
      bool is_top_level_key = !line.empty() && line.front() != ' ' && line.front() != '#';
      if (is_top_level_key) in_paths = line == "paths:";
      if (in_paths) ReadLine(line);
    }
    Finish();
  }

  const SpecOperations& operations() const { return operations_; }

 private:
  void ReadLine(const std::string& line) {
    if (line.starts_with("  /")) {
      Finish();
      path_ = line.substr(2, line.rfind(':') - 2);
    } else if (std::optional<std::string> method = MethodOf(line)) {
      Finish();
      current_ = SpecOperation{*method, path_};
    } else if (std::optional<std::string> id = After(line, "      operationId: ")) {
      id_ = *id;
    } else if (line.find("$ref: '#/components/parameters/idempotency-key'") != std::string::npos) {
      current_.traits |= kTakesKey;
    } else if (line.find("CommitStateUnknownException") != std::string::npos) {
      current_.traits |= kCommits;
    } else if (IsStatus(line) && current_.success_status == 0) {
      current_.success_status = std::stoi(line);
    }
  }

  void Finish() {
    // The specification passes it over; Java's client sends a key here as everywhere.
    if (id_ == "createView") current_.traits |= kTakesKey;
    if (!id_.empty()) operations_[id_] = current_;
    id_.clear();
    current_ = {};
  }

  SpecOperations operations_;
  std::string path_;
  std::string id_;
  SpecOperation current_;
};

std::filesystem::path FindSpecification() {
  const char* named = std::getenv("BERGLITE_OPENAPI_YAML");
  if (named != nullptr && *named != '\0') return named;
  std::filesystem::path beside = BERGLITE_SOURCE_DIR "/../shared/spec/rest-catalog-open-api.yaml";
  return std::filesystem::exists(beside) ? beside : "";
}

TEST(Operations, AreThoseOfTheSpecification) {
  const std::filesystem::path file = FindSpecification();
  if (file.empty()) GTEST_SKIP() << "BERGLITE_OPENAPI_YAML names no specification";
  std::ifstream in(file);
  ASSERT_TRUE(in.is_open()) << file;
  SpecOperations expected = SpecReader(in).operations();
  EXPECT_EQ(expected.size(), kOperationCount);
  SpecOperations actual;
  for (const Operation& operation : Operations()) {
    actual[std::string(operation.id)] = {std::string(operation.method), std::string(operation.path),
                                         operation.success_status,
                                         operation.traits & (kTakesKey | kCommits)};
  }
  for (const auto& [id, operation] : expected) EXPECT_EQ(actual[id], operation) << id;
  for (const auto& [id, operation] : actual) EXPECT_EQ(expected.count(id), 1) << id;
}

}  // namespace
}  // namespace berglite::rest
