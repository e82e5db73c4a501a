#include "shim/transfer/json.h"

#include <string>
#include <utility>

namespace berglite::transfer {
namespace {

Error NotTheSpecification(const std::string& expected, const Json& found) {
  constexpr size_t kShown = 200;
  return Error{ErrorKind::kInternal, "Expected " + expected + " from the catalog, found " +
                                         found.dump().substr(0, kShown)};
}

// The array `member` of `response`, each element made into a T by `read`, which throws where it
// cannot.
template <typename T, typename Read>
Result<std::vector<T>> ListOf(const Json& response, const char* member, Read read) {
  std::vector<T> list;
  try {
    for (const Json& element : response.at(member)) list.push_back(read(element));
  } catch (const Json::exception&) {
    return NotTheSpecification(std::string("a list of ") + member, response);
  }
  return list;
}

}  // namespace

Json ToJson(const Document& document) { return Json::parse(document.text()); }

Result<Document> ToDocument(const Json& json) {
  std::string text = json.dump();
  const size_t size = text.size();
  return Document::Parse(std::move(text), size);
}

Result<std::vector<Namespace>> NamespacesOf(const Json& response) {
  return ListOf<Namespace>(response, "namespaces",
                           [](const Json& element) { return element.get<Namespace>(); });
}

Result<std::vector<TableIdentifier>> IdentifiersOf(const Json& response) {
  return ListOf<TableIdentifier>(response, "identifiers", [](const Json& element) {
    return TableIdentifier{element.at("namespace").get<Namespace>(),
                           element.at("name").get<std::string>()};
  });
}

}  // namespace berglite::transfer
