// A text cut into the pieces that byte-level BPE merges within, by the pattern of GPT-2 and
// RoBERTa:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <cstddef>
#include <string_view>

namespace epochcast::text {

/// Bytes of the piece that `text`, valid UTF-8 and not empty, begins with. The pieces of a text lie
/// end to end. Source: huggingface/tokenizers, pre_tokenizers/byte_level.rs.
std::size_t first_gpt2_piece(std::string_view text);

}  // namespace epochcast::text
