#include "shim/cli/catalog_file.h"

#include <filesystem>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

Status CheckExists(const FileOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(options.file, ignored)) return {};
  return NoSuchFile(options.file, "--file");
}

template <typename T>
Result<T> Opened(Result<T> result) {
  if (result) return result;
  return ExplainOpening(std::move(result).error(), "--catalog-name");
}

}  // namespace

ExitCode Fail(const Error& error) {
  std::cerr << "berglite: " << EscapeControls(error.message) << '\n';
  const bool is_of_the_file =
      error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kInternal ||
      error.kind == ErrorKind::kCommitStateUnknown || error.kind == ErrorKind::kUnsupported;
  return is_of_the_file ? ExitCode::kFailed : ExitCode::kRefused;
}

Result<std::unique_ptr<Catalog>> OpenCatalog(const FileOptions& options) {
  BERGLITE_RETURN_IF_ERROR(CheckExists(options));
  return Opened(Catalog::Open(options.file, {.name = options.catalog_name,
                                             .warehouse = options.warehouse,
                                             .warehouse_directory = WarehouseDirectory::kWhenNeeded,
                                             .allowed_locations = options.allowed_locations,
                                             .owed_purges = OwedPurges::kLeave,
                                             .new_catalog = NewCatalog::kRefuse}));
}

Result<std::unique_ptr<Warehouses>> OpenWarehouses(const FileOptions& options,
                                                   const std::string& warehouse) {
  BERGLITE_RETURN_IF_ERROR(CheckExists(options));
  return Opened(
      Warehouses::Open(options.file, {.name = options.catalog_name,
                                      .warehouse = warehouse,
                                      .warehouse_directory = WarehouseDirectory::kWhenNeeded,
                                      .allowed_locations = options.allowed_locations,
                                      .owed_purges = OwedPurges::kLeave,
                                      .new_catalog = NewCatalog::kRefuse}));
}

Error NoSuchFile(const std::string& file, const std::string& option) {
  return Error{ErrorKind::kUnavailable,
               "There is no catalog file " + file + "; " + option + " names another"};
}

// Whatever it is, a file that cannot be opened is no answer to what was asked of it.
Error ExplainOpening(Error error, const std::string& option) {
  if (error.kind != ErrorKind::kNoSuchWarehouse) {
    return Error{ErrorKind::kUnavailable, std::move(error.message)};
  }
  return Error{error.kind, std::move(error.message) + "; " + option + " chooses one"};
}

void WarnOfReaders(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return;
  std::cerr << "berglite: every user of this machine can read " << file
            << " and the key in it that signs tokens; chmod o-rwx keeps them out\n";
}

std::string LocationOf(const std::string& path_or_uri) {
  if (path_or_uri.starts_with("file:")) return path_or_uri;
  std::error_code ignored;
  return "file://" + std::filesystem::absolute(path_or_uri, ignored).lexically_normal().string();
}

Json ParseDocument(const Document& document) { return Json::parse(document.text()); }

Json MemberOf(const Document& document, const char* key) { return ParseDocument(document).at(key); }

Document MakeDocument(const Json& json) {
  // The command line need not be UTF-8; the catalog will say what it thinks of the replacement.
  Result<Document> document =
      Document::Parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  return document ? *std::move(document) : Document();
}

Json ToJson(const TableIdentifier& name) {
  return Json{{"namespace", name.name_space}, {"name", name.name}};
}

// The writer of JSON leaves the controls above 0x7E as they are.
void PrintJson(const Json& json) {
  std::cout << EscapeControls(json.dump(-1, ' ', false, Json::error_handler_t::replace)) << '\n';
}

// Metadata of other programs may be on many lines.
void PrintJson(const Document& document) { PrintJson(ParseDocument(document)); }

Progress::~Progress() {
  if (!shown_.empty()) std::cerr << "\r\x1B[K" << std::flush;
}

void Progress::Show(size_t done, size_t total) {
  Write(std::to_string(total == 0 ? 100 : done * 100 / total) + "%");
}

void Progress::ShowCount(size_t done) { Write(std::to_string(done)); }

void Progress::Write(const std::string& text) {
  if (text == shown_ || isatty(STDERR_FILENO) == 0) return;
  shown_ = text;
  std::cerr << "\r" << what_ << ' ' << text << "\x1B[K" << std::flush;
}

}  // namespace berglite::cli
