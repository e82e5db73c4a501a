// Principals: who may call a server on a catalog file, their secrets and their tokens.
//
// They are rows of the file, so every server on it knows the same ones, at once. A secret is shown
// when it is made and kept as a hash only (scrypt). A token is signed with a key that the file
// holds: it outlives a restart and is good at every server on the file, until it expires or its
// principal is removed or gets a new secret. Whoever can read the file can make tokens: it is the
// permissions of the file that keep it safe.
//
// Threads: every method may be called from any thread at the same time. No lock is held while a
// secret is hashed, which takes some 50 ms and 16 MiB.
// Ownership: a Principals has connections of its own, beside those of a Catalog on the same file.
// Errors: besides those named at a method, every method may return kUnavailable (the file is locked
// by another program for too long, or cannot be written; nothing was changed) and kInternal. No
// message holds a secret or a token.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/result.h"

namespace berglite {

class Environment;

enum class Access {
  kRead,   // whatever changes nothing
  kWrite,  // everything
};

struct Principal {
  std::string name;
  Access access = Access::kRead;
  // When it was added, in milliseconds since 1970-01-01T00:00:00Z.
  int64_t created_ms = 0;
  // Another one for each secret; what tokens are bound to. Not a secret.
  std::string generation;
};

// How long a token is good.
inline constexpr std::chrono::seconds kTokenLifetime{3600};

struct PrincipalsOptions {
  // A token besides those of the file that is good for everything and for ever, for programs such
  // as CI jobs that have nowhere to keep a principal. Empty: none.
  std::string static_token = {};
  // How long a write waits for another process, in milliseconds, before it fails with kUnavailable.
  int busy_timeout_ms = 10'000;
  // Whether a file that is not there, or is no catalog, is made one.
  NewCatalog new_catalog = NewCatalog::kBegin;
  // Clock and randomness; null: the machine's. Must outlive the Principals. For tests.
  Environment* environment = nullptr;
  // Milliseconds on a clock that nobody sets, by which tokens age where the other is set back.
  // Null: the machine's, or one that stands still where `environment` is given. For tests.
  std::function<int64_t()> steady_ms = nullptr;
};

class Principals {
 public:
  // Opens the catalog file at `path`, creating it where there is none, so that only its owner can
  // read it: it holds the key that signs tokens. With `:memory:` principals
  // live as long as this object. Errors: those of Catalog::Open for the file; kInvalidArgument for
  // a static token that no Authorization header can carry.
  static Result<std::unique_ptr<Principals>> Open(const std::string& path,
                                                  const PrincipalsOptions& options = {});
  virtual ~Principals() = default;

  // Adds a principal and returns its secret: its name, a dot and 256 random bits. A name has 1 to
  // 128 ASCII letters, digits, `.`, `_` and `-`. Errors: kInvalidArgument, kAlreadyExists.
  virtual Result<std::string> Add(const std::string& name, Access access) = 0;
  // Ordered by name.
  virtual Result<std::vector<Principal>> List() = 0;
  // Its tokens end with it. Errors: kNotFound.
  virtual Status Remove(const std::string& name) = 0;
  // Gives it another secret and returns that; the old one and its tokens end. Errors:
  // kNotFound.
  virtual Result<std::string> Rotate(const std::string& name) = 0;

  // Whose secret this is. An empty name: of the one that the secret names. A good secret is
  // remembered for a minute, and hashed again after that. Errors: kNotAuthorized, in the same words
  // for a wrong secret and for no such principal; kTooManyRequests where too many checks have
  // failed of late, of that name or altogether.
  virtual Result<Principal> CheckSecret(const std::string& name, const std::string& secret) = 0;
  // Whose token this is. Errors: kTokenExpired for one that is good but for its age,
  // kNotAuthorized.
  virtual Result<Principal> CheckToken(std::string_view token) = 0;
  // A token for a principal that CheckSecret or CheckToken has returned; for that of the static
  // token, the static token.
  virtual std::string NewToken(const Principal& principal) = 0;
};

}  // namespace berglite
