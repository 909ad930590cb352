// A text cut into the words that WordPiece takes apart, as the fast tokenizer of BERT's uncased
// models does it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace epochcast::text {

/// Takes one word, valid during the call, and its length in code points.
using WordSink = std::function<void(std::string_view word, std::size_t code_points)>;

/// Calls `take` with every word of `text`, valid UTF-8: control characters dropped, CJK ideographs
/// and punctuation words of their own, decomposed (NFD), nonspacing marks dropped, in lower case.
/// Source of the rules and their order: huggingface/tokenizers, normalizers/bert.rs and
/// pre_tokenizers/bert.rs; of its tables: bert_characters.hpp.
void for_each_bert_word(std::string_view text, const WordSink& take);

}  // namespace epochcast::text
