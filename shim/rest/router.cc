#include "shim/rest/router.h"

#include <algorithm>
#include <span>
#include <vector>

namespace berglite::rest {

namespace {

using Segments = std::span<const std::string_view>;

// Takes the text up to the next `/` off `path`, and that `/`.
std::string_view TakeSegment(std::string_view& path) {
  size_t end = std::min(path.find('/'), path.size());
  std::string_view segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

// The segments of a path that begins with `/`; none for any other.
std::vector<std::string_view> SplitPath(std::string_view path) {
  while (path.starts_with("//")) path.remove_prefix(1);
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string_view> segments;
  // The `/` before an empty last segment is taken with the one before it.
  bool ends_empty = path.ends_with('/');
  while (!path.empty()) segments.push_back(TakeSegment(path));
  if (ends_empty) segments.emplace_back();
  return segments;
}

// The part of a template after the version and the prefix.
std::string_view TemplateTail(std::string_view path_template) {
  for (std::string_view head : {"/v1/{prefix}/", "/v1/"}) {
    if (path_template.starts_with(head)) return path_template.substr(head.size());
  }
  return path_template;
}

// Whether the segments are those of the template. Notes its parameters in `route`.
bool Match(std::string_view tail, Segments segments, Route& route) {
  for (std::string_view segment : segments) {
    if (tail.empty()) return false;
    std::string_view expected = TakeSegment(tail);
    if (expected == "{namespace}") {
      route.name_space = segment;
    } else if (expected == "{table}" || expected == "{view}" || expected == "{function}") {
      route.name = segment;
    } else if (!expected.starts_with('{') && expected != segment) {
      return false;
    }
  }
  return tail.empty();
}

// The route of a path without version and prefix. What can be asked for with GET can be with HEAD
// (RFC 9110, 9.1), also where the specification has no operation for that.
Route FindBareRoute(std::string_view method, Segments segments) {
  Route found;
  Route of_get;
  bool has_head = false;
  for (const Operation& operation : Operations()) {
    Route candidate;
    if (!Match(TemplateTail(operation.path), segments, candidate)) continue;
    candidate.operation = &operation;
    if (operation.method == method) return candidate;
    if (operation.method == "GET") of_get = candidate;
    has_head = has_head || operation.method == "HEAD";
    found.allow += (found.allow.empty() ? "" : ", ") + std::string(operation.method);
  }
  const bool has_get = of_get.operation != nullptr;
  if (method == "HEAD" && has_get) return of_get;
  if (has_get && !has_head) found.allow += ", HEAD";
  return found;
}

}  // namespace

TargetParts SplitTarget(std::string_view target) {
  for (std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(std::min(target.find_first_of("/?", scheme.size()), target.size()));
    break;
  }
  size_t question = std::min(target.find('?'), target.size());
  TargetParts parts{target.substr(0, question), target.substr(question)};
  if (!parts.query.empty()) parts.query.remove_prefix(1);
  return parts;
}

Route FindRoute(std::string_view method, std::string_view path) {
  std::vector<std::string_view> split = SplitPath(path);
  Segments segments(split);
  if (segments.size() < 2 || segments.front() != "v1") return {};
  Route bare = FindBareRoute(method, segments.subspan(1));
  bool may_be_prefixed = segments.size() > 2 && !segments[1].empty();
  if (bare.operation != nullptr || !bare.allow.empty() || !may_be_prefixed) return bare;
  Route prefixed = FindBareRoute(method, segments.subspan(2));
  prefixed.prefix = segments[1];
  return prefixed;
}

}  // namespace berglite::rest
