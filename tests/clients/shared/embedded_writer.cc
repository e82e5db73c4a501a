// berglite inside a process, as one of several writers of a catalog file.
//
//   embedded_writer FILE NAME create TABLE...
//   embedded_writer FILE NAME write SECONDS TABLE...
//
// Prints for each table, as one JSON object, how many of its commits were acknowledged.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "berglite/catalog.h"

namespace berglite {
namespace {

const Namespace kShared{"shared"};

Status Create(Catalog& catalog, const std::vector<std::string>& tables) {
  for (const std::string& table : tables) {
    BERGLITE_ASSIGN_OR_RETURN(
        Document request,
        Document::Parse(R"({"name": ")" + table + R"(", "schema": {"type": "struct", "fields": [
            {"id": 1, "name": "id", "type": "long", "required": false}]},
            "properties": {"write.metadata.previous-versions-max": "1000000"}})"));
    BERGLITE_RETURN_IF_ERROR(catalog.CreateTable(kShared, request));
  }
  return {};
}

Status Write(Catalog& catalog, const std::string& name, double seconds,
             const std::vector<std::string>& tables) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::map<std::string, int> done;
  std::mt19937 random(2);
  while (Clock::now() < end) {
    const std::string& table = tables[random() % tables.size()];
    const std::string turn = std::to_string(done[table] + 1);
    BERGLITE_ASSIGN_OR_RETURN(
        Document commit,
        Document::Parse(R"({"updates": [{"action": "set-properties", "updates": {")" + name +
                        R"(": ")" + turn + R"("}}]})"));
    const Result<LoadedTable> committed = catalog.UpdateTable({kShared, table}, commit);
    if (committed) {
      ++done[table];
    } else if (committed.error().kind != ErrorKind::kCommitFailed) {
      return committed.error();
    }
  }
  const char* separator = "{";
  for (const auto& [table, count] : done) {
    std::printf("%s\"%s\": %d", separator, table.c_str(), count);
    separator = ", ";
  }
  std::printf("}\n");
  return {};
}

Status Run(const std::vector<std::string>& words) {
  BERGLITE_ASSIGN_OR_RETURN(auto catalog, Catalog::Open(words.at(0)));
  const std::vector<std::string> rest(words.begin() + 3, words.end());
  if (words.at(2) == "create") return Create(*catalog, rest);
  return Write(*catalog, words.at(1), std::atof(rest.at(0).c_str()),
               {rest.begin() + 1, rest.end()});
}

}  // namespace
}  // namespace berglite

int main(int argc, char** argv) {
  const berglite::Status done = berglite::Run({argv + 1, argv + argc});
  if (!done) std::fprintf(stderr, "embedded_writer: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
