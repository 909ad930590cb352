// Splits a text into the words that WordPiece processes, like the fast tokenizer of BERT's uncased
// models.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace epochcast::text {

/// Receives one word, which is valid during the call, and its length in code points.
using WordSink = std::function<void(std::string_view word, std::size_t code_points)>;

/// Calls `take` with every word of `text`, which must be valid UTF-8. Drops control characters and
/// nonspacing marks, makes every CJK ideograph and punctuation character a word of its own, and
/// converts to decomposed form (NFD) and lower case. Source of the rules and their order:
/// huggingface/tokenizers, normalizers/bert.rs and pre_tokenizers/bert.rs; source of the tables:
/// bert_characters.hpp.
void for_each_bert_word(std::string_view text, const WordSink& take);

}  // namespace epochcast::text
