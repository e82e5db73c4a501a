#include "lib/auth/secret_cache.h"

#include "lib/auth/crypto.h"

namespace berglite::auth {
namespace {

// Nothing is young where the clock was set back.
bool IsYoung(int64_t since_ms, int64_t now_ms) {
  return now_ms >= since_ms && now_ms - since_ms < SecretCache::kKeptMs;
}

}  // namespace

std::optional<std::string> SecretCache::Find(const std::string& name, const std::string& secret,
                                             int64_t now_ms) {
  const std::string digest = Digest(name, secret);
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(digest);
  if (found == entries_.end() || !IsYoung(found->second.since_ms, now_ms)) return std::nullopt;
  return found->second.generation;
}

void SecretCache::Put(const std::string& name, const std::string& secret, std::string generation,
                      int64_t now_ms) {
  std::string digest = Digest(name, secret);
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kEntriesMax) {
    std::erase_if(entries_,
                  [now_ms](const auto& item) { return !IsYoung(item.second.since_ms, now_ms); });
  }
  if (entries_.size() >= kEntriesMax) entries_.clear();
  entries_.insert_or_assign(std::move(digest), Entry{std::move(generation), now_ms});
}

// No name holds a NUL.
std::string SecretCache::Digest(const std::string& name, const std::string& secret) const {
  return HmacSha256(key_, name + '\0' + secret);
}

}  // namespace berglite::auth
