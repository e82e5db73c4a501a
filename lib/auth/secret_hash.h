// The form in which a file keeps a secret, from which the secret cannot be found again.
//
// Threads: the functions keep nothing and may be called from any thread at the same time.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/environment.h"

namespace berglite::auth {

// `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, so that the cost can be raised for new secrets while old
// ones stay good.
std::string HashSecret(std::string_view secret, Environment& environment);

// Whether `stored` is the hash of `secret`. A stored text that is no hash is that of none.
bool MatchesSecret(std::string_view stored, std::string_view secret);

// The hash of no secret. Comparing with it takes as long as with one of HashSecret, so that the
// time tells nobody which principals there are.
std::string HashOfNothing();

}  // namespace berglite::auth
