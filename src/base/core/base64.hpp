// Base64 (RFC 4648, section 4), in which JSON carries the bytes of a picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// With padding, in one line.
std::string encode_base64(std::string_view bytes);

/// The bytes; std::nullopt if the text has another character, white space included, or its padding
/// is missing or wrong.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace epochcast
