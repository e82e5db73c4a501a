#include "lib/storage/location.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace berglite::storage {

namespace {

constexpr std::string_view kFileScheme = "file";

Error InvalidLocation(std::string_view location, std::string_view why) {
  std::string message = "Invalid location ";
  message.append(location).append(": ").append(why);
  return Error{ErrorKind::kInvalidArgument, std::move(message)};
}

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsSchemeCharacter(char c) {
  return IsAsciiLetter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

// The scheme of a URI (RFC 3986 section 3.1) without its colon; empty for a path.
std::string_view SchemeOf(std::string_view location) {
  const auto* const end = std::find_if_not(location.begin(), location.end(), IsSchemeCharacter);
  if (end == location.begin() || end == location.end() || *end != ':') return {};
  if (!IsAsciiLetter(location.front())) return {};
  return location.substr(0, static_cast<size_t>(end - location.begin()));
}

// What follows the scheme and the authority; `location` itself where it is no URI.
Result<std::string_view> PathPartOf(std::string_view location) {
  const std::string_view scheme = SchemeOf(location);
  if (scheme.empty()) return location;
  if (scheme != kFileScheme) {
    return InvalidLocation(location, "the scheme `" + std::string(scheme) +
                                         "` is not served; expected `file` or an absolute path");
  }
  std::string_view rest = location.substr(scheme.size() + 1);
  if (!rest.starts_with("//")) return rest;
  rest.remove_prefix(2);
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (!host.empty() && host != "localhost") {
    // `file://w/x` nearly always stands for `/w/x`; to drop `w` silently would write elsewhere.
    return InvalidLocation(location, "`" + std::string(host) +
                                         "` stands where a host name does; for a local path write "
                                         "file:/// with three slashes");
  }
  return rest.substr(host.size());
}

// `path` without empty and `.` segments and final slash. A `..` is refused and not resolved: with
// links on the way, text cannot tell where it leads.
Result<std::string> NormalizedPath(std::string_view path, std::string_view location) {
  std::string normalized;
  normalized.reserve(path.size());
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
    if (segment == "..") return InvalidLocation(location, "`..` segments are not allowed");
    if (!segment.empty() && segment != ".") normalized.append("/").append(segment);
  }
  return normalized.empty() ? "/" : normalized;
}

bool IsFileScheme(std::string_view scheme) {
  return std::equal(scheme.begin(), scheme.end(), kFileScheme.begin(), kFileScheme.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

std::string RealPathOf(const std::string& path) {
  std::string existing = path;
  std::string missing;
  // A longer one cannot exist.
  while (existing.size() > 1 && path.size() < PATH_MAX) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(existing.c_str(), nullptr),
                                                           &std::free);
    if (real != nullptr) {
      const bool is_root = std::string_view(real.get()) == "/";
      return is_root && !missing.empty() ? missing : real.get() + missing;
    }
    const size_t slash = existing.find_last_of('/');
    if (slash == std::string::npos) break;
    const std::string name = existing.substr(slash + 1);
    if (!name.empty() && name != ".") missing.insert(0, "/" + name);
    existing.resize(slash);
  }
  return existing.empty() || existing == "/" ? (missing.empty() ? "/" : missing) : path;
}

bool HasParentSegment(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

Status CheckHasNoNul(std::string_view location) {
  const size_t nul = location.find('\0');
  if (nul == std::string_view::npos) return {};
  return InvalidLocation(location.substr(0, nul), "a NUL follows");
}

}  // namespace

Result<std::string> LocalPathOf(std::string_view location) {
  BERGLITE_RETURN_IF_ERROR(CheckHasNoNul(location));
  BERGLITE_ASSIGN_OR_RETURN(const std::string_view path, PathPartOf(location));
  if (!path.starts_with('/')) {
    return InvalidLocation(location, "expected an absolute path or a URI such as file:///a/b");
  }
  return NormalizedPath(path, location);
}

std::string RealPathOfLocation(std::string_view location) {
  const std::string_view scheme = SchemeOf(location);
  std::string_view path = location;
  if (!scheme.empty()) {
    if (!IsFileScheme(scheme)) return std::string(location);
    path.remove_prefix(scheme.size() + 1);
    if (path.starts_with("//")) {
      path.remove_prefix(2);
      path.remove_prefix(std::min(path.size(), path.find('/')));
    }
  }
  return RealPathOf(std::string(path.substr(0, path.find('\0'))));
}

std::string UriOf(std::string_view path) { return "file://" + std::string(path); }

Result<std::string> ResolveConfiguredPath(std::string_view location) {
  BERGLITE_RETURN_IF_ERROR(CheckHasNoNul(location));
  if (!SchemeOf(location).empty()) return LocalPathOf(location);
  if (location.empty()) return InvalidLocation("``", "it is empty");

  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(location, error);
  // An operator means by `..` what the shell does: the parent of where a link leads.
  if (!error && HasParentSegment(path)) path = std::filesystem::weakly_canonical(path, error);
  if (error) return InvalidLocation(location, error.message());
  return LocalPathOf(path.native());
}

}  // namespace berglite::storage
