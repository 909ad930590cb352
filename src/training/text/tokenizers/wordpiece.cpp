// WordPiece of BERT's uncased models (BERT, TinyBERT, MiniLM, DistilBERT): a word is split into the
// longest token of the vocabulary that it begins with, then the longest continuation ("##ing"), and
// so on. If that fails, the whole word is unknown.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/training/text/bert_words.hpp"
#include "src/training/text/tokenizer.hpp"
#include "src/training/text/trie.hpp"
#include "src/training/text/vocabulary.hpp"

namespace epochcast::text::tokenizers {
namespace wordpiece_tokenizer {

constexpr std::size_t longest_word = 100;  // max_input_chars_per_word; longer words are unknown
constexpr std::string_view going_on = "##";

enum class Position { first, later };

/// The tokens for `place` in a word, without the prefix "##" of later tokens.
Trie pieces(const Vocabulary& vocabulary, Position place) {
  std::vector<std::pair<std::string, TokenId>> chosen;
  for (const auto& [token, id] : vocabulary.ids()) {
    const bool later = token.starts_with(going_on) && token.size() > going_on.size();
    if (later == (place == Position::later)) {
      chosen.emplace_back(later ? token.substr(going_on.size()) : token, id);
    }
  }
  return Trie(std::move(chosen));
}

class WordPiece : public Tokenizer {
 public:
  explicit WordPiece(const Vocabulary& vocabulary)
      : Tokenizer({vocabulary.id("[CLS]"), vocabulary.id("[SEP]"), vocabulary.id("[PAD]")},
                  vocabulary.special({{"[UNK]"}, {"[CLS]"}, {"[SEP]"}, {"[PAD]"}, {"[MASK]"}}),
                  vocabulary.size()),
        unknown_(vocabulary.id("[UNK]")),
        first_(pieces(vocabulary, Position::first)),
        later_(pieces(vocabulary, Position::later)) {}

 private:
  void append_ids(std::string_view text, TokenIds& ids) const override {
    for_each_bert_word(text, [&](std::string_view word, std::size_t code_points) {
      if (code_points > longest_word) {
        ids.push_back(unknown_);
      } else {
        append_word(word, ids);
      }
    });
  }

  void append_word(std::string_view word, TokenIds& ids) const {
    const std::size_t before = ids.size();
    const Trie* trie = &first_;
    while (!word.empty()) {
      const auto piece = trie->longest(word);
      if (!piece) {
        ids.resize(before);
        ids.push_back(unknown_);
        return;
      }
      ids.push_back(piece->id);
      word.remove_prefix(piece->length);
      trie = &later_;
    }
  }

  TokenId unknown_;
  Trie first_;
  Trie later_;
};

std::unique_ptr<Tokenizer> open_wordpiece(const std::vector<std::string>& paths) {
  require_settings(
      paths[0],
      {{"do_lower_case", true}, {"strip_accents", true}, {"tokenize_chinese_chars", true}},
      "BERT's uncased models");
  return std::make_unique<WordPiece>(Vocabulary::of_lines(paths[0]));
}

}  // namespace wordpiece_tokenizer

TokenizerSpec wordpiece() {
  return {.summary = "WordPiece of BERT's uncased models, as their fast tokenizer",
          .files = {"vocab.txt"},
          .open = wordpiece_tokenizer::open_wordpiece};
}

}  // namespace epochcast::text::tokenizers
