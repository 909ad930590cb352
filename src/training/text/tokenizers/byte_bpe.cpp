// Byte-level byte-pair encoding of RoBERTa and GPT-2, which have the same merges: any bytes can be
// tokenized, no token is unknown, and case and white space matter.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/training/text/gpt2_pieces.hpp"
#include "src/training/text/merges.hpp"
#include "src/training/text/tokenizer.hpp"
#include "src/training/text/trie.hpp"
#include "src/training/text/vocabulary.hpp"

namespace epochcast::text::tokenizers {
namespace byte_bpe_tokenizer {

class ByteBpe : public Tokenizer {
 public:
  ByteBpe(const Vocabulary& vocabulary, Merges merges)
      : Tokenizer({vocabulary.id("<s>"), vocabulary.id("</s>"), vocabulary.id("<pad>")},
                  vocabulary.special({{"<s>"}, {"<pad>"}, {"</s>"}, {"<unk>"}, {"<mask>", true}}),
                  vocabulary.size()),
        merges_(std::move(merges)),
        of_byte_(byte_tokens(vocabulary)),
        whole_(whole_pieces(vocabulary)) {}

 private:
  void append_ids(std::string_view text, TokenIds& ids) const override {
    TokenIds tokens;
    while (!text.empty()) {
      const std::size_t bytes = first_gpt2_piece(text);
      const std::string_view piece = text.substr(0, bytes);
      text.remove_prefix(bytes);
      if (const auto id = whole_.find(piece)) {
        ids.push_back(*id);
        continue;
      }
      merge(piece, tokens);
      ids.insert(ids.end(), tokens.begin(), tokens.end());
    }
  }

  void merge(std::string_view piece, TokenIds& tokens) const {
    tokens.clear();
    for (const char byte : piece) {
      tokens.push_back(of_byte_[static_cast<unsigned char>(byte)]);
    }
    merges_.apply(tokens);
  }

  static std::array<TokenId, 256> byte_tokens(const Vocabulary& vocabulary) {
    std::array<TokenId, 256> ids{};
    for (std::size_t byte = 0; byte < ids.size(); ++byte) {
      ids[byte] = vocabulary.id(letters_of(std::string(1, char(byte))));
    }
    return ids;
  }

  /// The pieces that merge to a single token, as most words of a text do: they are looked up
  /// instead of merged each time. Excludes tokens that the merges do not produce, such as <s>.
  Trie whole_pieces(const Vocabulary& vocabulary) const {
    std::vector<std::pair<std::string, TokenId>> pieces;
    TokenIds tokens;
    for (const auto& [letters, id] : vocabulary.ids()) {
      const auto bytes = bytes_of_letters(letters);
      if (bytes && !bytes->empty()) {
        merge(*bytes, tokens);
        if (tokens == TokenIds{id}) {
          pieces.emplace_back(*bytes, id);
        }
      }
    }
    return Trie(std::move(pieces));
  }

  Merges merges_;
  std::array<TokenId, 256> of_byte_;
  Trie whole_;
};

std::int32_t id_in(const Vocabulary& vocabulary, const std::string& token) {
  const auto found = vocabulary.ids().find(token);
  if (found == vocabulary.ids().end()) {
    throw Error(fmt::format("found '{}', which is no token of the vocabulary", token));
  }
  return found->second;
}

/// Adds the merge in `line`: "left right".
void add_merge(std::string_view line, const Vocabulary& vocabulary, Merges& merges) {
  const auto parts = split(line, ' ');
  if (parts.size() != 2) {
    throw Error(fmt::format("found {} words, expected two tokens", parts.size()));
  }
  const auto result = id_in(vocabulary, parts[0] + parts[1]);
  if (!merges.add(id_in(vocabulary, parts[0]), id_in(vocabulary, parts[1]), result)) {
    throw Error(fmt::format("found the merge of '{}' and '{}' again", parts[0], parts[1]));
  }
}

/// Reads merges.txt: a first line "#version: ...", then one merge per line, most important first.
Merges read_merges(const std::string& path, const Vocabulary& vocabulary) {
  Merges merges;
  int line_number = 0;
  for (const std::string& line : split(read_text_or_gzip(path), '\n')) {
    ++line_number;
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with("#version")) {
      continue;
    }
    try {
      add_merge(text, vocabulary, merges);
    } catch (const Error& error) {
      throw Error(path, line_number, error.what());
    }
  }
  return merges;
}

std::unique_ptr<Tokenizer> open_byte_bpe(const std::vector<std::string>& paths) {
  require_settings(paths[0], {{"add_prefix_space", false}}, "RoBERTa's models");
  const auto vocabulary = Vocabulary::of_json(paths[0]);
  return std::make_unique<ByteBpe>(vocabulary, read_merges(paths[1], vocabulary));
}

}  // namespace byte_bpe_tokenizer

TokenizerSpec byte_bpe() {
  return {.summary = "Byte-level BPE of RoBERTa and GPT-2",
          .files = {"vocab.json", "merges.txt"},
          .open = byte_bpe_tokenizer::open_byte_bpe};
}

}  // namespace epochcast::text::tokenizers
