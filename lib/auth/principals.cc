// Principals on the rows of a catalog file.
#include "berglite/principals.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <semaphore>
#include <utility>

#include "lib/auth/crypto.h"
#include "lib/auth/failure_limit.h"
#include "lib/auth/forward_clock.h"
#include "lib/auth/secret_cache.h"
#include "lib/auth/secret_hash.h"
#include "lib/auth/token.h"
#include "lib/base/environment.h"
#include "lib/store/store.h"

namespace berglite {
namespace {

using store::NewFileReaders;
using store::PrincipalRecord;

constexpr size_t kNameBytesMax = 128;
// Longer ones are hashed by nobody; ours have some 200 bytes at most.
constexpr size_t kSecretBytesMax = 1024;
// How many secrets are hashed at once. The others wait, so that the memory for it stays bounded
// however many threads there are.
constexpr ptrdiff_t kHashingsMax = 4;
// By how much a token may come from the future: it may be another process's, whose clock was read
// before it was set a little back. Tokens from further ahead would live longer than they should.
constexpr int64_t kClockSlackMs = 60'000;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

// Names need no escaping in a form, a header, a shell or a log.
bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
}

// What may stand behind `Bearer ` (RFC 6750, 2.1).
bool IsBearerToken(std::string_view token) {
  size_t end = token.find_last_not_of('=');
  if (end == std::string_view::npos) return false;
  return std::all_of(token.begin(), token.begin() + static_cast<ptrdiff_t>(end) + 1,
                     [](char c) { return IsNameCharacter(c) || c == '~' || c == '+' || c == '/'; });
}

Principal ToPrincipal(const PrincipalRecord& record) {
  return {.name = record.name,
          .access = record.read_only ? Access::kRead : Access::kWrite,
          .created_ms = record.created_ms,
          .generation = record.generation};
}

Error NoSuchPrincipal(const std::string& name) {
  return {ErrorKind::kNotFound, "Principal does not exist: " + name};
}

Error BadSecret() { return {ErrorKind::kNotAuthorized, "The client id or secret is wrong"}; }

// A secret begins with the name of its principal; the random part after it has no dot.
std::string NameIn(const std::string& secret) {
  size_t dot = secret.rfind('.');
  return dot == std::string::npos ? "" : secret.substr(0, dot);
}

// A slot among those that may hash at once.
class HashingSlot {
 public:
  using Slots = std::counting_semaphore<kHashingsMax>;

  explicit HashingSlot(Slots& slots) : slots_(slots) { slots_.acquire(); }
  ~HashingSlot() { slots_.release(); }
  HashingSlot(const HashingSlot&) = delete;
  HashingSlot& operator=(const HashingSlot&) = delete;

 private:
  Slots& slots_;
};

std::function<int64_t()> SteadyClockOf(const PrincipalsOptions& options) {
  if (options.steady_ms) return options.steady_ms;
  if (options.environment != nullptr) return [] { return int64_t{0}; };
  return [] {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count()};
  };
}

class StoredPrincipals final : public Principals {
 public:
  StoredPrincipals(std::unique_ptr<store::Store> store, std::string static_token,
                   Environment& environment, std::function<int64_t()> steady_ms)
      : store_(std::move(store)),
        static_token_(std::move(static_token)),
        environment_(environment),
        clock_(environment, std::move(steady_ms)),
        good_secrets_(auth::RandomKey(environment)) {}

  // Makes the signing key of a file that has none, and takes whichever is there in the end.
  Status LoadSigningKey();

  Result<std::string> Add(const std::string& name, Access access) override;
  Result<std::vector<Principal>> List() override;
  Status Remove(const std::string& name) override;
  Result<std::string> Rotate(const std::string& name) override;
  Result<Principal> CheckSecret(const std::string& name, const std::string& secret) override;
  Result<Principal> CheckToken(std::string_view token) override;
  std::string NewToken(const Principal& principal) override;

 private:
  // A new secret with what is kept of it.
  struct NewSecret {
    std::string secret;
    std::string hash;
    std::string generation;
  };

  NewSecret MakeSecret(const std::string& name);
  Result<std::optional<PrincipalRecord>> Find(const std::string& name);
  // Changes the row of the principal whose generation in the end is `generation`, or absent.
  Status Write(const std::string& name, const std::optional<std::string>& generation,
               const std::function<Status(store::Writer&)>& body);
  bool Matches(const std::optional<PrincipalRecord>& record, const std::string& secret);

  std::unique_ptr<store::Store> store_;
  const std::string static_token_;
  Environment& environment_;
  auth::ForwardClock clock_;
  std::string signing_key_;
  auth::SecretCache good_secrets_;
  auth::FailureLimit failures_;
  HashingSlot::Slots hashing_slots_{kHashingsMax};
};

Status StoredPrincipals::LoadSigningKey() {
  const std::string fresh = auth::ToBase64Url(auth::RandomKey(environment_));
  std::optional<std::string> key;
  auto find = [&key](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(key, reader.FindSigningKey());
    return {};
  };
  BERGLITE_RETURN_IF_ERROR(store_->Read(find));
  if (!key) {
    BERGLITE_RETURN_IF_ERROR(store_->Write(
        [&fresh](store::Writer& writer) { return writer.InsertSigningKey(fresh); },
        [](store::Reader& reader) -> Result<bool> {
          BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> landed, reader.FindSigningKey());
          return landed.has_value();
        }));
    BERGLITE_RETURN_IF_ERROR(store_->Read(find));
  }
  std::optional<std::string> bytes = auth::FromBase64Url(key.value_or(""));
  if (!bytes || bytes->empty()) {
    return Error{ErrorKind::kInternal, "The key that signs tokens is damaged"};
  }
  signing_key_ = *std::move(bytes);
  return {};
}

StoredPrincipals::NewSecret StoredPrincipals::MakeSecret(const std::string& name) {
  NewSecret made;
  made.secret = name + "." + auth::ToBase64Url(auth::RandomKey(environment_));
  const HashingSlot slot(hashing_slots_);
  made.hash = auth::HashSecret(made.secret, environment_);
  made.generation = auth::ToBase64Url(auth::RandomKey(environment_)).substr(0, 22);
  return made;
}

Result<std::optional<PrincipalRecord>> StoredPrincipals::Find(const std::string& name) {
  std::optional<PrincipalRecord> record;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(record, reader.FindPrincipal(name));
    return {};
  }));
  return record;
}

Status StoredPrincipals::Write(const std::string& name,
                               const std::optional<std::string>& generation,
                               const std::function<Status(store::Writer&)>& body) {
  return store_->Write(body, [&](store::Reader& reader) -> Result<bool> {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<PrincipalRecord> found, reader.FindPrincipal(name));
    return generation ? found && found->generation == *generation : !found;
  });
}

Result<std::string> StoredPrincipals::Add(const std::string& name, Access access) {
  if (!IsName(name)) {
    return Error{ErrorKind::kInvalidArgument, "Invalid principal '" + name + "': expected 1 to " +
                                                  std::to_string(kNameBytesMax) +
                                                  " letters, digits, '.', '_' and '-'"};
  }
  NewSecret made = MakeSecret(name);
  const PrincipalRecord record{.name = name,
                               .secret_hash = made.hash,
                               .generation = made.generation,
                               .read_only = access == Access::kRead,
                               .created_ms = environment_.NowMs()};
  BERGLITE_RETURN_IF_ERROR(Write(name, made.generation, [&](store::Writer& writer) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool inserted, writer.InsertPrincipal(record));
    if (inserted) return {};
    return Error{ErrorKind::kAlreadyExists, "Principal already exists: " + name};
  }));
  return made.secret;
}

Result<std::vector<Principal>> StoredPrincipals::List() {
  std::vector<PrincipalRecord> records;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&records](store::Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(records, reader.ListPrincipals());
    return {};
  }));
  std::vector<Principal> principals;
  for (const PrincipalRecord& record : records) principals.push_back(ToPrincipal(record));
  return principals;
}

Status StoredPrincipals::Remove(const std::string& name) {
  return Write(name, std::nullopt, [&name](store::Writer& writer) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool deleted, writer.DeletePrincipal(name));
    if (deleted) return {};
    return NoSuchPrincipal(name);
  });
}

Result<std::string> StoredPrincipals::Rotate(const std::string& name) {
  NewSecret made = MakeSecret(name);
  BERGLITE_RETURN_IF_ERROR(Write(name, made.generation, [&](store::Writer& writer) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(bool changed,
                              writer.SetPrincipalSecret(name, made.hash, made.generation));
    if (changed) return {};
    return NoSuchPrincipal(name);
  }));
  return made.secret;
}

// Hashes in any case, so that the time does not tell whether there is such a principal.
bool StoredPrincipals::Matches(const std::optional<PrincipalRecord>& record,
                               const std::string& secret) {
  const HashingSlot slot(hashing_slots_);
  return auth::MatchesSecret(record ? record->secret_hash : auth::HashOfNothing(), secret);
}

Result<Principal> StoredPrincipals::CheckSecret(const std::string& name,
                                                const std::string& secret) {
  const std::string id = name.empty() ? NameIn(secret) : name;
  if (!IsName(id) || secret.size() > kSecretBytesMax) return BadSecret();
  BERGLITE_ASSIGN_OR_RETURN(std::optional<PrincipalRecord> record, Find(id));
  const int64_t now_ms = clock_.NowMs();
  if (record && good_secrets_.Find(id, secret, now_ms) == record->generation) {
    return ToPrincipal(*record);
  }
  if (!failures_.Allows(id, now_ms)) {
    return Error{ErrorKind::kTooManyRequests,
                 "Too many wrong secrets of late; try again in some seconds"};
  }
  if (!Matches(record, secret)) {
    failures_.Note(id, now_ms);
    return BadSecret();
  }
  good_secrets_.Put(id, secret, record->generation, now_ms);
  return ToPrincipal(*record);
}

Result<Principal> StoredPrincipals::CheckToken(std::string_view token) {
  if (!static_token_.empty() && auth::EqualInConstantTime(token, static_token_)) {
    return Principal{.name = {}, .access = Access::kWrite, .created_ms = 0, .generation = {}};
  }
  BERGLITE_ASSIGN_OR_RETURN(auth::TokenClaims claims, auth::ReadToken(token, signing_key_));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<PrincipalRecord> record, Find(claims.name));
  if (!record || record->generation != claims.generation) {
    return Error{ErrorKind::kNotAuthorized, "The token has been withdrawn"};
  }
  const int64_t now_ms = clock_.NowMs();
  if (now_ms >= claims.expires_ms || claims.issued_ms > now_ms + kClockSlackMs) {
    return Error{ErrorKind::kTokenExpired, "The token has expired"};
  }
  return ToPrincipal(*record);
}

// The principal of the static token is the one without a name.
std::string StoredPrincipals::NewToken(const Principal& principal) {
  if (principal.name.empty()) return static_token_;
  const int64_t now_ms = clock_.NowMs();
  const std::chrono::milliseconds lifetime = kTokenLifetime;
  return auth::SignToken({.name = principal.name,
                          .generation = principal.generation,
                          .issued_ms = now_ms,
                          .expires_ms = now_ms + lifetime.count()},
                         signing_key_);
}

}  // namespace

Result<std::unique_ptr<Principals>> Principals::Open(const std::string& path,
                                                     const PrincipalsOptions& options) {
  if (!options.static_token.empty() && !IsBearerToken(options.static_token)) {
    return Error{
        ErrorKind::kInvalidArgument,
        "The static token has a character that no Authorization header can carry; expected "
        "letters, digits and -._~+/, then any number of ="};
  }
  const store::NotThere not_there = options.new_catalog == NewCatalog::kBegin
                                        ? store::NotThere::kBegin
                                        : store::NotThere::kRefuse;
  // Principals are those of the file; a file with several catalogs need not have one chosen. It
  // holds the key that signs tokens.
  BERGLITE_ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store,
                            store::Store::Open(path, {.several = store::SeveralCatalogs::kTakeFirst,
                                                      .not_there = not_there,
                                                      .new_file_readers = NewFileReaders::kOwner,
                                                      .busy_timeout_ms = options.busy_timeout_ms}));
  Environment& environment = options.environment ? *options.environment : SystemEnvironment();
  auto principals = std::make_unique<StoredPrincipals>(std::move(store), options.static_token,
                                                       environment, SteadyClockOf(options));
  BERGLITE_RETURN_IF_ERROR(principals->LoadSigningKey());
  return std::unique_ptr<Principals>(std::move(principals));
}

}  // namespace berglite
