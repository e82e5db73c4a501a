// The identifiers of the REST specification in JSON.
#pragma once

#include <vector>

#include <berglite/catalog.h>
#include <berglite/document.h>
#include <berglite/result.h>
#include <nlohmann/json.hpp>

namespace berglite::transfer {

using Json = nlohmann::json;

// The JSON of a document, which is known to be good.
Json ToJson(const Document& document);
// Errors: kMalformedRequest for what is deeper or longer than a Document may be.
Result<Document> ToDocument(const Json& json);

// `namespaces` of a ListNamespacesResponse; `identifiers` of a ListTablesResponse. Errors:
// kInternal where a catalog has answered something else.
Result<std::vector<Namespace>> NamespacesOf(const Json& response);
Result<std::vector<TableIdentifier>> IdentifiersOf(const Json& response);

}  // namespace berglite::transfer
