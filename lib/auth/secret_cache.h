// SecretCache: the good secrets of the last minute, so that a client that sends its secret with
// every request does not make us hash it for every request.
//
// It holds no secret: an entry is found by a hash of it, keyed with what only this process knows.
//
// Threads: every method may be called from any thread at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace berglite::auth {

class SecretCache {
 public:
  static constexpr int64_t kKeptMs = 60'000;
  // Some hundred bytes each. More principals than this at once and some are hashed again.
  static constexpr size_t kEntriesMax = 1024;

  // `key` is random and kept nowhere else.
  explicit SecretCache(std::string key) : key_(std::move(key)) {}

  // The generation of the principal `name` for which `secret` was found good; nullopt where it is
  // not known. The caller compares it with the generation of now.
  std::optional<std::string> Find(const std::string& name, const std::string& secret,
                                  int64_t now_ms);
  void Put(const std::string& name, const std::string& secret, std::string generation,
           int64_t now_ms);

 private:
  struct Entry {
    std::string generation;
    int64_t since_ms = 0;
  };

  std::string Digest(const std::string& name, const std::string& secret) const;

  const std::string key_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
};

}  // namespace berglite::auth
