// The operations on functions (UDFs). Clients of the specification read them; they are registered
// and dropped through the library and the program.
#include "lib/base/limits.h"
#include "lib/catalog/load_result.h"
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/page.h"
#include "lib/catalog/sqlite_catalog.h"
#include "lib/metadata/function_metadata.h"
#include "lib/metadata/metadata_file.h"

namespace berglite::catalog {

using store::Reader;
using store::Writer;

namespace {

Error NoSuchFunction(const TableIdentifier& function) {
  return Error{ErrorKind::kNoSuchFunction, "Function does not exist: " + ToString(function)};
}

Status CheckNamespaceExists(Reader& reader, const Namespace& name_space) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, reader.NamespaceExists(name_space));
  return exists ? Status() : NoSuchNamespace(name_space);
}

}  // namespace

// Functions are few and small, so each call reads the file.
Result<Document> SqliteCatalog::ReadFunction(const std::string& location) {
  BERGLITE_ASSIGN_OR_RETURN(std::string bytes, file_io_->Read(location, limits::kMetadataBytesMax));
  BERGLITE_ASSIGN_OR_RETURN(Document document,
                            metadata::DecodeMetadataFile(std::move(bytes), location));
  Status valid = metadata::CheckFunctionMetadata(document);
  if (valid) return document;
  return Error{valid.error().kind,
               "Invalid function metadata in " + location + ": " + valid.error().message};
}

Result<Document> SqliteCatalog::ListFunctions(const Namespace& name_space,
                                              const ListOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckNamespace(name_space));
  BERGLITE_ASSIGN_OR_RETURN(PageRequest page, ParsePage(options));
  std::vector<std::string> names;
  Status read = store_->Read([&](Reader& reader) -> Status {
    BERGLITE_RETURN_IF_ERROR(CheckNamespaceExists(reader, name_space));
    BERGLITE_ASSIGN_OR_RETURN(names,
                              reader.ListFunctions(name_space, page.after, page.fetch_size()));
    return {};
  });
  if (!read) return read.error();
  std::optional<std::string> next = CutToPage(page, names);
  Json identifiers = Json::array();
  for (std::string& name : names) {
    std::vector<std::string> identifier = name_space;
    identifier.push_back(std::move(name));
    identifiers.push_back(std::move(identifier));
  }
  return DocumentAccess::FromDom(
      {{"identifiers", std::move(identifiers)}, {"next-page-token", NextPageToken(next)}});
}

Result<Document> SqliteCatalog::LoadFunction(const TableIdentifier& function) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(function));
  std::optional<std::string> location;
  Status read = store_->Read([&](Reader& reader) -> Status {
    BERGLITE_RETURN_IF_ERROR(CheckNamespaceExists(reader, function.name_space));
    BERGLITE_ASSIGN_OR_RETURN(location, reader.FindFunction(KeyOf(function)));
    return {};
  });
  if (!read) return read.error();
  if (!location) return NoSuchFunction(function);
  Result<Document> document = ReadFunction(*location);
  if (document) return *ToCommitResponse({*location, *document}).body;
  // A damaged file is no fault of the one who only asks for it.
  Error error = std::move(document).error();
  if (error.kind == ErrorKind::kValidation) error.kind = ErrorKind::kInternal;
  return error;
}

Result<Document> SqliteCatalog::RegisterFunction(const TableIdentifier& function,
                                                 const std::string& metadata_location,
                                                 const RegisterFunctionOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(function));
  BERGLITE_RETURN_IF_ERROR(CheckConfined(metadata_location));
  BERGLITE_ASSIGN_OR_RETURN(Document document, ReadFunction(metadata_location));
  Status written = store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_RETURN_IF_ERROR(CheckNamespaceExists(writer, function.name_space));
        BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> taken,
                                  writer.FindFunction(KeyOf(function)));
        if (taken && !options.overwrite) {
          return Error{ErrorKind::kAlreadyExists, "Function already exists: " + ToString(function)};
        }
        return writer.PutFunction(KeyOf(function), metadata_location);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> found,
                                  reader.FindFunction(KeyOf(function)));
        return found == metadata_location;
      });
  if (!written) return written.error();
  return *ToCommitResponse({metadata_location, document}).body;
}

Status SqliteCatalog::DropFunction(const TableIdentifier& function) {
  BERGLITE_RETURN_IF_ERROR(CheckTableIdentifier(function));
  return store_->Write(
      [&](Writer& writer) -> Status {
        BERGLITE_ASSIGN_OR_RETURN(bool deleted, writer.DeleteFunction(KeyOf(function)));
        return deleted ? Status() : NoSuchFunction(function);
      },
      [&](Reader& reader) -> Result<bool> {
        BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> found,
                                  reader.FindFunction(KeyOf(function)));
        return !found;
      });
}

}  // namespace berglite::catalog
