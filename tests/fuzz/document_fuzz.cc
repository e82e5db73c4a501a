// JSON of any kind through its one door: what is taken is kept byte for byte and can be asked.
#include "berglite/document.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berglite;
  const std::string text(fuzz::ToText(data, size));
  const Result<Document> document = Document::Parse(text);
  if (!document) {
    fuzz::Require(document.error().kind == ErrorKind::kMalformedRequest,
                  "a refusal is of its kind");
    fuzz::Require(document.error().message.find('\n') == std::string::npos,
                  "its message is one line");
    return 0;
  }
  fuzz::Require(document->text() == text, "the text is the one that was parsed");
  for (const char* pointer : {"", "/", "/a", "/0", "/a/0/b", "/~0~1", "/~2", "a"}) {
    (void)document->Contains(pointer);
    (void)document->GetString(pointer);
    (void)document->GetInt64(pointer);
    (void)document->GetSize(pointer);
  }
  return 0;
}
