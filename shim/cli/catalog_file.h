// What the commands on a catalog file share: opening it, and how they answer.
//
// Threads: functions without state; a Progress is used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <berglite/catalog.h>
#include <berglite/document.h>
#include <berglite/result.h>
#include <berglite/warehouses.h>
#include <nlohmann/json.hpp>

#include "shim/cli/file_command.h"

namespace berglite::cli {

using Json = nlohmann::json;

// Says on stderr, in one line, why the program ends, and returns its exit code.
ExitCode Fail(const Error& error);

// Opens the catalog of a file that must be there and hold it: a command must neither leave a new
// file or tables where a path is mistyped, nor show nothing where a name is. Errors:
// kNoSuchWarehouse where --catalog-name is missing or names none; kUnavailable alone for whatever
// else keeps it from being opened.
Result<std::unique_ptr<Catalog>> OpenCatalog(const FileOptions& options);
// The same for all catalogs of the file. `warehouse` is the one of the default catalog.
Result<std::unique_ptr<Warehouses>> OpenWarehouses(const FileOptions& options,
                                                   const std::string& warehouse);

// That there is no file to open, and what names one.
Error NoSuchFile(const std::string& file, const std::string& option);

// The error of an attempt to open a catalog, as Fail wants it; says which option, such as
// --catalog-name, chooses a catalog where that is what is wrong.
Error ExplainOpening(Error error, const std::string& option);

// Warns on stderr where other users of the machine can read the file: they can sign tokens.
void WarnOfReaders(const std::string& file);

// `file:` URI of a path; a URI stays as it is.
std::string LocationOf(const std::string& path_or_uri);

Json ParseDocument(const Document& document);
// The member `key` of a document, which has it.
Json MemberOf(const Document& document, const char* key);
Document MakeDocument(const Json& json);
// A name in the specification's form.
Json ToJson(const TableIdentifier& name);

// Writes one line of JSON to stdout. Nothing in it moves a terminal.
void PrintJson(const Json& json);
void PrintJson(const Document& document);

// Shows on stderr how far a long work has come, where that is a terminal.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  // Takes away what it has shown.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(size_t done, size_t total);
  // Where there is no telling how much there is.
  void ShowCount(size_t done);

 private:
  void Write(const std::string& text);

  const std::string what_;
  std::string shown_;
};

}  // namespace berglite::cli
