// Digests, proofs with a secret, random bytes and base64. The implementation is the only file that
// includes libsodium.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// Of a text or of a file that is hexadecimal: 32 bytes.
inline constexpr std::size_t digest_digits = 64;

/// SHA-256 of a whole file, in hexadecimal. Throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

/// HMAC-SHA-256 (RFC 2104) of `text`, in hexadecimal: whoever does not know `key` cannot make it.
std::string hmac_sha256(std::string_view key, std::string_view text);

/// 32 bytes that nobody can guess, in hexadecimal.
std::string random_digits();

/// Base64 (RFC 4648, section 4), in which JSON carries the bytes of a picture: with padding, in one
/// line.
std::string encode_base64(std::string_view bytes);
/// The bytes; std::nullopt if the text has another character, white space included, or its padding
/// is missing or wrong.
std::optional<std::string> decode_base64(std::string_view text);

/// Whether both texts are the same, in a time that depends on their lengths alone.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace epochcast
