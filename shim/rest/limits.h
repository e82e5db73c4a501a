// Limits of the protocol layer, each with its reason. Past one: a clear 4xx, and nothing changed.
#pragma once

#include <cstddef>

namespace berglite::rest {

// Names in paths and queries. The library holds the same limits for names in bodies; here they turn
// a hopeless look-up into an answer that says what is wrong with the name.
inline constexpr size_t kNamespaceLevelsMax = 32;
inline constexpr size_t kNameBytesMax = 1024;
// Below this a reply fits into one packet anyway.
inline constexpr size_t kGzipBytesMin = 1024;

}  // namespace berglite::rest
