// The alphabet in which byte-level vocabularies are written: a letter that can be seen for every
// byte, so that " the" is kept as "Ġthe".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::text {

/// The letters of `bytes`. Bytes 33-126, 161-172 and 174-255 are the code points of their number,
/// the others, in order, those from U+0100 on. Source: bytes_to_unicode of GPT-2's encoder.
std::string letters_of(std::string_view bytes);

/// The bytes of `letters`, UTF-8; nothing if one is not of the alphabet.
std::optional<std::string> bytes_of_letters(std::string_view letters);

}  // namespace epochcast::text
