#include "src/base/core/digest.hpp"

#include <sodium.h>

#include <array>
#include <fstream>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

using DigestBytes = std::array<unsigned char, digest_digits / 2>;
static_assert(sizeof(DigestBytes) == crypto_hash_sha256_BYTES &&
              sizeof(DigestBytes) == crypto_auth_hmacsha256_BYTES);

std::string hexadecimal(const DigestBytes& bytes) {
  std::array<char, digest_digits + 1> text{};
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  return text.data();
}

const unsigned char* sodium_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> part(std::size_t(1) << 20);
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  while (file.read(part.data(), std::streamsize(part.size())) || file.gcount() > 0) {
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(part.data()),
                              static_cast<unsigned long long>(file.gcount()));
  }
  if (!file.eof()) {
    throw Error(path.string() + ": cannot be read");
  }
  DigestBytes digest{};
  crypto_hash_sha256_final(&state, digest.data());
  return hexadecimal(digest);
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, sodium_bytes(key), key.size());
  crypto_auth_hmacsha256_update(&state, sodium_bytes(text), text.size());
  DigestBytes proof{};
  crypto_auth_hmacsha256_final(&state, proof.data());
  return hexadecimal(proof);
}

std::string random_digits() {
  DigestBytes bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return hexadecimal(bytes);
}

std::string encode_base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), sodium_bytes(bytes), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // it wrote NUL
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr,
                        sodium_base64_VARIANT_ORIGINAL) != 0) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

bool same_secret(std::string_view one, std::string_view other) {
  return one.size() == other.size() && sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace epochcast
