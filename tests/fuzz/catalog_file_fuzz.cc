// Catalog files that are damaged or that somebody else has written. They are refused or read;
// what is read is answered, and no damage brings the process down.
#include <fstream>

#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

namespace berglite::fuzz {
namespace {

void LookAtAll(Catalog& catalog) {
  const Result<Document> namespaces = catalog.ListNamespaces({}, {});
  for (const Namespace& name_space : {Namespace{"ns"}, Namespace{"a", "b"}, Namespace{"a.b"}}) {
    (void)catalog.LoadNamespaceMetadata(name_space).has_value();
    (void)catalog.ListTables(name_space, {}).has_value();
    (void)catalog.ListViews(name_space, {.page_token = ""}).has_value();
    (void)catalog.ListFunctions(name_space, {}).has_value();
    (void)catalog.LoadTable({name_space, "t"}, {}).has_value();
    (void)catalog.DropTable({name_space, "t"}).has_value();
  }
  (void)catalog.CreateNamespace(*Document::Parse(R"({"namespace":["new"]})")).has_value();
  (void)namespaces.has_value();
}

}  // namespace
}  // namespace berglite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  static const testing::TempDir directory;
  const std::string path = directory / "lake.db";
  for (const char* end : {"", "-wal", "-shm", "-journal"}) std::remove((path + end).c_str());
  std::ofstream(path, std::ios::binary) << fuzz::ToText(data, size);
  const auto catalog =
      Catalog::Open(path, {.warehouse = directory / "warehouse", .busy_timeout_ms = 0});
  if (catalog) fuzz::LookAtAll(**catalog);
  return 0;
}
