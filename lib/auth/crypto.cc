#include "lib/auth/crypto.h"

#include <algorithm>
#include <cstdlib>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace berglite::auth {
namespace {

constexpr size_t kHashBytes = 32;
// The function refuses to use more, whatever a damaged row asks for.
constexpr uint64_t kScryptBytesMax = uint64_t{512} << 20;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

bool IsBase64Url(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

}  // namespace

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::string hash(kHashBytes, '\0');
  unsigned int length = 0;
  // Fails for want of memory only, or where the library was built without SHA-256.
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(),
           Bytes(hash), &length) == nullptr ||
      length != hash.size()) {
    std::abort();
  }
  return hash;
}

std::optional<std::string> Scrypt(std::string_view secret, std::string_view salt,
                                  const ScryptCost& cost) {
  bool in_bounds = cost.log2_n > 0 && cost.log2_n < 32 && cost.r > 0 && cost.p > 0;
  if (!in_bounds) return std::nullopt;
  std::string hash(kHashBytes, '\0');
  int done =
      EVP_PBE_scrypt(secret.data(), secret.size(), Bytes(salt), salt.size(),
                     uint64_t{1} << cost.log2_n, static_cast<uint64_t>(cost.r),
                     static_cast<uint64_t>(cost.p), kScryptBytesMax, Bytes(hash), hash.size());
  if (done != 1) return std::nullopt;
  return hash;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string RandomKey(Environment& environment) {
  std::string key;
  for (int half = 0; half < 2; ++half) {
    for (uint8_t byte : environment.RandomBytes()) key += static_cast<char>(byte);
  }
  return key;
}

std::string ToBase64Url(std::string_view bytes) {
  // Four characters for each three bytes, and the NUL that the function ends with.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  int length = EVP_EncodeBlock(Bytes(text), Bytes(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(std::find(text.begin(), text.end(), '='), text.end());
  return text;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  if (!IsBase64Url(text) || text.size() % 4 == 1) return std::nullopt;
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  size_t padding = (4 - padded.size() % 4) % 4;
  padded.append(padding, '=');
  std::string bytes(padded.size() / 4 * 3, '\0');
  int length = EVP_DecodeBlock(Bytes(bytes), Bytes(padded), static_cast<int>(padded.size()));
  if (length < 0) return std::nullopt;
  // The function counts what stands for padding as zero bytes.
  bytes.resize(static_cast<size_t>(length) - padding);
  return bytes;
}

}  // namespace berglite::auth
