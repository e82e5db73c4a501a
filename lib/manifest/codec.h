// Compression of the blocks of Avro files.
//
// Threads: functions without state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "berglite/result.h"

namespace berglite::manifest {

enum class Codec { kNull, kDeflate, kSnappy, kZstandard };

// The codec of that name in the specification of Avro; nullopt for one that is not read.
std::optional<Codec> CodecNamed(std::string_view name);

// What `packed` holds. Errors: kValidation for data that is damaged, cut short, or inflates to more
// than `size_max` bytes; memory beyond that is not taken.
Result<std::string> Unpack(Codec codec, std::string_view packed, size_t size_max);

// `bytes` in the form of kDeflate, the codec that every reader of Avro has.
std::string Deflate(std::string_view bytes);

}  // namespace berglite::manifest
