// Splits a text into the pieces within which byte-level BPE merges, by the pattern of GPT-2 and
// RoBERTa:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Also declares the alphabet of byte-level vocabularies: every byte has a visible letter, so that
// " the" is stored as "Ġthe".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::text {

/// Number of bytes of the first piece of `text`, which must be valid UTF-8 and not empty. The
/// pieces of a text are contiguous. Source: huggingface/tokenizers, pre_tokenizers/byte_level.rs.
std::size_t first_gpt2_piece(std::string_view text);

/// The letters of `bytes`. Bytes 33-126, 161-172 and 174-255 map to the code points of the same
/// number; the others map, in order, to the code points from U+0100 on. Source: bytes_to_unicode of
/// GPT-2's encoder.
std::string letters_of(std::string_view bytes);

/// The bytes of `letters` (UTF-8); std::nullopt if a letter is not in the alphabet.
std::optional<std::string> bytes_of_letters(std::string_view letters);

}  // namespace epochcast::text
