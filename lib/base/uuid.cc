#include "lib/base/uuid.h"

#include <algorithm>
#include <exception>

#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace berglite {

std::string NewUuid(Environment& environment) {
  std::array<uint8_t, 16> bytes = environment.RandomBytes();
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3F) | 0x80);  // the RFC's variant
  boost::uuids::uuid uuid;
  std::copy(bytes.begin(), bytes.end(), uuid.begin());
  return boost::uuids::to_string(uuid);
}

bool IsUuid(std::string_view text) {
  // The generator also takes braces and forms without dashes; those are no canonical UUIDs.
  if (text.size() != 36 || text[8] != '-') return false;
  try {
    boost::uuids::string_generator()(text.begin(), text.end());
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace berglite
