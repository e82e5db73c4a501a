#include "berglite/document.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "lib/base/json.h"
#include "lib/base/limits.h"

namespace berglite {

struct Document::Body {
  mutable std::atomic<size_t> references = 1;
  std::string text;
  mutable std::once_flag parse_once;
  mutable Json dom;
};

namespace {

Error Malformed(std::string message) {
  return Error{ErrorKind::kMalformedRequest, std::move(message)};
}

// How deep the brackets of `text` nest. Exact for good JSON, and never too small for bad JSON.
size_t NestingDepth(std::string_view text) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// The parser's own text begins with a code of its own; what a person needs follows it.
std::string WithoutCode(std::string_view what) {
  size_t end = what.find("] ");
  return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

Result<const Json*> FindAt(const Json& dom, std::string_view pointer) {
  try {
    Json::json_pointer parsed{std::string(pointer)};
    if (!dom.contains(parsed)) {
      return Error{ErrorKind::kInvalidArgument, "Nothing is at " + std::string(pointer)};
    }
    return &dom.at(parsed);
  } catch (const Json::exception& e) {
    return Error{ErrorKind::kInvalidArgument,
                 "Not a JSON pointer: " + std::string(pointer) + ": " + WithoutCode(e.what())};
  }
}

}  // namespace

Document::Document() : Document(DocumentAccess::FromTrustedText("{}")) {}
Document::Document(const Body* body) : body_(body) {}

Document::Document(const Document& other) noexcept : body_(other.body_) {
  if (body_ != nullptr) body_->references.fetch_add(1, std::memory_order_relaxed);
}

Document::Document(Document&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}

Document& Document::operator=(Document other) noexcept {
  std::swap(body_, other.body_);
  return *this;
}

// Whoever sees the count fall sees all that the others did with the body.
Document::~Document() {
  if (body_ == nullptr) return;
  if (body_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete body_;
}

Result<Document> Document::Parse(std::string text, size_t size_max) {
  if (size_max == 0) size_max = limits::kRequestBodyBytesMax;
  if (text.size() > size_max) {
    return Malformed("JSON of " + std::to_string(text.size()) +
                     " bytes is longer than the limit of " + std::to_string(size_max));
  }
  if (size_t depth = NestingDepth(text); depth > limits::kJsonDepthMax) {
    return Malformed("JSON nested " + std::to_string(depth) + " levels deep is past the limit of " +
                     std::to_string(limits::kJsonDepthMax));
  }
  auto body = std::make_unique<Body>();
  try {
    body->dom = Json::parse(text);
  } catch (const Json::exception& e) {
    return Malformed("Cannot parse JSON: " + WithoutCode(e.what()));
  }
  std::call_once(body->parse_once, [] {});
  body->text = std::move(text);
  return Document(body.release());
}

const std::string& Document::text() const { return body_->text; }

bool Document::Contains(std::string_view pointer) const {
  return FindAt(DocumentAccess::Dom(*this), pointer).has_value();
}

Result<std::string> Document::GetString(std::string_view pointer) const {
  BERGLITE_ASSIGN_OR_RETURN(const Json* value, FindAt(DocumentAccess::Dom(*this), pointer));
  return AsString(*value, pointer);
}

Result<int64_t> Document::GetInt64(std::string_view pointer) const {
  BERGLITE_ASSIGN_OR_RETURN(const Json* value, FindAt(DocumentAccess::Dom(*this), pointer));
  return AsInt64(*value, pointer);
}

Result<size_t> Document::GetSize(std::string_view pointer) const {
  BERGLITE_ASSIGN_OR_RETURN(const Json* value, FindAt(DocumentAccess::Dom(*this), pointer));
  if (!value->is_structured()) {
    return Error{ErrorKind::kInvalidArgument, std::string(pointer) +
                                                  ": expected an object or array, found " +
                                                  std::string(JsonKindName(*value))};
  }
  return value->size();
}

const Json& DocumentAccess::Dom(const Document& document) {
  const Document::Body& body = *document.body_;
  std::call_once(body.parse_once, [&body] { body.dom = Json::parse(body.text); });
  return body.dom;
}

Json DocumentAccess::TakeDom(Document document) {
  const Json& dom = Dom(document);
  if (document.body_->references.load(std::memory_order_acquire) > 1) return dom;
  return std::move(document.body_->dom);
}

Document DocumentAccess::FromDom(Json dom) {
  auto body = std::make_unique<Document::Body>();
  body->text = ToJsonText(dom);
  body->dom = std::move(dom);
  std::call_once(body->parse_once, [] {});
  return Document(body.release());
}

Document DocumentAccess::FromTrustedText(std::string text) {
  auto body = std::make_unique<Document::Body>();
  body->text = std::move(text);
  return Document(body.release());
}

}  // namespace berglite
