// The cryptography of berglite, all of it OpenSSL's, behind functions on strings.
//
// OpenSSL's libcrypto has both a memory-hard function (scrypt, RFC 7914) and HMAC, is maintained by
// every distribution, and is in the server's process anyway as cpp-httplib links it. libargon2
// would be a second library for half of the work.
//
// Threads: the functions keep nothing and may be called from any thread at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/environment.h"

namespace berglite::auth {

// 32 bytes (RFC 2104, FIPS 180-4).
std::string HmacSha256(std::string_view key, std::string_view text);

// What one hashing costs: 128 * r * 2^log2_n bytes, and time in proportion to p times that.
struct ScryptCost {
  int log2_n = 0;
  int r = 0;
  int p = 0;
};
// 32 bytes; nullopt where the cost is out of bounds or memory is short.
std::optional<std::string> Scrypt(std::string_view secret, std::string_view salt,
                                  const ScryptCost& cost);

// Takes as long for equal texts as for any others of that length.
bool EqualInConstantTime(std::string_view a, std::string_view b);

// 256 bits of the environment's.
std::string RandomKey(Environment& environment);

// base64url without padding (RFC 4648, 5).
std::string ToBase64Url(std::string_view bytes);
// nullopt for text that is none.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace berglite::auth
